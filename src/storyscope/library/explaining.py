"""Explanations of the story boundaries of a library's videos."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from storyscope.config import StoryConfig
from storyscope.cues import find_cue
from storyscope.embedding import Embedding
from storyscope.stages.collection import with_embedding
from storyscope.store import TITLES
from storyscope.stories import BoundaryExplanation, StoryModel, importance
from storyscope.stories.explain import Evidence, explain_stories, gather_evidence
from storyscope.stories.relations import Rhythm, relate
from storyscope.stories.segment import chosen_cues, load_model

if TYPE_CHECKING:
    from storyscope.library.local import LocalLibrary

REACH_SECONDS, WORDS = 10.0, 8
"""Seconds around a boundary in which words are quoted, and the maximum number of words on either
side."""


def explain_boundaries(
    library: LocalLibrary, video: str, granularity: float | None = None
) -> list[BoundaryExplanation]:
    """Each boundary between the stories, or those of a granularity, with the contribution of every
    cue."""
    if granularity is None:
        stories = library.segmentation(video)
    else:
        stories = library.path(video).at(granularity)
    return explain_stories(library.explanations.evidence(video), stories)


def boundary_evidence(library: LocalLibrary, video: str) -> Evidence:
    """The evidence of every cue in a video, from which boundaries of any granularity are
    explained."""
    relations = relate(library.features(video), Rhythm.of(library.shots(video)))
    return gather_evidence(relations, _model(library))


def cue_importance(library: LocalLibrary, video: str) -> dict[str, float]:
    """How much each cue matters over the whole video, by averaged absolute gradients."""
    if (space := embedding_of(library)) is not None:
        return space.importance(library.features(video))
    model = load_model(library.config.stories.model)
    return importance(library.shots(video), library.features(video), model)


def used_cues(library: LocalLibrary, video: str) -> list[str]:
    """Names of the features that were used to detect the stories of a video."""
    there = [features.name for features in library.features(video)]
    if library.config.stories.method == "ours":
        return [name for name in there if find_cue(name).vote > 0]
    space = embedding_of(library)
    names = chosen_cues(library.config.stories.cues) if space is None else space.layout.names
    return [name for name in there if name in names]


def with_surroundings(
    library: LocalLibrary, video: str, reasons: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Explanations with the context on either side of each boundary.

    `frames` are the seconds of the last keyframe before it and of the first one after it, or None;
    `words` are those spoken before and after it.
    """
    times = sorted(seconds for _, seconds in library.picture_times(video))
    transcript = library.transcript(video)
    words = sorted(transcript.words if transcript else (), key=lambda word: word.span.middle)
    middles, texts = [word.span.middle for word in words], [word.text for word in words]
    found = []
    for reason in reasons:
        start = reason["start"]
        place = bisect_left(times, start)
        frames = (times[place - 1] if place else None, times[place] if times[place:] else None)
        here = bisect_left(middles, start)
        first = max(here - WORDS, bisect_left(middles, start - REACH_SECONDS))
        last = min(here + WORDS, bisect_left(middles, start + REACH_SECONDS))
        said = " ".join(texts[first:here]), " ".join(texts[here:last])
        found.append({**reason, "frames": list(frames), "words": list(said)})
    return found


class Explanations:
    """Explanations of a library's videos; the evidence is cached.

    Gathering the evidence takes seconds; an explanation of any granularity then takes milliseconds.
    """

    def __init__(self, library: LocalLibrary, *, remembered: int) -> None:
        self._library = library
        self._found = lru_cache(remembered)(self._find)

    def boundaries(self, video: str, granularity: float | None) -> list[dict[str, Any]]:
        """Why each story after the first begins where it does, with its context."""
        reasons = boundary_facts(explain_boundaries(self._library, video, granularity))
        return with_surroundings(self._library, video, reasons)

    def evidence(self, video: str) -> Evidence:
        """The evidence of every cue in a video."""
        return self._of(video)[0]

    def importance(self, video: str) -> dict[str, float]:
        """How much each cue matters over the whole video."""
        return dict(self._of(video)[1])

    def _of(self, video: str) -> tuple[Evidence, dict[str, float]]:
        self._library.path(video)  # Raises an error if the video is not ready.
        key = self._library.store.key(video, TITLES)
        return self._found(video, key, self._library.config.stories)

    def _find(
        self, video: str, key: str | None, settings: StoryConfig
    ) -> tuple[Evidence, dict[str, float]]:
        """The evidence for the stories with this key, by the model of these settings."""
        return boundary_evidence(self._library, video), cue_importance(self._library, video)


def boundary_facts(reasons: Sequence[BoundaryExplanation]) -> list[dict[str, Any]]:
    """Explanations as plain data: `index` is the number of the story that begins there."""
    return [
        {
            "index": number,
            "start": reason.seconds,
            "confidence": reason.confidence,
            "cues": reason.shares,
        }
        for number, reason in enumerate(reasons, start=1)
    ]


def draw_importance(title: str, shares: Mapping[str, float], path: Path) -> None:
    """Draw the bar chart of the paper's feature importance: one bar per cue, longest on top."""
    from PIL import Image, ImageDraw, ImageFont

    font, row, label, width = ImageFont.load_default(size=15), 34, 170, 560
    longest = max(shares.values())
    image = Image.new("RGB", (label + width + 80, 44 + row * len(shares)), "white")
    draw = ImageDraw.Draw(image)
    draw.text((10, 8), title, fill="black", font=font)
    ordered = sorted(shares.items(), key=lambda pair: -pair[1])
    for number, (cue, share) in enumerate(ordered):
        top = 38 + number * row
        right = label + max(1, round(width * share / longest))
        draw.text((10, top + 4), cue.replace("_", " "), fill="black", font=font)
        draw.rectangle((label, top, right, top + row - 10), fill=(31, 78, 140))
        draw.text((right + 8, top + 4), f"{share:.3f}", fill="black", font=font)
    image.save(path, "PNG")


def _model(library: LocalLibrary) -> StoryModel:
    """The library's own model; clustered stories are explained by the shipped one."""
    settings = library.config.stories
    return load_model(settings.model if settings.method == "ours" else "default")


def embedding_of(library: LocalLibrary) -> Embedding | None:
    """The embedding in which the library's stories are clustered, if they are."""
    settings = with_embedding(library.config, library.store).stories
    if settings.method != "cluster" or settings.model == "default":
        return None
    return Embedding.load(Path(settings.model))
