"""Copy the packets of a film into other files (runs inside the decoding process).

Nothing is decoded and nothing is lost. Times are seconds from the film's first frame, as
everywhere; the containers' own clocks may start elsewhere, and the clocks of copies start at 0.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from storyscope.decoder.container import Film, Refusal, Terms, is_moving, open_film
from storyscope.decoder.decode import clock_start
from storyscope.decoder.outlet import OutletFile

MUXERS = {".mp4": "mp4", ".mkv": "matroska"}
FILM_FACTS = frozenset(("title", "artist", "date", "comment", "description", "copyright", "genre"))
TRACK_FACTS = frozenset(("language", "title"))
TICKS = 1_000_000
"""Time base of chapters: microseconds."""


@dataclass(frozen=True)
class Source:
    """A film, open for reading, with the tracks that are copied."""

    film: Film
    video: Any
    tracks: tuple[Any, ...]
    zero: float
    """Where players start to count, on the file's own clock."""
    lead: float
    """How much earlier the sound starts, in seconds; 0 if it does not."""

    def packets(self, *, tracks: tuple[Any, ...] | None = None) -> Iterator[Any]:
        """Every packet in the file's order, each with a decoding time.

        Matroska has none: those before a stream's first known one are counted back from it.
        """
        waiting: dict[int, list[Any]] = {}
        last: dict[int, int] = {}
        for packet in self.film.container.demux(*(tracks or self.tracks)):
            self.film.on_progress()
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


def open_source(path: str, terms: Terms) -> Source:
    """Open a film for copying, with the same limits as for decoding."""
    zero, lead = _first_times(path, terms)
    film = open_film(path, terms)
    streams: Any = film.container.streams
    tracks = tuple(
        stream
        for stream in streams
        if stream.type in ("audio", "subtitle") or (stream.type == "video" and is_moving(stream))
    )
    return Source(film, film.video, tracks, zero, lead)


def suffix_for(source: Source) -> str:
    """The extension of a container that supports every track of a film."""
    import av

    with av.open(io.BytesIO(), "w", format="mp4") as out:
        return ".mp4" if all(_holds(out, track) for track in source.tracks) else ".mkv"


class Copy:
    """An unfinished file; `begin` is the second of the film at which its clock starts."""

    def __init__(
        self, source: Source, file: OutletFile, suffix: str, *, begin: float = 0.0
    ) -> None:
        import av

        self._begin = begin + source.zero
        self._filled = False
        self._suffix = suffix
        self._file = file
        self._out = av.open(file, "w", format=MUXERS[suffix])
        if not _holds(self._out, source.video):
            raise Refusal(
                f"has {source.video.codec_context.codec.canonical_name} video, which {suffix} "
                "does not support; export to mkv, or to clips-exact, which encodes it again"
            )
        held = [track for track in source.tracks if _holds(self._out, track)]
        self._tracks = {each.index: self._like(each) for each in held}
        self._out.metadata.update(_worth_keeping(source.film.container.metadata, FILM_FACTS))

    def mark(self, chapters: list[tuple[float, float, str]], *, offset: float) -> None:
        """Embed chapters, as (start, end, title); must be called before the first packet."""
        self._out.set_chapters(
            [
                {
                    "id": number,
                    "start": round((start + offset) * TICKS),
                    "end": round((end + offset) * TICKS),
                    "time_base": Fraction(1, TICKS),
                    "metadata": {"title": title},
                }
                for number, (start, end, title) in enumerate(chapters, start=1)
            ]
        )

    def add(self, packet: Any) -> None:
        """Copy a packet; a track that this container does not support is left out."""
        track = self._tracks.get(packet.stream.index)
        if track is None:
            return
        stamps, template = (packet.pts, packet.dts), packet.stream
        shift = round(Fraction(self._begin) / packet.time_base)
        base = packet.time_base
        packet.pts, packet.dts = (None if s is None else s - shift for s in stamps)
        packet.stream = track
        with self._complaining():
            self._out.mux(packet)
        self._filled = True
        packet.stream, packet.time_base = template, base
        packet.pts, packet.dts = stamps

    def finish(self) -> None:
        """Write the rest of the file."""
        if not self._filled:
            raise Refusal(
                "states no times for its packets; use clips-exact, which encodes it again"
            )
        with self._complaining():
            self._out.close()
        self._file.finish()

    @contextmanager
    def _complaining(self) -> Iterator[None]:
        """Turn an error of the container into a message about the film."""
        from av.error import FFmpegError

        try:
            yield
        except FFmpegError as error:
            if isinstance(error, MemoryError):
                raise
            raise Refusal(
                f"cannot be copied as it is into {self._suffix} ({error.strerror}); export to mkv, "
                "or to clips-exact, which encodes it again"
            ) from error

    def _like(self, track: Any) -> Any:
        """A track for the packets of another, with its language and default flag."""
        # Opaque: copying packets needs no encoder for the codec.
        made = self._out.add_stream_from_template(track, opaque=True)
        made.metadata.update(_worth_keeping(track.metadata, TRACK_FACTS))
        made.disposition = track.disposition
        return made


def _holds(out: Any, track: Any) -> bool:
    """Whether a container supports the packets of a track."""
    context = track.codec_context
    return context is not None and context.codec.canonical_name in out.supported_codecs


def _worth_keeping(metadata: dict[str, str], names: frozenset[str]) -> dict[str, str]:
    """Metadata about a film; metadata about its old container no longer applies."""
    return {name: value for name, value in metadata.items() if name.lower() in names}


def _first_times(path: str, terms: Terms) -> tuple[float, float]:
    """Where players start to count, and how much earlier the sound starts."""
    film = open_film(path, terms)
    if film.video is None:
        raise Refusal("has no video that can be copied: it has no moving picture")
    heard: dict[int, float] = {}
    sounds = {stream.index for stream in film.container.streams.audio}
    for packet in film.container.demux(film.video, *film.container.streams.audio):
        film.on_progress()
        if packet.stream.index in sounds and packet.pts is not None:
            at = float(packet.pts * packet.time_base)
            heard[packet.stream.index] = min(at, heard.get(packet.stream.index, at))
            continue
        for frame in _decoded_frames(packet):
            stamp = frame.pts if frame.pts is not None else frame.dts or 0
            zero = clock_start(film, float(stamp * (film.video.time_base or 0)))
            film.close()
            return zero, max(0.0, zero - min(heard.values(), default=zero))
    raise Refusal("has no frame that can be decoded; the file is damaged or cut off")


def _decoded_frames(packet: Any) -> list[Any]:
    """The frames of a packet; a damaged packet has none, and decoding continues after it."""
    from av.error import InvalidDataError

    try:
        return list(packet.decode())
    except InvalidDataError:
        return []
