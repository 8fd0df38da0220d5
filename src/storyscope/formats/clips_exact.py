"""One clip a story, cut at the very frame: decoded and encoded again."""

from __future__ import annotations

import os
from fractions import Fraction
from pathlib import Path
from typing import Any

from storyscope.core import Span
from storyscope.errors import FormatError
from storyscope.formats.clips import clip_name, make_folder
from storyscope.formats.copying import Source, open_source
from storyscope.formats.registry import Format
from storyscope.formats.timeline import Timeline

CODEC_OPTIONS = {"crf": "18", "preset": "medium"}
STRAY_SECONDS = 10.0
HALF_A_MILLISECOND = 0.0005


def save(timeline: Timeline, folder: Path) -> None:
    """Write the clips into a folder, made if missing, in one reading of the film."""
    make_folder(folder)
    with open_source(timeline.video.path) as source:
        clips = [
            _Clip(source, entry.span, folder / clip_name(number, entry, ".mp4"))
            for number, entry in enumerate(timeline.entries, start=1)
        ]
        try:
            _encode(source, clips)
        except BaseException:
            for clip in clips:
                clip.discard()
            raise


def _encode(source: Source, waiting: list[_Clip]) -> None:
    """Deal every frame to the clip it belongs to."""
    sound = next((track for track in source.tracks if track.type == "audio"), None)
    tracks = (source.video,) if sound is None else (source.video, sound)
    clips = list(waiting)
    for packet in source.container.demux(*tracks):
        for frame in _decoded(packet):
            if frame.pts is None:
                continue
            seconds = source.seconds(frame.pts, packet.stream.time_base)
            while clips and clips[0].span.end + STRAY_SECONDS < seconds:
                clips.pop(0).finish()
            for clip in clips:
                if clip.span.start > seconds + STRAY_SECONDS:
                    break
                if packet.stream.type == "video":
                    clip.add_frame(frame, seconds)
                else:
                    clip.add_sound(frame, seconds)
    for clip in clips:
        clip.finish()


def _decoded(packet: Any) -> list[Any]:
    """The frames of a packet; a damaged one has none, and the film goes on after it."""
    from av.error import InvalidDataError

    try:
        return list(packet.decode())
    except InvalidDataError:
        return []


class _Clip:
    """A clip in the making; its file opens with its first frame."""

    def __init__(self, source: Source, span: Span, path: Path) -> None:
        self.span = span
        self._source = source
        self._path = path
        self._part = path.with_name(f".{path.name}.part")
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
        """The samples of a stretch of sound that fall into the clip."""
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
        os.replace(self._part, self._path)

    def discard(self) -> None:
        if self._out is not None:
            self._out.close()
            self._part.unlink(missing_ok=True)

    def _mux_sound(self) -> None:
        """Sound that came before the first frame waits for the file to open."""
        if self._out is None or self._sound is None:
            return
        for part in self._early:
            for packet in self._sound.encode(part):
                self._out.mux(packet)
        self._early.clear()

    def _open(self, frame: Any) -> None:
        import av

        source = self._source.video
        if source.codec_context is None:
            raise FormatError(f"{self._source.path} cannot be decoded here")
        self._out = av.open(str(self._part), "w", format="mp4")
        self._video = self._out.add_stream(
            "libx264", rate=source.average_rate or 25, options=CODEC_OPTIONS
        )
        self._video.width, self._video.height = frame.width // 2 * 2, frame.height // 2 * 2
        self._video.pix_fmt = "yuv420p"
        self._video.codec_context.time_base = source.time_base
        if shape := source.codec_context.sample_aspect_ratio:
            self._video.codec_context.sample_aspect_ratio = shape
        if frame.rotation:
            self._video.set_display_rotation(frame.rotation)
        sounds = [track for track in self._source.tracks if track.type == "audio"]
        if sounds:
            context = sounds[0].codec_context
            self._sound = self._out.add_stream(
                "aac", rate=context.sample_rate, layout=context.layout
            )


FORMAT = Format(
    "clips-exact",
    ".mp4",
    "a folder with one clip a story, cut at the very frame (re-encoded)",
    "a little quality, all sound tracks but one, subtitles",
    save=save,
)
