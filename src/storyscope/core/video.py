"""A video and its shots."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

from storyscope.core.span import Span
from storyscope.errors import InvalidShot

_SUFFIXES = (
    ".mp4 .m4v .mov .qt .mkv .webm .avi .divx .mpg .mpeg .m2v .vob .ts .m2ts .mts .m2t .flv .f4v "
    ".ogv .ogm .wmv .asf .3gp .3g2 .mxf .wtv .dv .nut .ivf .rm .rmvb .gxf .h264 .264 .hevc .265 "
    ".obu"
)
VIDEO_SUFFIXES = frozenset(_SUFFIXES.split())
"""Extensions of video files, in lower case."""

TransitionKind = Literal["start", "cut", "dissolve", "fade", "wipe"]


@dataclass(frozen=True)
class Video:
    """One video file, as it was when it was indexed."""

    id: str
    path: str
    digest: str
    """Digest of the file's content: equal digests mean equal films."""
    duration: float
    frame_count: int
    fps: float
    """Average frame rate; times always come from timestamps, not from this rate."""
    width: int
    height: int
    has_sound: bool


UNCERTAIN_CUT, UNCERTAIN_GRADUAL = 0.6, 0.98
"""Confidence below which transitions are marked as uncertain."""


@dataclass(frozen=True)
class Transition:
    """How one shot changes to the next, over the frames [first_frame, end_frame).

    A cut is instantaneous: first_frame == end_frame == first frame of the new shot.
    """

    kind: TransitionKind
    first_frame: int
    end_frame: int
    confidence: float = field(default=1.0, compare=False)
    """Confidence of the detector that a new shot begins here, from 0 to 1."""

    def __post_init__(self) -> None:
        if self.kind not in get_args(TransitionKind) or self.first_frame > self.end_frame:
            raise InvalidShot(
                f"no transition is a {self.kind!r} from {self.first_frame} to {self.end_frame}"
            )

    @property
    def frame_count(self) -> int:
        return self.end_frame - self.first_frame

    @property
    def is_uncertain(self) -> bool:
        """Whether a person should check it: it may be a moving camera or object."""
        return self.confidence < (UNCERTAIN_CUT if self.kind == "cut" else UNCERTAIN_GRADUAL)


@dataclass(frozen=True)
class Shot:
    """One uninterrupted take; `transition` is the one that leads into it."""

    span: Span
    frames: range
    transition: Transition

    def __post_init__(self) -> None:
        if not self.frames or self.frames.step != 1:
            raise InvalidShot(f"a shot has at least one frame, got {self.frames}")


def shot_edges(shots: tuple[Shot, ...]) -> tuple[int, ...]:
    """First frame of every shot, and the end frame of the last: the scale for scoring."""
    return (*(shot.frames.start for shot in shots), shots[-1].frames.stop)
