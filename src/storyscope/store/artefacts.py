"""What a store keeps of a video: the artefact of each stage, by name and type.

They stand here, below the stages that make them, so that whoever reads one need not know how it
is made.
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
    Story,
    StoryPath,
    Transcript,
    VisionOutput,
)

Value = TypeVar("Value", covariant=True)


@dataclass(frozen=True)
class Artefact(Generic[Value]):
    """A name under which values of one type are kept, one for each video."""

    name: str


SCAN: Artefact[Film] = Artefact("scan")
"""Shots, keyframes and sound, from decoding the file once."""
TRANSCRIPT: Artefact[Transcript | None] = Artefact("transcript")
"""What is said; None where no words are known."""
SCREEN: Artefact[Transcript | None] = Artefact("screen")
"""What is written in the pictures; None where nobody asked for it."""
VISION: Artefact[VisionOutput] = Artefact("vision")
"""What the image network sees in the keyframes."""
LOOKS: Artefact[Looks | None] = Artefact("looks")
"""Keyframes as an image-text model encodes them; None where there is no such model."""
MINED: Artefact[Mined | None] = Artefact("mined")
"""Nouns and noun phrases of the transcript; None without words or without a grammar."""
CONCEPTS: Artefact[tuple[Features, ...]] = Artefact("concepts")
"""The paper's two semantic features, where there are terms and word vectors."""
STORIES: Artefact[StoryPath] = Artefact("stories")
"""The stories at every granularity, and how sure each boundary is."""
PASSAGES: Artefact[Passages] = Artefact("passages")
"""What is said, written and seen, as search files it."""
RATINGS: Artefact[Ratings] = Artefact("ratings")
"""How well each keyframe would stand for its story."""
TITLES: Artefact[tuple[Story, ...]] = Artefact("titles")
"""The stories with their titles and keywords."""
