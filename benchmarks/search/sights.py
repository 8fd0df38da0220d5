"""Accuracy of the names that stories get from their pictures, and of their probabilities.

    python -m benchmarks.search.sights --library DIR [--write]

The library is one that `benchmarks.search.photographs` made, with the real film. Every name that
the image network proposes was judged by looking at the pictures (`queries/sights.json`). The
weights of `concepts/visual.py` are fitted to the first film of photographs and to the real film;
the second film of photographs is held out. Stories are single photographs, or as found.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks import common
from benchmarks.search.photographs import FILMS, photograph_stories
from benchmarks.search.search import QUERIES, REAL, is_right
from storyscope import Library
from storyscope.concepts import TRAINED_FILE, chance_right, visual_candidates
from storyscope.core.logistic import sigmoid
from storyscope.search import chosen_image_text, second_opinion
from storyscope.stages.naming import detections_of
from storyscope.store import PASSAGES, SCAN, VISION

CHANCE = 0.5
STEPS, PRIOR = 50, 0.1


class Sight(NamedTuple):
    """A name that the image network proposes for a story."""

    probability: float
    stands_out: float
    is_right: bool


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks/sights.*")
    options = parser.parse_args()
    library = Library(options.library)
    judged = {film: sights_of(library, film) for film in (*FILMS, REAL)}
    tuning = [sight for film, of in judged.items() for sight in of if FILMS.get(film) != "held out"]
    right = np.array([sight.is_right for sight in tuning])
    log_odds = np.array([_log_odds(sight.probability) for sight in tuning])
    stands_out = np.array([sight.stands_out for sight in tuning])
    print("CHANCE_ALONE", fitted(np.stack([log_odds], axis=1), right))
    print("CHANCE_CONFIRMED", fitted(np.stack([log_odds, stands_out], axis=1), right))
    rows = [row for film, of in judged.items() for row in counted(film, of)]
    facts = {"films": rows}
    print(table(facts))
    if options.write:
        common.write_page("sights", facts, f"# Names from pictures\n\n{table(facts)}\n")


def sights_of(library: Library, film: str) -> list[Sight]:
    """Names that the image network proposes for the stories of a film, with CLIP's scores."""
    judged = json.loads((QUERIES / "sights.json").read_text())[film]
    stories = photograph_stories(library, film) if film in FILMS else library.stories(film)
    store = library.store
    trained = store.document(TRAINED_FILE)
    seen = detections_of(store.load(film, SCAN), store.load(film, VISION), trained)
    network = chosen_image_text(library.config.search.image_text)
    ask = second_opinion(store.load(film, PASSAGES), network)
    if ask is None:
        raise SystemExit(f"{film} was indexed without CLIP; run `storyscope models get clip`")
    found = []
    for story, candidates in zip(stories, visual_candidates(stories, seen), strict=True):
        names = [c.text for c in candidates if c.text in seen.names]
        shots = np.asarray(seen.probabilities)[story.shots.start : story.shots.stop]
        opinions = (ask(story, names) if names else None) or []
        for name, stands_out in zip(names, opinions, strict=False):
            probability = float(shots[:, seen.names.index(name)].mean())
            there = is_right(story.span, judged.get(name, []))
            found.append(Sight(probability, stands_out, there))
    return found


def counted(film: str, found: list[Sight]) -> list[dict[str, object]]:
    """How many names are given, and how many are right, without and with CLIP."""
    chances = {
        "classes": [chance_right(sight.probability) for sight in found],
        "classes and CLIP": [chance_right(s.probability, s.stands_out) for s in found],
    }
    return [
        {
            "film": film,
            "half": FILMS.get(film, "tuning"),
            "by": by,
            "proposed": len(found),
            "given": sum(chance >= CHANCE for chance in of),
            "right": sum(c >= CHANCE and s.is_right for c, s in zip(of, found, strict=True)),
        }
        for by, of in chances.items()
    ]


def fitted(columns: np.ndarray, right: np.ndarray) -> tuple[float, ...]:
    """Logistic regression by Newton's method: a weight per column, and the intercept."""
    columns = np.concatenate([columns, np.ones((len(columns), 1))], axis=1)
    penalty = PRIOR * np.eye(columns.shape[1])
    penalty[-1, -1] = 0
    weights = np.zeros(columns.shape[1])
    for _ in range(STEPS):
        chance = sigmoid(columns @ weights)
        slope = columns.T @ (right - chance) - penalty @ weights
        curve = (columns * (chance * (1 - chance))[:, None]).T @ columns + penalty
        weights = weights + np.linalg.solve(curve, slope)
    return tuple(round(float(weight), 2) for weight in weights)


def table(facts: dict) -> str:
    return "\n".join(
        [
            "Names with a probability of at least one half, judged by one person.",
            "",
            "| film | half | by | proposed | given | of these right |",
            "| --- | --- | --- | ---: | ---: | ---: |",
            *(
                f"| {row['film']} | {row['half']} | {row['by']} | {row['proposed']} "
                f"| {row['given']} | {row['right']} |"
                for row in facts["films"]
            ),
            "",
            "Made by `python -m benchmarks.search.sights`.",
        ]
    )


def _log_odds(probability: float) -> float:
    odds = np.clip(probability, 0.02, 0.98)
    return float(np.log(odds / (1 - odds)))


if __name__ == "__main__":
    main()
