"""What a method of story detection must offer to be judged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from storyscope.core import Segmentation
from storyscope.evaluate.dataset import AnnotatedVideo, UnannotatedVideo


class StoryDetector(Protocol):
    """Finds the stories of videos it has not seen; must survive pickling."""

    def find(self, video: UnannotatedVideo) -> Segmentation:
        """Part the shots of the video into stories; positions are shots."""
        ...


class StoryMethod(Protocol):
    """Learns a detector from annotated videos: its weights, and any free parameter it has."""

    @property
    def name(self) -> str:
        """How tables call it."""
        ...

    def fit(self, training: Sequence[AnnotatedVideo], *, seed: int) -> StoryDetector:
        """Learn from these videos only; the same videos and seed give the same detector."""
        ...
