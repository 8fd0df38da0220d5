"""What the decoding process can be asked to do: probe, scan, read sound, frames, subtitles."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from storyscope.media.clock import FrameClock
from storyscope.media.container import (
    TEXT_SUBTITLES,
    Film,
    Refusal,
    frame_seconds,
    open_film,
    packets,
    presented,
)
from storyscope.media.outlet import Outlet
from storyscope.media.scaling import Look, Scaler, look_of
from storyscope.media.sound import SoundPieces
from storyscope.media.subtitles import read_cues

Job = dict[str, Any]
SHORT_SECONDS = 1.0
"""A file may end this much before the duration its header states and still be called whole."""


@dataclass(frozen=True)
class Opening:
    """What the first frame tells: where time starts, and how the film is to be seen."""

    zero: float
    look: Look


@dataclass
class Decoded:
    """What went by while decoding."""

    frame_count: int = 0
    end_seconds: float = 0.0
    lost_packets: int = 0
    broken_off: bool = False


def probe(job: Job, outlet: Outlet) -> None:
    """Answer with the facts the container states."""
    opening = _opening(job)
    film = _open(job)
    assert film.video is not None
    container, video = film.container, film.video
    rate = video.average_rate or video.guessed_rate
    fps = float(rate) if rate else 0.0
    duration = _stated_duration(film, opening.zero)
    outlet.end(
        {
            "container": container.format.name,
            "codec": video.codec_context.name,
            "duration": duration,
            "fps": fps,
            "frame_count": video.frames or round(duration * fps),
            "width": opening.look.width,
            "height": opening.look.height,
            "has_sound": film.sound is not None,
            "chapters": _chapters(film, opening.zero),
            "sound_tracks": [
                {**_track(track), "chosen": track is film.sound}
                for track in container.streams.audio
            ],
            "subtitles": [
                {**_track(track), "is_text": _codec_name(track) in TEXT_SUBTITLES}
                for track in container.streams.subtitles
            ],
        }
    )


def scan(job: Job, outlet: Outlet) -> None:
    """Send every frame small, some as pictures, and the sound, in one pass."""
    opening = _opening(job)
    film = _open(job)
    assert film.video is not None
    scaler = Scaler(opening.look, picture_height=job["picture_height"])
    clock = FrameClock(zero=opening.zero, frame_seconds=frame_seconds(film.video))
    pieces = SoundPieces(zero=opening.zero)
    rate, last_slot, turn = job["pictures_per_second"], -1, opening.look.turn
    seen = Decoded()
    outlet.note({"duration": _stated_duration(film, opening.zero)})
    for kind, frame in _frames(film, seen, outlet):
        if kind == "audio":
            for seconds, samples in pieces.push(frame):
                outlet.sound(seconds, samples)
            continue
        seconds = clock.stamp(presented(frame))
        outlet.small(seen.frame_count, seconds, scaler.small(frame), turn)
        slot = int(seconds * rate + 1e-6)
        if slot > last_slot:
            outlet.picture(seen.frame_count, seconds, scaler.picture(frame), turn)
            last_slot = slot
        seen.frame_count += 1
        seen.end_seconds = seconds + _duration(frame, film.video)
    for seconds, samples in pieces.flush():
        outlet.sound(seconds, samples)
    if not seen.frame_count:
        raise Refusal("has no frame that can be decoded; its data is damaged")
    end = max(seen.end_seconds, pieces.end_seconds)
    outlet.end(
        {
            "frame_count": seen.frame_count,
            "end_seconds": seen.end_seconds,
            "damaged": _damage(film, seen, end, opening.zero),
        }
    )


def subtitles(job: Job, outlet: Outlet) -> None:
    """Answer with the cues of the text subtitle track, if there is one."""
    zero = _opening(job).zero
    outlet.end(read_cues(_open(job), zero=zero, language=job["language"]))


JOBS: dict[str, Callable[[Job, Outlet], None]] = {
    "probe": probe,
    "scan": scan,
    "subtitles": subtitles,
}


def _open(job: Job) -> Film:
    film = open_film(job["path"], max_pixels=job["max_pixels"], threads=job["decoder_threads"])
    if film.video is None:
        kind = "only sound" if film.sound else "no picture and no sound"
        raise Refusal(f"has {kind}; give a file with a video stream")
    return film


def _opening(job: Job) -> Opening:
    """Decode up to the first frame, then let the file go: seeking back is not exact everywhere."""
    film = _open(job)
    assert film.video is not None
    for _, frame in _frames(film, Decoded(), None, with_sound=False):
        aspect = film.video.sample_aspect_ratio
        opening = Opening(presented(frame) or 0.0, look_of(frame, aspect))
        film.close()
        return opening
    raise Refusal("has no frame that can be decoded; its data is damaged or cut off")


def _frames(
    film: Film, seen: Decoded, outlet: Outlet | None, *, with_sound: bool = True
) -> Iterator[tuple[str, Any]]:
    """Decoded frames of both streams as ("video" | "audio", frame), past damaged packets."""
    from av.error import FFmpegError
    from av.error import MemoryError as OutOfMemory

    streams = [film.video, film.sound] if with_sound and film.sound else [film.video]
    demuxed = packets(film, *streams)
    while True:
        try:
            packet = next(demuxed, None)
        except OutOfMemory:
            raise
        except (FFmpegError, OSError):
            seen.broken_off = True
            return
        if packet is None:
            return
        try:
            frames = packet.decode()
        except OutOfMemory:
            raise
        except (FFmpegError, ValueError):
            seen.lost_packets += 1
            continue
        for frame in frames:
            yield packet.stream.type, frame
        if frames and outlet is not None:
            outlet.alive()


def _damage(film: Film, seen: Decoded, end: float, zero: float) -> str:
    """What is wrong with the file, for people; empty when nothing is."""
    notes = []
    stated = _container_end(film) - zero
    if seen.broken_off or end < stated - max(SHORT_SECONDS, 0.01 * stated):
        notes.append(f"it breaks off after {seen.end_seconds:.1f} of {stated:.1f} seconds")
    if seen.lost_packets:
        notes.append(f"{seen.lost_packets} packets could not be decoded")
    return "; ".join(notes)


def _stated_duration(film: Film, zero: float) -> float:
    """Seconds of picture as the container states them."""
    video = film.video
    if video is not None and video.duration and video.time_base:
        return float(video.duration * video.time_base)
    return max(0.0, _container_end(film) - zero)


def _container_end(film: Film) -> float:
    """Where the container says it ends, on the file's own clock."""
    container = film.container
    duration = (container.duration or 0) / 1e6
    # Matroska states where the last frame ends, the others how long the film runs.
    counts_from_zero = container.format.name.startswith("matroska")
    return duration if counts_from_zero else duration + (container.start_time or 0) / 1e6


def _duration(frame: Any, video: Any) -> float:
    ticks = getattr(frame, "duration", 0)
    return float(ticks * frame.time_base) if ticks else frame_seconds(video)


def _chapters(film: Film, zero: float) -> list[dict[str, Any]]:
    chapters = []
    for chapter in film.container.chapters():
        base = float(chapter["time_base"] or 0)
        start, end = (max(0.0, chapter[edge] * base - zero) for edge in ("start", "end"))
        title = chapter["metadata"].get("title", "")
        chapters.append({"start": start, "end": end, "title": title})
    return chapters


def _track(stream: Any) -> dict[str, Any]:
    return {
        "index": stream.index,
        "codec": _codec_name(stream),
        "language": stream.metadata.get("language", ""),
        "title": stream.metadata.get("title", ""),
    }


def _codec_name(stream: Any) -> str:
    context = stream.codec_context
    return context.name if context is not None else "unknown"
