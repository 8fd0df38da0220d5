"""Choose the weights by which CLIP's pictures and a text are matched, on tuning queries alone.

    python -m benchmarks.search.fit_pictures --library DIR --truth video.json

The library is one that `benchmarks.search.photographs` made, with the real film, of which there are
more tuning queries than that benchmark asks (`queries/big-buck-bunny-tuning.json`). For every
weight of contrast and of classes (`search/image_match.py`) the threshold is the lowest at which
96 % of the off-topic tuning queries stay unanswered on both films. Printed are the weights under
which most tuning queries then have their right story first, and the slope that makes the
probabilities likeliest.
"""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks import common
from benchmarks.search.photographs import photograph_stories
from benchmarks.search.search import QUERIES, REAL, is_held_out, is_right, true_stories
from storyscope import Library
from storyscope.core import Story
from storyscope.models import class_names
from storyscope.search.classes import conse
from storyscope.search.image_match import MIN_PROBABILITY
from storyscope.search.image_text import CLIP, load_image_text
from storyscope.search.passages import containing_story
from storyscope.search.text_model import load_text_model
from storyscope.store import PASSAGES

SILENT = 0.96
CONTRASTS = tuple(number / 30 for number in range(7))
CLASS_WEIGHTS = (0.0, 0.1, 0.2, 0.3, 0.4)
SHOWN = 8


class Matches(NamedTuple):
    """How each text matches each keyframe of a film, by each measure: [texts, keyframes]."""

    cosine: np.ndarray
    contrast: np.ndarray
    classes: np.ndarray
    owner: np.ndarray
    """The story of each keyframe, -1 for none and for those that were not looked at."""
    right: np.ndarray
    """bool [texts, stories]: nothing is right for the off-topic ones."""

    def fits(self, contrast: float, classes: float) -> np.ndarray:
        """The fit of each text to the best keyframe of each story."""
        fit = self.cosine + contrast * self.contrast + classes * self.classes
        stories = range(self.right.shape[1])
        return np.stack(
            [fit[:, self.owner == story].max(axis=1, initial=-1) for story in stories], axis=1
        )


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--truth", type=Path, required=True, help="the real film's true stories")
    options = parser.parse_args()
    library = Library(options.library)
    films = [
        matches(library, "photographs-a", photograph_stories(library, "photographs-a"), whole=True),
        matches(library, REAL, true_stories(library, REAL, options.truth), whole=False),
    ]
    found = [tried(films, *weights) for weights in product(CONTRASTS, CLASS_WEIGHTS)]
    for line in sorted(found, reverse=True)[:SHOWN]:
        mean, firsts, contrast, classes, least, slope = line
        share = ", ".join(f"{first:.3f}" for first in firsts)
        print(
            f"right first {mean:.3f} ({share}): CONTRAST {contrast:.4f}, CLASSES {classes:.1f}, "
            f"MIN_FIT {least:.3f}, SLOPE {slope:.1f}"
        )


def tuning_queries(film: str, stories: list[Story], *, whole: bool) -> tuple[list[str], np.ndarray]:
    """A film's tuning queries, or all of them for a `whole` film, then the off-topic ones.

    With them bool [texts, stories]: which story is right.
    """
    marked = json.loads((QUERIES / f"{film}.json").read_text())["queries"]
    marked = [query for query in marked if whole or not is_held_out(query["text"])]
    more = QUERIES / f"{film}-tuning.json"
    if more.exists():
        marked += json.loads(more.read_text())["queries"]
    off = json.loads((QUERIES / "off-topic.json").read_text())["queries"]
    texts = [query["text"] for query in marked] + [text for text in off if not is_held_out(text)]
    right = np.zeros((len(texts), len(stories)), bool)
    for number, query in enumerate(marked):
        right[number] = [is_right(story.span, query["answers"]) for story in stories]
    return texts, right


def matches(library: Library, film: str, stories: list[Story], *, whole: bool) -> Matches:
    """How a film's keyframes match its tuning queries, by each measure."""
    texts, right = tuning_queries(film, stories, whole=whole)
    network, model = load_image_text(CLIP), load_text_model("minilm")
    passages = library.store.load(film, PASSAGES)
    mean, deviation = passages.backgrounds.astype(np.float32).T
    owner = np.where(deviation > 0, containing_story(passages.seconds, stories), -1)
    cosine = network.encode_texts(texts) @ passages.looks.astype(np.float32).T
    names = model.encode(class_names())
    shots = conse(passages.classes, passages.shares, names - names.mean(axis=0))
    return Matches(
        cosine,
        (cosine - mean) / np.where(deviation > 0, deviation, 1),
        model.encode(texts) @ shots.T,
        owner,
        right,
    )


def tried(
    films: list[Matches], contrast: float, classes: float
) -> tuple[float, list[float], float, float, float, float]:
    """The mean and each film's share of right stories first, the weights, threshold and slope."""
    fits = [film.fits(contrast, classes) for film in films]
    on_topic = [film.right.any(axis=1) for film in films]
    least = max(
        float(np.sort(fit[~on].max(axis=1))[int(np.ceil(SILENT * (~on).sum())) - 1])
        for fit, on in zip(fits, on_topic, strict=True)
    )
    firsts = []
    for film, fit, on in zip(films, fits, on_topic, strict=True):
        best = fit[on].argmax(axis=1)
        first = film.right[on][np.arange(len(best)), best]
        firsts.append(float((first & (fit[on].max(axis=1) > least)).mean()))
    slope = likeliest_slope(
        np.concatenate([fit.ravel() for fit in fits]),
        np.concatenate([film.right.ravel() for film in films]),
        least,
    )
    return float(np.mean(firsts)), firsts, contrast, classes, least, slope


def likeliest_slope(fits: np.ndarray, right: np.ndarray, least: float) -> float:
    """The slope under which what is answered is as right as its probability says."""
    answered = fits > least
    lead, truth = fits[answered] - least, right[answered]
    offset = np.log(MIN_PROBABILITY / (1 - MIN_PROBABILITY))
    slopes = np.linspace(1, 60, 119)
    log_odds = slopes[:, None] * lead + offset
    likelihood = -np.logaddexp(0, np.where(truth, -log_odds, log_odds)).sum(axis=1)
    return float(slopes[likelihood.argmax()])


if __name__ == "__main__":
    main()
