"""One clip per time span, cut exactly at the frame by decoding and re-encoding.

Runs inside the decoding process.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from storyscope.decoder.clips import STRAY_SECONDS, Interval
from storyscope.decoder.clock import FrameClock
from storyscope.decoder.container import Terms
from storyscope.decoder.copying import Source, open_source
from storyscope.decoder.decode import Losses, decode, frame_seconds
from storyscope.decoder.outlet import Outlet, OutletFile

CODEC_OPTIONS = {"crf": "18", "preset": "medium"}
HALF_A_MILLISECOND = 0.0005


def encode_clips(path: str, terms: Terms, spans: Sequence[Interval], outlet: Outlet) -> None:
    """Send a file for each span, reading the film once."""
    source = open_source(path, terms)
    outlet.note({"suffix": ".mp4"})
    clips = [_Clip(source, span, OutletFile(outlet, n)) for n, span in enumerate(spans)]
    film = source.film
    clock = FrameClock(zero=source.zero, frame_seconds=frame_seconds(film.video))
    tracks = (film.video,) if film.sound is None else (film.video, film.sound)
    for decoded in decode(film, *tracks, losses=Losses()):
        if decoded.is_sound and decoded.presented is None:
            continue
        if decoded.is_sound:
            seconds = (decoded.presented or 0.0) - source.zero
        else:
            seconds = clock.stamp(decoded.presented)
        while clips and clips[0].span.end + STRAY_SECONDS < seconds:
            clips.pop(0).finish()
        _deal(clips, decoded.frame, seconds, is_video=not decoded.is_sound)
    for clip in clips:
        clip.finish()


def _deal(clips: Sequence[_Clip], frame: Any, seconds: float, *, is_video: bool) -> None:
    """Pass a frame of picture or sound to the clips that it may belong to."""
    for clip in clips:
        if clip.span.start > seconds + STRAY_SECONDS:
            break
        if is_video:
            clip.add_frame(frame, seconds)
        else:
            clip.add_sound(frame, seconds)


class _Clip:
    """An unfinished clip; its file opens with its first frame."""

    def __init__(self, source: Source, span: Interval, file: OutletFile) -> None:
        self.span = span
        self._source = source
        self._file = file
        self._out: Any = None
        self._video: Any = None
        self._sound: Any = None
        self._early: list[Any] = []

    def add_frame(self, frame: Any, seconds: float) -> None:
        if not self.span.start - HALF_A_MILLISECOND <= seconds < self.span.end - HALF_A_MILLISECOND:
            return
        if self._out is None:
            self._open(frame)
        base = self._source.video.time_base
        frame.pts = round(Fraction(max(0.0, seconds - self.span.start)) / base)
        frame.time_base = base
        frame.pict_type = 0
        for packet in self._video.encode(frame):
            self._out.mux(packet)

    def add_sound(self, frame: Any, seconds: float) -> None:
        """The samples of a stretch of sound that are inside the clip."""
        import av

        first = max(0, round((self.span.start - seconds) * frame.sample_rate))
        end = min(frame.samples, round((self.span.end - seconds) * frame.sample_rate))
        if first >= end:
            return
        (planar,) = av.AudioResampler(format="fltp", layout=frame.layout).resample(frame) or (None,)
        if planar is None:
            return
        part = av.AudioFrame.from_ndarray(
            planar.to_ndarray()[:, first:end].copy(), format="fltp", layout=frame.layout.name
        )
        part.sample_rate = frame.sample_rate
        part.time_base = Fraction(1, frame.sample_rate)
        part.pts = round((seconds - self.span.start) * frame.sample_rate) + first
        self._early.append(part)
        self._mux_sound()

    def finish(self) -> None:
        if self._out is None:
            return
        self._mux_sound()
        for stream in filter(None, (self._video, self._sound)):
            for packet in stream.encode(None):
                self._out.mux(packet)
        self._out.close()
        self._out = None
        self._file.finish()

    def _mux_sound(self) -> None:
        """Sound before the first frame waits until the file is open."""
        if self._out is None or self._sound is None:
            return
        for part in self._early:
            for packet in self._sound.encode(part):
                self._out.mux(packet)
        self._early.clear()

    def _open(self, frame: Any) -> None:
        import av

        source = self._source.video
        self._out = av.open(self._file, "w", format="mp4")
        self._video = self._out.add_stream(
            "libx264", rate=source.average_rate or 25, options=CODEC_OPTIONS
        )
        self._video.width, self._video.height = (
            max(2, side // 2 * 2) for side in (frame.width, frame.height)
        )
        self._video.pix_fmt = "yuv420p"
        self._video.codec_context.time_base = source.time_base
        if shape := source.codec_context.sample_aspect_ratio:
            self._video.codec_context.sample_aspect_ratio = shape
        if frame.rotation:
            self._video.set_display_rotation(frame.rotation)
        if self._source.film.sound is not None:
            context = self._source.film.sound.codec_context
            self._sound = self._out.add_stream(
                "aac", rate=context.sample_rate, layout=context.layout
            )
