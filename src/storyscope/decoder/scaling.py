"""Decoded frames to RGB bytes, scaled inside swscale (runs inside the decoding process)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from storyscope.decoder.orientation import TRANSPOSE, turn_of

SMALL_WIDTH, SMALL_HEIGHT = 48, 27
"""Size of the frames that the shot detector sees."""
WIDEST = 16
"""Maximum aspect ratio of pictures, whatever that of the film is."""
HD_HEIGHT = 720
UNSPECIFIED_COLOURS = 2
PLANAR_420 = frozenset(("yuv420p", "yuvj420p", "yuv420p10le", "yuv420p12le", "nv12", "p010le"))


@dataclass(frozen=True)
class Look:
    """How a film's stored frames are displayed; the same for the whole file."""

    width: int
    """Size when upright, with square pixels."""
    height: int
    turn: int
    hd_colours: bool
    """Colour space of HD television (BT.709), assumed for files of that size without a
    statement."""


def look_of(frame: Any, pixel_aspect: Any) -> Look:
    """The display properties of a film, from its first frame and its pixel aspect ratio."""
    side = frame.side_data.get("DISPLAYMATRIX")
    turn = turn_of(None if side is None else bytes(side))
    aspect = float(pixel_aspect) if pixel_aspect and 1 / 16 < pixel_aspect < 16 else 1.0
    width, height = max(1, round(frame.width * aspect)), frame.height
    if turn & TRANSPOSE:
        width, height = height, width
    says_nothing = frame.colorspace == UNSPECIFIED_COLOURS and frame.format.name.startswith("yuv")
    return Look(width, height, turn, says_nothing and frame.height >= HD_HEIGHT)


@dataclass(frozen=True)
class Scaled:
    """One RGB picture as it is in memory; the film's turn rotates it upright."""

    plane: Any
    width: int
    height: int
    stride: int


class Scaler:
    """Scales frames down; one per file, because swscale keeps its tables between frames."""

    def __init__(self, look: Look, *, picture_height: int) -> None:
        from av.video.reformatter import Colorspace, Interpolation, VideoReformatter

        self._small, self._planes, self._colours = (VideoReformatter() for _ in range(3))
        self._turn = look.turn
        self._small_size = _stored(SMALL_WIDTH, SMALL_HEIGHT, look.turn)
        picture_width = 2 * round(picture_height * look.width / look.height / 2)
        narrowest, widest = max(2, picture_height // WIDEST), WIDEST * picture_height
        self._picture_size = _stored(
            min(max(narrowest, picture_width), widest), picture_height, look.turn
        )
        self._colourspace = Colorspace.ITU709 if look.hd_colours else None
        self._area, self._bilinear = Interpolation.AREA, Interpolation.BILINEAR

    def small(self, frame: Any) -> Scaled:
        """The frame at 48 x 27, averaging every stored pixel."""
        return self._rgb(self._small, frame, self._small_size, self._area)

    def picture(self, frame: Any) -> Scaled:
        """The frame at the picture height, with the film's aspect ratio."""
        if frame.format.name in PLANAR_420:
            # swscale has no fast path that scales and converts to RGB at once: scaling the planes
            # and then converting takes a third of the time.
            frame = self.planes(frame)
        return self._rgb(self._colours, frame, self._picture_size, self._bilinear)

    def planes(self, frame: Any) -> Any:
        """The frame at the picture height, in the film's own colour space."""
        width, height = self._picture_size
        return self._scale(
            self._planes,
            frame,
            width=width,
            height=height,
            format="yuv420p",
            interpolation=self._bilinear,
        )

    @property
    def upright_size(self) -> tuple[int, int]:
        """Width and height of a picture after it is rotated upright."""
        return _stored(*self._picture_size, self._turn)

    def _rgb(self, scaler: Any, frame: Any, size: tuple[int, int], interpolation: Any) -> Scaled:
        width, height = size
        rgb = self._scale(
            scaler,
            frame,
            width=width,
            height=height,
            format="rgb24",
            src_colorspace=self._colourspace,
            interpolation=interpolation,
        )
        plane = rgb.planes[0]
        return Scaled(plane, width, height, plane.line_size)

    def _scale(self, scaler: Any, frame: Any, **wanted: Any) -> Any:
        try:
            return scaler.reformat(frame, threads=1, **wanted)
        except OSError:
            # Reserved or rare colour spaces are mostly tagged by mistake: use the common one.
            frame.colorspace = UNSPECIFIED_COLOURS
            return scaler.reformat(frame, threads=1, **wanted)


def _stored(upright_width: int, upright_height: int, turn: int) -> tuple[int, int]:
    if turn & TRANSPOSE:
        return upright_height, upright_width
    return upright_width, upright_height
