"""Packets of a film copied into other files as they are: nothing is decoded, nothing is lost.

Times here are seconds from the film's first frame, as everywhere; the containers' own clocks may
start elsewhere, and the copies' clocks start at 0.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from storyscope.core import Span
from storyscope.errors import FormatError

if TYPE_CHECKING:
    import av

CONTAINERS = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,flv,ogg,asf,mxf,wtv,dv,nut"
MUXERS = {".mp4": "mp4", ".mkv": "matroska"}
FILM_FACTS = frozenset(("title", "artist", "date", "comment", "description", "copyright", "genre"))
TRACK_FACTS = frozenset(("language", "title"))
TICKS = 1_000_000
"""Chapters are written in microseconds, where the container keeps them."""


@dataclass(frozen=True)
class Source:
    """A film, open for reading, with the tracks that are copied."""

    path: Path
    container: Any
    video: Any
    tracks: tuple[Any, ...]
    zero: float
    """When its first frame is shown, on its own clock."""
    lead: float
    """How long before that its first sound is heard, in seconds; 0 when after."""

    def packets(self, *, tracks: tuple[Any, ...] | None = None) -> Iterator[Any]:
        """Every packet in the file's order, each with a decoding time.

        Matroska keeps none: those before a stream's first known one are counted back from it.
        """
        waiting: dict[int, list[Any]] = {}
        last: dict[int, int] = {}
        for packet in self.container.demux(*(tracks or self.tracks)):
            stream = packet.stream.index
            step = max(1, packet.duration or 1)
            if packet.size == 0 or (packet.pts is None and packet.dts is None):
                continue
            if packet.dts is None and stream not in last:
                waiting.setdefault(stream, []).append(packet)
                continue
            if packet.dts is None:
                packet.dts = last[stream] + step
            last[stream] = packet.dts
            early = waiting.pop(stream, [])
            for back, held in zip(range(len(early), 0, -1), early, strict=True):
                held.dts = packet.dts - back * step
                yield held
            yield packet
        for held in (packet for early in waiting.values() for packet in early):
            held.dts = held.pts
            yield held

    def seconds(self, stamp: int, base: Fraction) -> float:
        return float(stamp * base) - self.zero


@contextmanager
def open_source(path: str | Path) -> Iterator[Source]:
    """Open a film by itself: whatever other file or address it names stays closed."""
    from av.error import FFmpegError
    from av.stream import Disposition

    path = Path(path)
    zero, lead = _first_times(path)
    try:
        with _open(path) as container:
            pictures = Disposition.attached_pic | Disposition.timed_thumbnails
            tracks = tuple(
                stream
                for stream in container.streams
                if stream.type in ("video", "audio", "subtitle")
                and not stream.disposition & pictures
            )
            video = next(stream for stream in tracks if stream.type == "video")
            yield Source(path, container, video, tracks, zero, lead)
    except FFmpegError as error:
        raise FormatError(f"{path} cannot be copied: {error.strerror}") from error


class Copy:
    """A file in the making: it stands under its name when it is whole, and never before.

    `begin` is the second of the film at which the copy's clock starts.
    """

    def __init__(self, source: Source, path: Path, *, begin: float = 0.0) -> None:
        import av

        if path.exists() and path.samefile(source.path):
            raise FormatError(f"{path} is the film itself; write the copy to another name")
        self._part = path.with_name(f".{path.name}.part")
        self._path = path
        self._begin = begin + source.zero
        self._out = av.open(str(self._part), "w", format=MUXERS[path.suffix])
        held = [track for track in source.tracks if self._holds(track)]
        if source.video not in held:
            self.discard()
            codec = source.video.codec_context.name
            raise FormatError(f"{path.suffix} cannot hold {codec} video; export to mkv")
        self._tracks = {each.index: self._like(each) for each in held}
        self._out.metadata.update(_worth_keeping(source.container.metadata, FILM_FACTS))

    def mark(self, chapters: list[tuple[Span, str]], *, offset: float) -> None:
        """Embed chapters; before the first packet."""
        self._out.set_chapters(
            [
                {
                    "id": number,
                    "start": round((span.start + offset) * TICKS),
                    "end": round((span.end + offset) * TICKS),
                    "time_base": Fraction(1, TICKS),
                    "metadata": {"title": title},
                }
                for number, (span, title) in enumerate(chapters, start=1)
            ]
        )

    def add(self, packet: Any) -> None:
        """Copy a packet; a track that this container cannot hold is left out."""
        track = self._tracks.get(packet.stream.index)
        if track is None:
            return
        stamps, template = (packet.pts, packet.dts), packet.stream
        shift = round(Fraction(self._begin) / packet.time_base)
        base = packet.time_base
        packet.pts, packet.dts = (None if s is None else s - shift for s in stamps)
        packet.stream = track
        self._out.mux(packet)
        packet.stream, packet.time_base = template, base
        packet.pts, packet.dts = stamps

    def finish(self) -> None:
        """Close the file and give it its name."""
        self._out.close()
        os.replace(self._part, self._path)

    def discard(self) -> None:
        self._out.close()
        self._part.unlink(missing_ok=True)

    def _like(self, track: Any) -> Any:
        """A track for the packets of another, in its language and chosen when it is."""
        made = self._out.add_stream_from_template(track)
        made.metadata.update(_worth_keeping(track.metadata, TRACK_FACTS))
        made.disposition = track.disposition
        return made

    def _holds(self, track: Any) -> bool:
        return track.codec_context is not None and (
            track.codec_context.codec.canonical_name in self._out.supported_codecs
        )


def _worth_keeping(metadata: dict[str, str], names: frozenset[str]) -> dict[str, str]:
    """What people said of a film; what programs said of its old container is no longer true."""
    return {name: value for name, value in metadata.items() if name.lower() in names}


def _open(path: Path) -> av.container.InputContainer:
    import av

    try:
        file = open(path, "rb")  # noqa: SIM115 (the container closes it)
    except OSError as error:
        raise FormatError(f"the film {path} cannot be read: {error.strerror}") from error
    options = {
        "format_whitelist": CONTAINERS,
        "protocol_whitelist": "file",
        "enable_drefs": "0",
        "use_absolute_path": "0",
    }
    return av.open(file, "r", options=options, metadata_errors="replace", io_open=_refuse_to_open)


def _refuse_to_open(url: str, flags: int, options: dict[str, str]) -> Any:
    raise PermissionError(f"the film names another file: {url}")


def _first_times(path: Path) -> tuple[float, float]:
    """When the first frame is shown, and how much earlier any sound is heard."""
    from av.error import FFmpegError

    heard: dict[int, float] = {}
    try:
        with _open(path) as container:
            video: Any = container.streams.video[0]
            sounds = {stream.index for stream in container.streams.audio}
            for packet in container.demux(video, *container.streams.audio):
                if packet.stream.index in sounds and packet.pts is not None:
                    at = float(packet.pts * packet.time_base)
                    heard[packet.stream.index] = min(at, heard.get(packet.stream.index, at))
                    continue
                frames: Any = packet.decode()
                for frame in frames:
                    stamp = frame.pts if frame.pts is not None else frame.dts or 0
                    zero = float(stamp * video.time_base)
                    return zero, max(0.0, zero - min(heard.values(), default=zero))
    except (FFmpegError, IndexError) as error:
        raise FormatError(f"{path} holds no film that can be copied: {error}") from error
    raise FormatError(f"{path} holds no frame")
