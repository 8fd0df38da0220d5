"""Choose the weights by which CLIP's pictures and a text are matched, on tuning queries alone.

    python -m benchmarks.search.fit_pictures --library DIR --truth video.json

The library is one that `benchmarks.search.photographs` made, with the real film. There are more
tuning queries than that benchmark asks, on-topic and off-topic (`queries/*-tuning.json`). For every
weight of contrast and of classes (`search/image_match.py`), thresholds are the lowest at which 94
to 97 % of the off-topic tuning queries stay unanswered on both films: the mean over several depends
less on a single query. Printed are the weights in use, and those under which most tuning queries
then have their right story first, by the geometric mean of the two films; the threshold at 96 %;
and the slope that makes the probabilities likeliest. The same is printed for each weight of one
more measure, which search does not use: the class names that CLIP itself finds closest to a
picture, compared with the text as the classes of the image network are.
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
from storyscope.search.classes import conse, embed_classes
from storyscope.search.image_match import CLASSES, CONTRAST, MIN_FIT, MIN_PROBABILITY
from storyscope.search.image_text import CLIP, load_image_text, name_vectors
from storyscope.search.passages import containing_story, shot_classes, shot_image_vectors
from storyscope.search.text_model import load_text_model
from storyscope.store import PASSAGES

SILENT = 0.96
SILENCES = (0.94, 0.95, SILENT, 0.97)
CONTRASTS = tuple(number / 60 for number in range(6))
CLASS_WEIGHTS = (0.0, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4)
NAME_WEIGHTS = (0.0, 0.05, 0.1, 0.2)
NAMES_KEPT, NAME_TEMPERATURE = 20, 0.05
"""How many names CLIP's cosines are made probabilities of, and how sharply."""
SHOWN = 3


class Matches(NamedTuple):
    """How each text matches each shot of a film, by each measure: [texts, shots]."""

    cosine: np.ndarray
    contrast: np.ndarray
    classes: np.ndarray
    names: np.ndarray
    owner: np.ndarray
    """The story of each shot, -1 for none and for those that were not encoded."""
    right: np.ndarray
    """bool [texts, stories]: nothing is right for the off-topic ones."""

    def fits(self, contrast: float, classes: float, names: float = 0.0) -> np.ndarray:
        """The fit of each text to the best shot of each story."""
        fit = self.cosine + contrast * self.contrast + classes * self.classes
        fit = fit + names * self.names
        stories = range(self.right.shape[1])
        return np.stack(
            [fit[:, self.owner == story].max(axis=1, initial=-1) for story in stories], axis=1
        )


class Trial(NamedTuple):
    """What some weights give, and the weights."""

    mean: float
    """Geometric mean of the films."""
    firsts: list[float]
    """Each film's share of queries with their right story first."""
    contrast: float
    classes: float
    names: float
    threshold: float
    slope: float

    def __str__(self) -> str:
        share = ", ".join(f"{first:.3f}" for first in self.firsts)
        return (
            f"right first {self.mean:.3f} ({share}): CONTRAST {self.contrast:.4f}, "
            f"CLASSES {self.classes:.2f}, MIN_FIT {self.threshold:.3f}, SLOPE {self.slope:.1f}"
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
    print(f"in use, MIN_FIT {MIN_FIT}:\n  {tried(films, CONTRAST, CLASSES)}")
    for names in NAME_WEIGHTS:
        found = [tried(films, *weights, names) for weights in product(CONTRASTS, CLASS_WEIGHTS)]
        print(f"weight of CLIP's own class names {names:.2f}:")
        for trial in sorted(found, reverse=True)[:SHOWN]:
            print(f"  {trial}")


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
    off = [text for text in off if not is_held_out(text)]
    off += json.loads((QUERIES / "off-topic-tuning.json").read_text())["queries"]
    texts = [query["text"] for query in marked] + off
    right = np.zeros((len(texts), len(stories)), bool)
    for number, query in enumerate(marked):
        right[number] = [is_right(story.span, query["answers"]) for story in stories]
    return texts, right


def matches(library: Library, film: str, stories: list[Story], *, whole: bool) -> Matches:
    """How a film's shots match its tuning queries, by each measure."""
    texts, right = tuning_queries(film, stories, whole=whole)
    network, model = load_image_text(CLIP), load_text_model("minilm")
    passages = library.store.load(film, PASSAGES)
    asked = network.encode_texts(texts)
    seconds, classes, shares = shot_classes(passages)
    pictures, backgrounds = shot_image_vectors(passages, asked.shape[1])
    mean, deviation = backgrounds.T
    cosine = asked @ pictures.T
    names = embed_classes(model, class_names())
    words = model.encode(texts)
    return Matches(
        cosine,
        (cosine - mean) / np.where(deviation > 0, deviation, 1),
        words @ conse(classes, shares, names).T,
        words @ conse(*clip_classes(pictures @ name_vectors(network).T), names).T,
        np.where(deviation > 0, containing_story(seconds, stories), -1),
        right,
    )


def clip_classes(cosines: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The class names that are closest to each picture, and their probabilities."""
    best = np.argsort(-cosines, axis=1)[:, :NAMES_KEPT]
    near = np.take_along_axis(cosines, best, axis=1) / NAME_TEMPERATURE
    shares = np.exp(near - near.max(axis=1, keepdims=True))
    return best, shares / shares.sum(axis=1, keepdims=True)


def tried(films: list[Matches], contrast: float, classes: float, names: float = 0.0) -> Trial:
    """What some weights give."""
    fits = [film.fits(contrast, classes, names) for film in films]
    off_topic = [
        np.sort(fit[~film.right.any(axis=1)].max(axis=1))
        for film, fit in zip(films, fits, strict=True)
    ]
    least = {
        silent: max(float(off[int(np.ceil(silent * len(off))) - 1]) for off in off_topic)
        for silent in SILENCES
    }
    firsts = []
    for film, fit in zip(films, fits, strict=True):
        on = film.right.any(axis=1)
        best = fit[on].argmax(axis=1)
        first = film.right[on][np.arange(len(best)), best]
        answered = fit[on].max(axis=1) > np.array(list(least.values()))[:, None]
        firsts.append(float((first & answered).mean()))
    slope = likeliest_slope(
        np.concatenate([fit.ravel() for fit in fits]),
        np.concatenate([film.right.ravel() for film in films]),
        least[SILENT],
    )
    return Trial(
        float(np.prod(firsts) ** (1 / len(firsts))),
        firsts,
        contrast,
        classes,
        names,
        least[SILENT],
        slope,
    )


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
