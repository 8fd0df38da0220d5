"""The thumbnails that people choose, and the ranker trained on them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any

import numpy as np

from storyscope.core import Story, Thumbnail, format_time
from storyscope.errors import DamagedVideo, LibraryError, VideoBusy
from storyscope.library.documents import JsonDocument
from storyscope.stages.executor import given, stage_key
from storyscope.stages.indexing import RATE_PICTURES
from storyscope.stages.rankers import RANKER_FILE, base_ranker
from storyscope.store import PASSAGES, RATINGS, SCAN, VISION, Store
from storyscope.thumbnails import Choice, Ranker, prefer, rate_beauty


def _checked(kept: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {name: choice[name] for name in ("video", "start", "end", "seconds")} for choice in kept
    ]


CHOICES: JsonDocument[list[dict[str, Any]]] = JsonDocument("thumbnails.json", _checked, list)
"""The frames that people chose for stories."""
LOCK = "thumbnails"
"""Held by the process that trains the ranker on chosen frames."""


def preferred(store: Store, story: Story) -> Thumbnail | None:
    """The frame that a person chose for a story, or None."""
    for choice in CHOICES.read_or_empty(store):
        if choice["video"] == story.video and choice["seconds"] in story.span:
            why = "a person prefers it"
            return Thumbnail(story.id, choice["seconds"], 1.0, {"preferred": 1.0}, why)
    return None


def prefer_frame(store: Store, story: Story, seconds: float) -> float:
    """Store a person's choice, retrain the ranker on all choices, and rate every video again.

    Returns the time of the keyframe that is nearest to `seconds` in the story.
    """
    passages = store.load(story.video, PASSAGES)
    inside = [float(second) for second in passages.seconds if second in story.span]
    if seconds not in story.span or not inside:
        times = f"{format_time(story.span.start)} to {format_time(story.span.end)}"
        raise LibraryError(f"{story.id} runs from {times}; choose a frame in it")
    taken = min(inside, key=lambda second: abs(second - seconds))
    span = story.span
    choice = {"video": story.video, "start": span.start, "end": span.end, "seconds": taken}
    with CHOICES.change(store) as choices:
        choices[:] = [
            other
            for other in choices
            if other["video"] != story.video or other["seconds"] not in span
        ]
        choices.append(choice)
    learn(store)
    return taken


def learn(store: Store) -> None:
    """Train the ranker on every chosen frame, for all or in people's own versions of the
    stories."""
    with store.lock(LOCK):
        choices = [*CHOICES.read_or_empty(store), *_in_versions(store)]
        ranker = prefer(base_ranker(store), _examples(store, choices))
        store.put_document(RANKER_FILE, f"{ranker.to_json()}\n".encode())
        for video in store.ready_keys(RATINGS):
            # A process that indexes a video uses the new ranker.
            with suppress(VideoBusy, DamagedVideo), store.busy(video):
                _rate_anew(store, video, ranker)


def forget_choices(store: Store, video: str) -> None:
    """Delete the choices for a video that is removed; the ranker keeps what it learned."""
    if any(choice["video"] == video for choice in CHOICES.read_or_empty(store)):
        with CHOICES.change(store) as choices:
            choices[:] = [choice for choice in choices if choice["video"] != video]


def _rate_anew(store: Store, video: str, ranker: Ranker) -> None:
    """Rate the keyframes with another ranker, as indexing the video again would."""
    record = store.record(video)
    if record is None or record.state != "ready":
        return
    ratings = store.load(video, RATINGS)
    seen = store.load(video, VISION)
    film, vision = (given(None, key=store.key(video, made) or "") for made in (SCAN, VISION))
    key = stage_key(RATE_PICTURES, (film, vision, given(ranker, key=ranker.digest)))
    # An interrupted run may have left ratings made with another network.
    if key != store.key(video, RATINGS) and ratings.producer.endswith(f" on {seen.producer}"):
        store.save(video, RATINGS, key, rate_beauty(ratings, seen, ranker))


def _examples(store: Store, choices: Sequence[dict[str, Any]]) -> list[Choice]:
    examples = []
    known = store.ready_keys(VISION)
    for choice in choices:
        if choice["video"] not in known:
            continue
        try:
            seconds = store.load(choice["video"], PASSAGES).seconds
            seen = store.load(choice["video"], VISION)
        except DamagedVideo:  # The ranker can still be trained on choices in other videos.
            continue
        taken = int(np.abs(seconds - choice["seconds"]).argmin())
        inside = (seconds >= choice["start"]) & (seconds < choice["end"])
        inside[taken] = False
        examples.append((seen.hypercolumns[taken], seen.hypercolumns[inside]))
    return examples


def _in_versions(store: Store) -> Iterator[dict[str, Any]]:
    """The frames that people chose while they corrected the stories."""
    for video in store.ready_keys(VISION):
        for text in store.annotations(video).values():
            facts = json.loads(text)
            edges = [*facts["starts"], facts["end"]]
            for seconds, (start, end) in zip(facts["thumbnails"], pairwise(edges), strict=False):
                if seconds is not None:
                    yield {"video": video, "start": start, "end": end, "seconds": seconds}
