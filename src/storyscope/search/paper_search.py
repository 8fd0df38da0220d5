"""Search as the paper has it (`search.method = "paper"`): its R over every story of a library."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from storyscope.config import Config
from storyscope.core import Film, Hit, Mined, Ratings, Thumbnail
from storyscope.library.thumbnails import preferred
from storyscope.search.paper import nearest_concept, rank_stories
from storyscope.store import Store


def search_as_the_paper(
    store: Store, config: Config, text: str, folder: Path | None = None
) -> Iterator[Hit]:
    """Every story of every video with a transcript, scored by R; in no order.

    `folder` holds what people taught.
    """
    from storyscope.concepts import (
        TRAINED_FILE,
        load_trained,
        load_vectors,
        match_classes,
        seen_in_shots,
        term_presence,
    )

    vectors = load_vectors(config.concepts.vectors)
    taught = load_trained(folder / TRAINED_FILE) if folder else None
    query = vectors.of([text])[0][0]
    alpha = 1 - config.thumbnails.beauty
    for video in store.ready_keys("titles"):
        mined: Mined | None = store.load(video, "mined")
        words = sorted({term.text for term in mined.terms}) if mined else []
        concept = nearest_concept(query, vectors.of(words)[0])
        if mined is None or concept is None:
            continue
        film: Film = store.load(video, "scan")
        vision, ratings = store.load(video, "vision"), store.load(video, "ratings")
        seen = seen_in_shots(film.keyframes, vision, len(film.shots), trained=taught)
        match = int(match_classes([words[concept]], seen.words, vectors)[0])
        presence = term_presence(
            film.shots,
            [term for term in mined.terms if term.text == words[concept]],
            detections=seen.probabilities,
            match=match,
            sigma_seconds=config.concepts.sigma_seconds,
        )
        because = f"concept: {words[concept]}, seen as {seen.names[match]}"
        yield from _hits(store, video, film, presence, ratings, alpha, because, folder)


def _hits(
    store: Store,
    video: str,
    film: Film,
    presence: np.ndarray,
    ratings: Ratings,
    alpha: float,
    because: str,
    folder: Path | None,
) -> Iterator[Hit]:
    stories, keyframes = store.load(video, "titles"), film.keyframes
    ranked = rank_stories(
        [story.shots for story in stories], presence, keyframes.shots, ratings.beauty, alpha=alpha
    )
    for story, best in zip(stories, ranked, strict=True):
        if best is not None:
            parts = {"presence": best.presence, "beauty": best.beauty}
            seconds = float(keyframes.seconds[best.picture])
            chosen = preferred(folder, story) if folder else None
            why = f"the most beautiful frame of the best shot, beauty {best.beauty:.2f}"
            thumbnail = chosen or Thumbnail(story.id, seconds, best.beauty, parts, why)
            yield Hit(video, story, thumbnail, best.score, parts, because)
