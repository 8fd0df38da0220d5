"""Packets to frames with correct times (runs inside the decoding process)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from storyscope.decoder.clock import Continuity
from storyscope.decoder.container import Film, Refusal, Terms, open_film
from storyscope.decoder.limits import memory_left
from storyscope.decoder.scaling import Look, look_of

BYTES_PER_PIXEL = 6
"""More bytes than a decoder allocates at once for any known pixel format."""


class Decoded(NamedTuple):
    """A frame of picture or sound, with its time according to the file, in seconds."""

    is_sound: bool
    frame: Any
    presented: float | None
    duration: float


LONGEST_LEAD = 60.0
"""Maximum seconds by which sound may lead the picture; beyond this its clock is wrong."""


@dataclass
class Losses:
    """What could not be decoded."""

    packets: int = 0
    frames: int = 0
    broken_off: bool = False


@dataclass(frozen=True)
class Opening:
    """Facts from the start of a film: where time starts, and how frames are oriented."""

    zero: float
    """Where players start to count, on the file's own clock: see `clock_start`."""
    look: Look


def decode(film: Film, *streams: Any, losses: Losses) -> Iterator[Decoded]:
    """Frames of `streams`, each stream in presentation order, skipping damaged packets."""
    from av.error import FFmpegError

    bases = {stream.index: float(stream.time_base) for stream in streams}
    pixels = film.video.width * film.video.height if film.video is not None else 0
    sound = film.sound.index if film.sound is not None else -1
    for packet in packets(film, *streams, losses=losses):
        try:
            frames = packet.decode()
        except MemoryError:
            raise
        except (FFmpegError, ValueError) as error:
            # Decoders report a failed allocation in many ways; after a merely damaged packet,
            # memory is free.
            if memory_left() < BYTES_PER_PIXEL * pixels:
                raise MemoryError from error
            losses.packets += 1
            continue
        losses.packets += packet.is_corrupt
        index = packet.stream.index
        base = bases[index]
        for frame in frames:
            losses.frames += frame.is_corrupt
            stamp = frame.pts if frame.pts is not None else frame.dts
            presented = None if stamp is None else stamp * base
            yield Decoded(index == sound, frame, presented, (frame.duration or 0) * base)


def find_opening(path: str, terms: Terms) -> Opening:
    """Decode up to the first frame, then close the file: seeking back is not always exact."""
    film = open_film(path, terms)
    if film.video is None:
        kind = "only sound" if film.sound else "no picture and no sound"
        raise Refusal(f"has {kind}; give a file with a video stream")
    for decoded in decode(film, film.video, losses=Losses()):
        look = look_of(decoded.frame, film.video.sample_aspect_ratio)
        zero = clock_start(film, decoded.presented or 0.0)
        film.close()
        return Opening(zero, look)
    raise Refusal("has no frame that can be decoded; the file is damaged or cut off")


def clock_start(film: Film, first_frame: float) -> float:
    """Where players start to count: at the first frame, or at the first sound if that is earlier.

    All times are on the file's own clock. Sound that leads by less than a frame is ignored.
    """
    sound = film.sound
    if sound is None or sound.start_time is None or film.video is None:
        return first_frame
    heard = float(sound.start_time * (sound.time_base or 0))
    if heard < 0 <= first_frame:
        # Encoders add priming samples, which players skip.
        heard = 0.0
    lead = first_frame - heard
    return heard if frame_seconds(film.video) < lead < LONGEST_LEAD else first_frame


def is_steady(film: Film) -> bool:
    """Whether the file has one continuous clock, so that times can be seeked.

    Broadcast streams are read through to find out (without decoding); the film must be opened
    again.
    """
    video: Any = film.video
    if video.start_time is None:
        return False
    if not film.is_broadcast:
        return True
    continuity = Continuity(leaps=True)
    base = float(video.time_base)
    shifts = (
        continuity.shift(video.index, packet.dts * base, (packet.duration or 0) * base)
        for packet in readable(film, video, losses=Losses())
        if packet.dts is not None
    )
    return not any(shifts)


def frame_seconds(stream: Any) -> float:
    """Nominal duration of one frame."""
    rate = stream.average_rate or stream.guessed_rate or stream.base_rate
    return 1.0 / float(rate) if rate else 0.04


def packets(film: Film, *streams: Any, losses: Losses) -> Iterator[Any]:
    """Packets in file order with a continuous clock, up to where the file breaks off."""
    bases = {stream.index: float(stream.time_base) for stream in streams}
    continuity = Continuity(leaps=film.is_broadcast)
    for packet in readable(film, *streams, losses=losses):
        if packet.dts is not None:
            index = packet.stream.index
            base = bases[index]
            shift = continuity.shift(index, packet.dts * base, (packet.duration or 0) * base)
            if shift:
                _move(packet, round(shift / base))
        yield packet


def readable(film: Film, *streams: Any, losses: Losses) -> Iterator[Any]:
    """Packets in file order, unchanged, up to where the file breaks off."""
    from av.error import FFmpegError

    demuxed = film.container.demux(*streams)
    while True:
        try:
            packet = next(demuxed, None)
        except MemoryError:
            raise
        except IndexError:
            # PyAV fails at the end on streams that appeared in the middle of a file; ours are done.
            return
        except (FFmpegError, OSError):
            losses.broken_off = True
            return
        if packet is None:
            return
        film.on_progress()
        yield packet


def _move(packet: Any, ticks: int) -> None:
    packet.dts += ticks
    if packet.pts is not None:
        packet.pts += ticks
