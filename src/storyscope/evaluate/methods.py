"""The interface of a method of story detection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from storyscope.core import Segmentation
from storyscope.evaluate.dataset import AnnotatedVideo, UnannotatedVideo


class StoryDetector(Protocol):
    """Finds the stories of videos it has not seen; must survive pickling."""

    def find(self, video: UnannotatedVideo) -> Segmentation:
        """Split the shots of the video into stories; positions are shots."""
        ...


class StoryMethod(Protocol):
    """Trains a detector on annotated videos: its weights, and any free parameter it has."""

    @property
    def name(self) -> str:
        """Its name in tables."""
        ...

    def fit(self, training: Sequence[AnnotatedVideo], *, seed: int) -> StoryDetector:
        """Train on these videos only; the same videos and seed give the same detector."""
        ...
