"""What other ways of comparing pictures with words would give, on the tuning half of our queries.

    python benchmarks/search_pictures.py --library DIR --truth video.json [--write]

Every combination of: how a class is named to the text model, how a query is, what is subtracted
from both, how many classes of a picture count, whether common classes count less, and how shots
make a story. The films must be indexed in DIR (`benchmarks/search.py` does that).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np

from search import DEMO, QUERIES, REAL, RESULTS, is_held_out, is_right, true_stories
from storyscope import Library
from storyscope.models import class_names, class_synonyms
from storyscope.search import load_text_model, owner_of

NAMES = {
    "a photo of a NAME": [f"a photo of a {name}" for name in class_names()],
    "NAME": list(class_names()),
    "all its names": [", ".join(names) for names in class_synonyms()],
}
ASKED = {"as typed": "{}", "a photo of a QUERY": "a photo of a {}"}
SUBTRACTED = ("nothing", "mean of names from names", "mean of names from both")
COUNTING = (10, 50, 1000)
PRIOR = (0.0, 0.5, 1.0)
"""Power of a class's mean probability in the film that its probability is divided by."""
POOLS = {
    "best shot": lambda values: values.max(axis=0),
    "mean of the best three": lambda values: np.sort(values, axis=0)[-3:].mean(axis=0),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--truth", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    library = Library(options.library)
    rows = list(tried(library, options.truth))
    first = np.array([row[-2:] for row in rows], float)
    lines = [
        f"{len(rows)} ways tried, right story first on the tuning half.",
        "",
        "| film | worst | mean | best |",
        "| --- | ---: | ---: | ---: |",
    ]
    for name, column in zip((DEMO, REAL), first.T, strict=True):
        lines.append(f"| {name} | {column.min():.3f} | {column.mean():.3f} | {column.max():.3f} |")
    text = "\n".join(lines)
    print(text)
    if options.write:
        (RESULTS / "search_pictures.md").write_text(f"# Pictures and words\n\n{text}\n")
        (RESULTS / "search_pictures.json").write_text(json.dumps(rows, indent=0) + "\n")


def tried(library: Library, truth: Path) -> Iterator[tuple[object, ...]]:
    model = load_text_model(library.config.search.text_model)
    names = {way: model.encode(texts) for way, texts in NAMES.items()}
    films = [Pictured(library, film, truth) for film in (DEMO, REAL)]
    asked = {
        way: [model.encode([form.format(text) for text in film.texts]) for film in films]
        for way, form in ASKED.items()
    }
    for named, query, less, top, power in product(NAMES, ASKED, SUBTRACTED, COUNTING, PRIOR):
        mean = names[named].mean(axis=0)
        classes = names[named] - (0 if less == "nothing" else mean)
        cosines = []
        for film, texts in zip(films, asked[query], strict=True):
            words = unit(texts - mean) if less == SUBTRACTED[2] else texts
            cosines.append(film.looks(classes, top, power) @ words.T)
        for pool in POOLS:
            found = [film.right_first(c, pool) for film, c in zip(films, cosines, strict=True)]
            yield named, query, less, top, power, pool, *found


class Pictured:
    """A film's shots as the image network sees them, and the tuning half of its queries."""

    def __init__(self, library: Library, film: str, truth: Path) -> None:
        stories = true_stories(library, film, truth) or library.stories(film)
        seen, filed = library.store.load(film, "vision"), library.store.load(film, "passages")
        _, starts = np.unique(filed.shots, return_index=True)
        counts = np.diff([*starts, len(filed.shots)])
        totals = np.add.reduceat(seen.posteriors.astype(np.float32), starts, axis=0)
        self.posteriors = totals / counts[:, None]
        self.owners = owner_of(filed.seconds[starts + counts // 2], stories)
        marked = json.loads((QUERIES / f"{film}.json").read_text())["queries"]
        tuning = [query for query in marked if not is_held_out(query["text"])]
        self.texts = [query["text"] for query in tuning]
        self.right = np.array([[is_right(s.span, q["answers"]) for s in stories] for q in tuning])

    def looks(self, classes: np.ndarray, top: int, power: float) -> np.ndarray:
        weights = self.posteriors / (self.posteriors.mean(axis=0) + 1e-4) ** power
        weakest = np.sort(weights, axis=1)[:, -top, None]
        return unit(np.where(weights >= weakest, weights, 0) @ classes)

    def right_first(self, cosines: np.ndarray, pool: str) -> float:
        """`cosines` are those of shots with queries."""
        stories = np.full((self.right.shape[1], len(self.texts)), -1.0)
        for story in np.unique(self.owners[self.owners >= 0]):
            stories[story] = POOLS[pool](cosines[self.owners == story])
        first = self.right[np.arange(len(self.texts)), stories.argmax(axis=0)]
        return round(float(first.mean()), 3)


def unit(rows: np.ndarray) -> np.ndarray:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9))


if __name__ == "__main__":
    main()
