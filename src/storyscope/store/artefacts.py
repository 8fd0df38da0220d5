"""The artefacts of a video in a store, by name and type.

They are declared here, below the stages that make them, so that readers need not know how they are
made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from storyscope.core import (
    Features,
    Film,
    Looks,
    Mined,
    Passages,
    Ratings,
    Span,
    Story,
    StoryPath,
    Transcript,
    VisionOutput,
)

Value = TypeVar("Value", covariant=True)


@dataclass(frozen=True)
class Artefact(Generic[Value]):
    """A name under which values of one type are stored, one for each video."""

    name: str


SCAN: Artefact[Film] = Artefact("scan")
"""Shots, keyframes and sound, from decoding the file once."""
TRANSCRIPT: Artefact[Transcript | None] = Artefact("transcript")
"""The transcript; None if there is none."""
VOICE: Artefact[tuple[Span, ...] | None] = Artefact("voice")
"""When somebody speaks; None if there is a transcript or no speech was found."""
SCREEN: Artefact[Transcript | None] = Artefact("screen")
"""Text on screen; None if it was not recognised."""
SOUNDS: Artefact[Transcript | None] = Artefact("sounds")
"""Kinds of sound that are heard; None without a model for them."""
VISION: Artefact[VisionOutput] = Artefact("vision")
"""Output of the image network for the keyframes."""
LOOKS: Artefact[Looks | None] = Artefact("looks")
"""Keyframes encoded by an image-text model; None if there is no such model."""
MINED: Artefact[Mined | None] = Artefact("mined")
"""Nouns and noun phrases of the transcript; None without a transcript or a tagger."""
CONCEPTS: Artefact[tuple[Features, ...]] = Artefact("concepts")
"""The paper's two semantic features, if there are terms and word vectors."""
STORIES: Artefact[StoryPath] = Artefact("stories")
"""The stories at every granularity, and the confidence of each boundary."""
PASSAGES: Artefact[Passages] = Artefact("passages")
"""Transcript, on-screen text and keyframes, prepared for search."""
RATINGS: Artefact[Ratings] = Artefact("ratings")
"""How suitable each keyframe is as a thumbnail."""
TITLES: Artefact[tuple[Story, ...]] = Artefact("titles")
"""The stories with their titles and keywords."""
