"""Search by the paper's ranking R (`search.method = "paper"`) over every story of a library."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from storyscope.concepts import (
    TRAINED_FILE,
    detect_in_shots,
    load_trained,
    load_vectors,
    match_classes,
    term_presence,
)
from storyscope.config import Config
from storyscope.core import Film, Hit, Ratings, Story, Thumbnail
from storyscope.search.paper import Ranked, nearest_concept, rank_stories
from storyscope.store import MINED, RATINGS, SCAN, TITLES, VISION, Store
from storyscope.thumbnails import has_beauty

NO_BEAUTY = "beauty is not available: no ranker is trained for this image network"


def paper_hits(
    store: Store,
    config: Config,
    text: str,
    folder: Path | None = None,
    chosen_thumbnail: Callable[[Story], Thumbnail | None] = lambda story: None,
) -> Iterator[Hit]:
    """Every story of every video with a transcript, scored by R; unsorted.

    `folder` contains trained concepts; `chosen_thumbnail` returns the frame that a person chose.
    """
    vectors = load_vectors(config.concepts.vectors)
    trained = load_trained(folder / TRAINED_FILE) if folder else None
    query = vectors.of([text])[0][0]
    for video in store.ready_keys(TITLES):
        mined = store.load(video, MINED)
        words = sorted({term.text for term in mined.terms}) if mined else []
        concept = nearest_concept(query, vectors.of(words)[0])
        if mined is None or concept is None:
            continue
        film = store.load(video, SCAN)
        vision, ratings = store.load(video, VISION), store.load(video, RATINGS)
        detected = detect_in_shots(film.keyframes, vision, len(film.shots), trained=trained)
        match = int(match_classes([words[concept]], detected.words, vectors)[0])
        presence = term_presence(
            film.shots,
            [term for term in mined.terms if term.text == words[concept]],
            detections=detected.probabilities,
            match=match,
            sigma_seconds=config.concepts.sigma_seconds,
        )
        evidence = f"Concept: {words[concept]}, detected as {detected.names[match]}"
        stories = store.load(video, TITLES)
        alpha = 1 - config.thumbnails.beauty if has_beauty(ratings) else 1.0
        ranked = _rank(stories, film, presence, ratings, alpha=alpha)
        for story, best in zip(stories, ranked, strict=True):
            if best is not None:
                parts = _parts(best, has_beauty(ratings))
                thumbnail = chosen_thumbnail(story) or _thumbnail(story, film, best, parts)
                yield Hit(video, story, thumbnail, best.score, parts, evidence)


def _rank(
    stories: Sequence[Story], film: Film, presence: np.ndarray, ratings: Ratings, *, alpha: float
) -> list[Ranked | None]:
    shots = [story.shots for story in stories]
    return rank_stories(shots, presence, film.keyframes.shots, ratings.beauty, alpha=alpha)


def _parts(best: Ranked, beautiful: bool) -> dict[str, float]:
    return {"presence": best.presence} | ({"beauty": best.beauty} if beautiful else {})


def _thumbnail(story: Story, film: Film, best: Ranked, parts: dict[str, float]) -> Thumbnail:
    seconds = float(film.keyframes.seconds[best.picture])
    why = f"the most beautiful frame of the best shot, beauty {best.beauty:.2f}"
    if "beauty" not in parts:
        why = f"a frame of the best shot; {NO_BEAUTY}"
    return Thumbnail(story.id, seconds, best.beauty, parts, why)
