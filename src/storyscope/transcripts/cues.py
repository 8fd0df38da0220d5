"""Convert cues, the lines of a subtitle file, to words with their own times."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf, isfinite
from operator import itemgetter

import numpy as np

from storyscope.core import Span, Transcript, Word
from storyscope.core.language import UNKNOWN, detect_language
from storyscope.core.text import encodable
from storyscope.errors import TranscriptError


@dataclass(frozen=True)
class Cue:
    """A text shown over [start, end) seconds."""

    start: float
    end: float
    text: str
    anchors: tuple[tuple[int, float], ...] = ()
    """Positions in the text with known times: (character, seconds)."""
    confidences: tuple[tuple[int, float], ...] = ()
    """Confidence of the words from a position in the text on: (character, 0 to 1)."""


def transcript_of_cues(
    cues: Iterable[Cue | tuple[float, float, str]],
    *,
    source: str = "",
    language: str = UNKNOWN,
    duration: float | None = None,
) -> Transcript:
    """Words in time order from cues that may overlap, repeat and come in any order.

    Sound descriptions in brackets, speaker names and music signs are left out. `language` is the
    one stated by the file; it is used if there are too few words to detect it. Words that begin at
    or after `duration` are dropped, so that a transcript never outlasts its video, and a text that
    is far too long for that time is rejected.
    """
    all_cues = (cue if isinstance(cue, Cue) else Cue(*cue) for cue in cues)
    tidy = [_proper(cue) for cue in all_cues if isfinite(cue.start) and isfinite(cue.end)]
    if duration is not None:
        tidy = [cue for cue in tidy if cue.start < duration]
        _refuse_floods(tidy, duration, source)
    tidy = _with_ends(sorted(tidy, key=lambda cue: (cue.start, cue.end)))
    tidy = _without_repeats(_without_rolling_lines(tidy))
    speakers = _recurring_speakers(tidy)
    words = [word for cue in tidy for word in _words(cue, speakers)]
    if duration is not None:
        words = [_ending_by(word, duration) for word in words if word.span.start < duration]
    words.sort(key=lambda word: word.span.start)
    found = detect_language(" ".join(word.text for word in words))
    if found == UNKNOWN or (len(words) < FEW_WORDS and language != UNKNOWN):
        found = language
    return Transcript(tuple(words), language=found, source=source)


FEW_WORDS = 20
MOST_CHARACTERS = 50_000
MOST_CHARACTERS_A_SECOND = 200
"""Maximum characters per second, ten times the speed of speech: live captions repeat each line
several times."""
SECONDS_A_CHARACTER = 0.07
SHORTEST_CUE = 0.2


def _refuse_floods(cues: Sequence[Cue], duration: float, source: str) -> None:
    characters = sum(len(cue.text) for cue in cues)
    if characters > MOST_CHARACTERS + MOST_CHARACTERS_A_SECOND * duration:
        raise TranscriptError(
            f"{source or 'the transcript'} holds {characters} characters, more than can be spoken "
            f"in {duration:.0f} seconds; is it of another video?"
        )


def _proper(cue: Cue) -> Cue:
    """Times before the video starts become 0, and lone surrogates become question marks."""
    anchors = tuple(anchor for anchor in cue.anchors if isfinite(anchor[1]))
    start, end = max(0.0, cue.start), max(0.0, cue.end)
    return replace(cue, start=start, end=end, text=encodable(cue.text), anchors=anchors)


def _with_ends(cues: list[Cue]) -> list[Cue]:
    """A cue that ends before it starts lasts as long as it takes to say, or until the next."""
    mended = list(cues)
    later = following = inf
    for index in reversed(range(len(cues))):
        cue = cues[index]
        if cue.start < following:
            later, following = following, cue.start
        if cue.end <= cue.start:
            end = cue.start + max(SHORTEST_CUE, SECONDS_A_CHARACTER * len(cue.text))
            mended[index] = replace(cue, end=min(end, later))
    return mended


def _without_rolling_lines(cues: list[Cue]) -> list[Cue]:
    """Live captions scroll: each cue repeats the line before it. Keep every line once.

    Two cues may repeat a line because somebody repeats themselves, so this is done only in a file
    in which a third of the cues do it.
    """
    repeats = [
        bool(_lines(right.text))
        and _lines(left.text)[-1:] == _lines(right.text)[:1]
        and right.start <= left.end + 0.1
        for left, right in pairwise(cues)
    ]
    if not repeats or sum(repeats) < max(2, len(repeats) / 3):
        return cues
    kept = list(cues[:1])
    for cue, repeated in zip(cues[1:], repeats, strict=True):
        if repeated:
            first = _lines(cue.text)[0]
            end = cue.text.index(first) + len(first)
            cue = replace(cue, text=" " * end + cue.text[end:])
        kept.append(cue)
    return kept


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _without_repeats(cues: list[Cue]) -> list[Cue]:
    """Karaoke and animated signs show one text in many short cues: keep it once."""
    kept: list[Cue] = []
    latest: dict[str, int] = {}
    for cue in cues:
        text = " ".join(cue.text.split())
        place = latest.get(text)
        if place is not None and cue.start <= kept[place].end + 0.05:
            kept[place] = replace(kept[place], end=max(kept[place].end, cue.end))
        elif text:
            latest[text] = len(kept)
            kept.append(cue)
    return kept


# No bracket inside brackets: the search ends at the next one, so it cannot take forever.
SOUNDS = re.compile(r"\[[^\[\]]*\]|\([^()]*\)|（[^（）]*）|【[^【】]*】|［[^［］]*］|\*[^*\n]+\*")
MUSIC = re.compile(r"[♪♫♬♩]+|(?:^|(?<=\s))#+(?=\s|$)")
DASH = re.compile(r"^[ \t]*(?:>{2,}|[-‐‑–—]+(?!\d))", re.MULTILINE)
SHOUTED_NAME = re.compile(r"^[ \t]*[A-Z][A-Z0-9 .'#&-]{0,30}:(?=\s|$)", re.MULTILINE)
NAME = re.compile(r"^[ \t]*((?:[^\W\d_][\w.'-]*[ \t]){0,2}[^\W\d_][\w.'-]*):(?=\s)", re.MULTILINE)


def _recurring_speakers(cues: Sequence[Cue]) -> frozenset[str]:
    """Names before a colon; "Remember: ..." occurs once, but a speaker speaks often."""
    names = Counter(
        match[1]
        for cue in cues
        for match in NAME.finditer(_blank(cue.text, DASH))
        if all(part[0].isupper() for part in match[1].split())
    )
    return frozenset(name for name, count in names.items() if count >= 3)


def _words(cue: Cue, speakers: frozenset[str]) -> list[Word]:
    text = cue.text
    for pattern in (SOUNDS, MUSIC, DASH, SHOUTED_NAME):
        text = _blank(text, pattern)
    if speakers:
        text = NAME.sub(
            lambda match: " " * len(match[0]) if match[1] in speakers else match[0], text
        )
    matches = [match for match in re.finditer(r"\S+", text) if any(map(str.isalnum, match.group()))]
    if not matches:
        return []
    places = [place for match in matches for place in match.span()]
    seconds = _seconds_at(places, text, cue).tolist()
    return [
        Word(match.group(), Span(start, end), _confidence_at(match.start(), cue))
        for match, start, end in zip(matches, seconds[::2], seconds[1::2], strict=True)
    ]


def _blank(text: str, pattern: re.Pattern[str]) -> str:
    """Replace matches of the pattern by spaces, so that positions in the text do not change."""
    return pattern.sub(lambda match: re.sub(r"\S", " ", match.group()), text)


def _seconds_at(places: Sequence[int], text: str, cue: Cue) -> np.ndarray:
    """Times at positions in the text: known at the anchors, interpolated by characters in
    between."""
    anchors = sorted(a for a in cue.anchors if 0 <= a[0] <= len(text))
    # A start or an end given by the words themselves is better than the cue's.
    if not anchors or anchors[0][0] > _first(text):
        anchors.insert(0, (_first(text), cue.start))
    if anchors[-1][0] < len(text.rstrip()):
        anchors.append((len(text.rstrip()), cue.end))
    said = np.concatenate([[0], np.cumsum([not character.isspace() for character in text])])
    # Each position counts the spaces before it slightly, so that two words do not touch.
    said = said + 1e-6 * np.arange(len(said))
    times = np.maximum.accumulate([min(max(t, cue.start), cue.end) for _, t in anchors])
    seconds: np.ndarray = np.interp(
        said[list(places)], said[[place for place, _ in anchors]], times
    )
    return np.round(seconds, 6)


def _first(text: str) -> int:
    return len(text) - len(text.lstrip())


def _confidence_at(place: int, cue: Cue) -> float:
    number = bisect_right(cue.confidences, place, key=itemgetter(0))
    return cue.confidences[number - 1][1] if number else 1.0


def _ending_by(word: Word, duration: float) -> Word:
    if word.span.end <= duration:
        return word
    return replace(word, span=Span(word.span.start, duration))
