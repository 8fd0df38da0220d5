"""Accuracy and cost of sound recognition.

    python -m benchmarks.words.sounds --sounds FOLDER [--film FILM] [--write]

The folder is the unpacked Debian package `tuxpaint-stamps-default` 2022.06.04-1: hundreds of
pictures of named things, some of which have a sound. A query is a word in such a name that is also
a word in a class of sounds (`frog`, `toilet`); its right results are the sounds of the things that
have the word in their name. Half of the things, by the hash of their name, are held out: the
probability threshold was chosen on the other half. A film has no annotation, so only the number of
passages, the most frequent sounds and the cost are printed.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import av
import numpy as np

from benchmarks import common
from benchmarks.search.search import is_held_out
from storyscope.core.plurals import singular
from storyscope.media import probe, read_sound
from storyscope.transcripts.listening import RATE
from storyscope.transcripts.sounds import (
    MIN_PROBABILITY,
    NOT_NAMED,
    hear_sounds,
    load_tagger,
    sound_kinds,
)

THRESHOLDS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7)
FOLDERS = frozenset({"animals", "hobbies", "household", "naturalforces", "town", "vehicles"})
"""Folders of things with real sounds; in other folders a voice reads a letter or a name."""
SHORTEST_WORD = 3


class Named(NamedTuple):
    """The sound of a named thing."""

    name: str
    words: frozenset[str]
    probabilities: np.ndarray
    """Maximum probability over all patches: float [classes]."""


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("--sounds", type=Path, required=True, help="the unpacked package")
    parser.add_argument("--film", type=Path, help="a film whose sounds are counted")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks/sounds.*")
    options = parser.parse_args()
    sounds = read_sounds(options.sounds)
    halves = {
        "tuning": [sound for sound in sounds if not is_held_out(sound.name)],
        "held out": [sound for sound in sounds if is_held_out(sound.name)],
    }
    facts = {
        half: [found_by_name(of, threshold) for threshold in THRESHOLDS]
        for half, of in halves.items()
    }
    film = counted(options.film) if options.film else None
    page = table(facts, film)
    print(page)
    if options.write:
        whole = {"named": facts, "film": film, "threshold": MIN_PROBABILITY}
        common.write_page("sounds", whole, f"# Sound recognition\n\n{page}\n")


def read_sounds(folder: Path) -> list[Named]:
    """Every named sound in the folder, with the predicted classes."""
    tagger, found = load_tagger(), []
    for path in sorted(folder.rglob("*.ogg")):
        text = path.with_suffix(".txt")
        is_thing = FOLDERS & set(path.relative_to(folder).parts)
        if "_desc" in path.stem or not is_thing or not text.is_file():
            continue
        name = text.read_text(encoding="utf-8", errors="replace").partition("\n")[0]
        heard = tagger(samples(path)).max(axis=0)
        found.append(Named(name, words_of(name), heard))
    return found


def samples(path: Path) -> np.ndarray:
    resampler = av.AudioResampler("flt", "mono", RATE)
    with av.open(str(path)) as file:
        frames = [part for frame in file.decode(audio=0) for part in resampler.resample(frame)]
    return np.concatenate([frame.to_ndarray()[0] for frame in frames])


def words_of(text: str) -> frozenset[str]:
    words = re.findall(r"[a-z]+", text.lower())
    return frozenset(singular(word) for word in words if len(word) >= SHORTEST_WORD) - {"the"}


def found_by_name(sounds: list[Named], threshold: float) -> dict[str, float]:
    """Precision and recall of queries by words that name both a thing and a class of sounds."""
    kinds = [
        (words_of(kind), number)
        for number, kind in enumerate(sound_kinds())
        if kind not in NOT_NAMED
    ]
    queries = sorted({word for sound in sounds for word in sound.words})
    right = found = wanted = asked = 0
    for word in queries:
        own = [number for words, number in kinds if word in words]
        if not own:
            continue
        asked += 1
        for sound in sounds:
            is_wanted = word in sound.words
            is_found = bool((sound.probabilities[own] >= threshold).any())
            wanted += is_wanted
            found += is_found
            right += is_wanted and is_found
    return {
        "threshold": threshold,
        "sounds": len(sounds),
        "queries": asked,
        "wanted": wanted,
        "found": round(right / wanted, 3),
        "right": round(right / max(found, 1), 3),
    }


def counted(film: Path) -> dict[str, object]:
    began = time.process_time()
    heard = hear_sounds(read_sound(film), duration=probe(film).duration)
    taken = time.process_time() - began
    kinds = Counter(kind for word in heard.words for kind in word.text.split(", "))
    minutes = probe(film).duration / 60
    return {
        "minutes": round(minutes, 1),
        "passages": len(heard.words),
        "commonest": [kind for kind, _ in kinds.most_common(12)],
        "cpu_seconds_a_minute": round(taken / minutes, 2),
    }


def table(facts: dict, film: dict | None) -> str:
    lines = [
        "| half | sounds | queries | threshold | recall | precision |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
        *(
            f"| {half} | {row['sounds']} | {row['queries']} | {row['threshold']:.2f} "
            f"| {row['found']:.3f} of {row['wanted']} | {row['right']:.3f} |"
            for half, rows in facts.items()
            for row in rows
        ),
    ]
    if film:
        lines += [
            "",
            f"A film of {film['minutes']} minutes: {film['passages']} passages, "
            f"{film['cpu_seconds_a_minute']} CPU seconds per minute of film; most frequent: "
            f"{', '.join(film['commonest'])}.",
        ]
    return "\n".join([*lines, "", "Made by `python -m benchmarks.words.sounds`."])


if __name__ == "__main__":
    main()
