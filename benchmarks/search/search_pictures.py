"""Compares alternative methods of matching pictures and words with ours.

    python -m benchmarks.search.search_pictures --film FILM --truth video.json [--write]

It tries every combination of: how classes and queries are phrased for the text model, what is
subtracted from both, how many classes of a picture count, how class probabilities are normalized,
how a picture is compared with a query, and how the scores of shots are pooled into a story. The
best on the tuning half of our queries is then evaluated on the held-out half.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks import common
from benchmarks.search.search import (
    DEMO,
    QUERIES,
    REAL,
    is_held_out,
    is_right,
    prepare,
    true_stories,
)
from storyscope import Library
from storyscope.models import class_names, class_synonyms
from storyscope.search import load_text_model
from storyscope.search.classes import class_lexicon
from storyscope.search.passages import containing_story
from storyscope.store import PASSAGES, VISION

ASKED = {"as typed": "{}", "a photo of a QUERY": "a photo of a {}"}
SUBTRACTED = ("nothing", "mean of names from names", "mean of names from both")
COUNTING = (10, 1000)
AGAINST = ("nothing", "root of the film's mean", "the film's mean", "less the film's mean")
COMPARED = ("cosine of the mixture", "share of the query's classes")
SHARPNESS = 20.0
"""Temperature of the softmax over cosines that selects the classes of a query."""
POOLS = {
    "best shot": lambda values: values.max(axis=0),
    "mean of the best three": lambda values: np.sort(values, axis=0)[-3:].mean(axis=0),
    "mean of best and mean": lambda values: (values.max(axis=0) + values.mean(axis=0)) / 2,
}


class Way(NamedTuple):
    named: str
    query: str
    subtracted: str
    counting: int
    against: str
    compared: str
    pool: str


OURS = Way("a photo of a NAME", "as typed", SUBTRACTED[1], 10, AGAINST[0], COMPARED[0], "best shot")


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("--library", type=Path, help="where the films are indexed, or will be")
    parser.add_argument("--film", type=Path, help="the real film, big-buck-bunny.mp4")
    parser.add_argument("--truth", type=Path, required=True, help="its true stories, video.json")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    library = Library(options.library or tempfile.mkdtemp(prefix="search-pictures-"))
    prepare(library, options.film)
    facts = compared_with_ours(dict(tried(library, options.truth)))
    text = table(facts)
    print(text)
    if options.write:
        common.write_page("search_pictures", facts, f"# Matching pictures and words\n\n{text}\n")


def compared_with_ours(found: dict[Way, np.ndarray]) -> dict[str, object]:
    """Compare all methods with ours; `found` is the share of queries with the right story first."""
    tuning = np.array([halves[0] for halves in found.values()])
    best = max(found, key=lambda way: found[way][0].mean())
    return {
        "ways": len(found),
        "best": best._asdict(),
        "films": {
            film: {
                "worst on the tuning half": round(float(tuning[:, n].min()), 3),
                "mean on the tuning half": round(float(tuning[:, n].mean()), 3),
                "best on the tuning half": round(float(tuning[:, n].max()), 3),
                "ours on the tuning half": round(float(found[OURS][0, n]), 3),
                "ours on the held-out half": round(float(found[OURS][1, n]), 3),
                "best of both on the tuning half": round(float(found[best][0, n]), 3),
                "the same on the held-out half": round(float(found[best][1, n]), 3),
            }
            for n, film in enumerate((DEMO, REAL))
        },
    }


def table(facts: dict) -> str:
    films = facts["films"]
    return "\n".join(
        [
            f"{facts['ways']} methods; share of queries with the right story first, by pictures "
            "alone.",
            "",
            f"| | {' | '.join(films)} |",
            f"| --- |{' ---: |' * len(films)}",
            *(
                f"| {row} | {' | '.join(f'{film[row]:.3f}' for film in films.values())} |"
                for row in films[REAL]
            ),
            "",
            "Best of both films: " + "; ".join(f"{k}: {v}" for k, v in facts["best"].items()) + ".",
        ]
    )


def tried(library: Library, truth: Path) -> Iterator[tuple[Way, np.ndarray]]:
    model = load_text_model(library.config.search.text_model)
    names = {way: model.encode(texts) for way, texts in class_texts().items()}
    films = [Pictured(library, film, truth) for film in (DEMO, REAL)]
    asked = {
        way: [model.encode([form.format(text) for text in film.texts]) for film in films]
        for way, form in ASKED.items()
    }
    ways = product(names, ASKED, SUBTRACTED, COUNTING, AGAINST, COMPARED)
    for named, query, less, top, against, how in ways:
        mean = names[named].mean(axis=0)
        classes = names[named] - (0 if less == "nothing" else mean)
        fits = []
        for film, texts in zip(films, asked[query], strict=True):
            words = unit(texts - mean) if less == SUBTRACTED[2] else texts
            fits.append(compared(film.weights(top, against), classes, words, how))
        for pool in POOLS:
            found = [film.right_first(f, pool) for film, f in zip(films, fits, strict=True)]
            yield Way(named, query, less, top, against, how, pool), np.array(found).T


def class_texts() -> dict[str, list[str]]:
    concepts = class_lexicon().items()
    wider = [
        sorted((len(c), name) for name, c in concepts if n in c and len(c) > 1)[:2]
        for n in range(len(class_names()))
    ]
    return {
        "a photo of a NAME": [f"a photo of a {name}" for name in class_names()],
        "NAME": list(class_names()),
        "all its names": [", ".join(names) for names in class_synonyms()],
        "NAME and two wider": [
            ", ".join([name, *(other for _, other in around)])
            for name, around in zip(class_names(), wider, strict=True)
        ],
    }


def compared(weights: np.ndarray, classes: np.ndarray, words: np.ndarray, how: str) -> np.ndarray:
    """Score of each shot for each query, from the weights of its classes: [shots, queries]."""
    if how == COMPARED[0]:
        return np.asarray(unit(weights @ classes) @ words.T)
    meant = np.exp(SHARPNESS * (unit(classes) @ words.T))
    return np.asarray(weights @ (meant / meant.sum(axis=0)))


class Pictured:
    """The image network's output for a film's shots, and the film's queries."""

    def __init__(self, library: Library, film: str, truth: Path) -> None:
        stories = true_stories(library, film, truth) or library.stories(film)
        seen, filed = library.store.load(film, VISION), library.store.load(film, PASSAGES)
        _, starts = np.unique(filed.shots, return_index=True)
        counts = np.diff([*starts, len(filed.shots)])
        posteriors = np.asarray(seen.posteriors, np.float32)
        totals = np.add.reduceat(posteriors, starts, axis=0)
        self.posteriors = totals / counts[:, None]
        self.owners = containing_story(filed.seconds[starts + counts // 2], stories)
        marked = json.loads((QUERIES / f"{film}.json").read_text())["queries"]
        self.texts = [query["text"] for query in marked]
        self.held_out = np.array([is_held_out(text) for text in self.texts])
        self.right = np.array([[is_right(s.span, q["answers"]) for s in stories] for q in marked])

    def weights(self, top: int, against: str) -> np.ndarray:
        mean = self.posteriors.mean(axis=0)
        weights = {
            AGAINST[0]: lambda: self.posteriors,
            AGAINST[1]: lambda: self.posteriors / np.sqrt(mean + 1e-4),
            AGAINST[2]: lambda: self.posteriors / (mean + 1e-4),
            AGAINST[3]: lambda: np.maximum(self.posteriors - mean, 0),
        }[against]()
        weakest = np.sort(weights, axis=1)[:, -top, None]
        kept = np.where(weights >= weakest, weights, 0)
        return np.asarray(kept / np.maximum(kept.sum(axis=1, keepdims=True), 1e-9))

    def right_first(self, fits: np.ndarray, pool: str) -> tuple[float, float]:
        """Share of queries with the right story first, by half; `fits` is [shots, queries]."""
        stories = np.full((self.right.shape[1], len(self.texts)), -1.0)
        for story in np.unique(self.owners[self.owners >= 0]):
            stories[story] = POOLS[pool](fits[self.owners == story])
        first = self.right[np.arange(len(self.texts)), stories.argmax(axis=0)]
        return float(first[~self.held_out].mean()), float(first[self.held_out].mean())


def unit(rows: np.ndarray) -> np.ndarray:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9))


if __name__ == "__main__":
    main()
