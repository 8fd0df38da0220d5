"""Why the stories of a library's video are where they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from storyscope.embedding import Embedding
from storyscope.stages.collection import with_embedding
from storyscope.stories import BoundaryExplanation, StoryModel, explain, importance
from storyscope.stories.segment import load_model

if TYPE_CHECKING:
    from storyscope.library.local import LocalLibrary


def explain_boundaries(library: LocalLibrary, video: str) -> list[BoundaryExplanation]:
    """Each boundary between the machine's stories, with what every cue adds to its score."""
    model = _model(library)
    stories = library.segmentation(video)
    return explain(library.shots(video), library.features(video), model, stories=stories)


def cue_importance(library: LocalLibrary, video: str) -> dict[str, float]:
    """How much each cue matters over the whole video, by averaged absolute gradients."""
    if (space := embedding_of(library)) is not None:
        return space.importance(library.features(video))
    model = load_model(library.config.stories.model)
    return importance(library.shots(video), library.features(video), model)


def boundary_facts(reasons: Sequence[BoundaryExplanation]) -> list[dict[str, Any]]:
    """Explanations as plain facts: `index` is the number of the story that begins there."""
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
    """Write the bar chart of the paper's feature importance: one bar a cue, longest on top."""
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
    """The library's own model; stories that were clustered are explained by the one that ships."""
    settings = library.config.stories
    return load_model(settings.model if settings.method == "ours" else "default")


def embedding_of(library: LocalLibrary) -> Embedding | None:
    """The embedding in which the library's stories are clustered, where they are."""
    settings = with_embedding(library.config, library.store).stories
    if settings.method != "cluster" or settings.model == "default":
        return None
    return Embedding.load(Path(settings.model))
