"""The jobs of the decoding process: probe, scan, read, stream, copy and cut."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from storyscope.decoder.choosing import PictureChooser
from storyscope.decoder.clips import Interval, cut_clips
from storyscope.decoder.clips_exact import encode_clips
from storyscope.decoder.clock import FrameClock
from storyscope.decoder.container import TEXT_SUBTITLES, Film, Refusal, Terms, open_film
from storyscope.decoder.copying import Copy, open_source
from storyscope.decoder.decode import Decoded, Losses, Opening, decode, find_opening, frame_seconds
from storyscope.decoder.outlet import Outlet, OutletFile
from storyscope.decoder.scaling import Scaler
from storyscope.decoder.sound import Piece, SoundPieces
from storyscope.decoder.streaming import stream as send_stream
from storyscope.decoder.subtitles import read_cues
from storyscope.decoder.walking import Walker

Job = dict[str, Any]
UNNUMBERED = -1
"""Index of frames that were found by time and not counted."""
SHORT_SECONDS = 1.0
"""Seconds by which a file may end before its stated duration and still count as complete."""


def probe(job: Job, outlet: Outlet) -> None:
    """Return the properties stated by the container."""
    opening, film = _open(job, outlet)
    container, video = film.container, film.video
    assert video is not None
    rate = video.average_rate or video.guessed_rate
    fps = float(rate) if rate else 0.0
    duration = _stated_duration(film, opening.zero)
    outlet.end(
        {
            "container": container.format.name,
            "title": container.metadata.get("title", ""),
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
    opening, film = _open(job, outlet, draft=True)
    scaler = Scaler(opening.look, picture_height=job["picture_height"])
    clock = FrameClock(zero=opening.zero, frame_seconds=frame_seconds(film.video))
    pieces = SoundPieces(zero=opening.zero)
    chooser = PictureChooser(per_second=job["pictures_per_second"])
    turn = opening.look.turn
    streams = [film.video, film.sound] if film.sound else [film.video]
    index, end, losses = 0, 0.0, Losses()
    outlet.note({"duration": _stated_duration(film, opening.zero)})
    for decoded in decode(film, *streams, losses=losses):
        if decoded.is_sound:
            outlet.sounds(_hear(pieces, decoded, losses))
            continue
        seconds = clock.stamp(decoded.presented)
        small = scaler.small(decoded.frame)
        outlet.small(index, seconds, small, turn)
        if chooser.wants(seconds, small):
            outlet.picture(index, seconds, scaler.picture(decoded.frame), turn)
        index += 1
        end = seconds + (decoded.duration or frame_seconds(film.video))
    outlet.sounds(pieces.flush())
    if not index:
        raise Refusal("has no frame that can be decoded; the file is damaged or cut off")
    damaged = _damage(film, losses, max(end, pieces.end_seconds), opening.zero)
    tracks = film.container.streams.subtitles
    outlet.end(
        {
            "frame_count": index,
            "end_seconds": end,
            "damaged": damaged,
            "has_subtitles": any(_codec_name(track) in TEXT_SUBTITLES for track in tracks),
        }
    )


def read_sound(job: Job, outlet: Outlet) -> None:
    """Send only the sound."""
    opening, film = _open(job, outlet)
    pieces = SoundPieces(zero=opening.zero)
    if film.sound is not None:
        losses = Losses()
        for decoded in decode(film, film.sound, losses=losses):
            outlet.sounds(_hear(pieces, decoded, losses))
        outlet.sounds(pieces.flush())
    outlet.end({})


def read_frames(job: Job, outlet: Outlet) -> None:
    """Send the frame shown at each of the requested times."""
    terms = _terms(job, outlet)
    opening = find_opening(job["path"], terms)
    scaler = Scaler(opening.look, picture_height=job["height"] or opening.look.height)
    for seconds, frame in Walker(job["path"], opening, terms).frames(job["seconds"]):
        outlet.picture(UNNUMBERED, seconds, scaler.picture(frame), opening.look.turn)
    outlet.end({})


def subtitles(job: Job, outlet: Outlet) -> None:
    """Return the cues of the text subtitle track, if there is one."""
    opening, film = _open(job, outlet)
    outlet.end(read_cues(film, zero=opening.zero, languages=job["languages"]))


def stream(job: Job, outlet: Outlet) -> None:
    """Send the film as a stream for browsers, from a given time."""
    terms = _terms(job, outlet)
    opening = find_opening(job["path"], terms)
    send_stream(job["path"], opening, terms, job["start"], outlet)
    outlet.end({})


def remux(job: Job, outlet: Outlet) -> None:
    """Send a copy of the film in another container, with chapters inside."""
    source = open_source(job["path"], _terms(job, outlet))
    # Matroska has no time before 0: sound that leads the picture shifts both. An MP4 trims it with
    # an edit list.
    offset = source.lead if job["suffix"] == ".mkv" else 0.0
    copy = Copy(source, OutletFile(outlet, 0), job["suffix"], begin=-offset)
    copy.mark(job["chapters"], offset=offset)
    for packet in source.packets():
        copy.add(packet)
    copy.finish()
    outlet.end({})


def clips(job: Job, outlet: Outlet) -> None:
    """Send a clip for each span, not re-encoded."""
    spans = [Interval(*each) for each in job["spans"]]
    cut_clips(job["path"], _terms(job, outlet), spans, outlet)
    outlet.end({})


def exact_clips(job: Job, outlet: Outlet) -> None:
    """Send a clip for each span, cut exactly at the frame."""
    encode_clips(
        job["path"], _terms(job, outlet), [Interval(*each) for each in job["spans"]], outlet
    )
    outlet.end({})


JOBS: dict[str, Callable[[Job, Outlet], None]] = {
    "probe": probe,
    "scan": scan,
    "read_sound": read_sound,
    "read_frames": read_frames,
    "subtitles": subtitles,
    "stream": stream,
    "remux": remux,
    "cut_clips": clips,
    "encode_clips": exact_clips,
}

NUMERIC_JOBS = frozenset(("scan", "stream", "encode_clips"))
"""Those that use NumPy, the import of which takes as long as that of FFmpeg."""


def _open(job: Job, outlet: Outlet, *, draft: bool = False) -> tuple[Opening, Film]:
    terms = _terms(job, outlet)
    opening = find_opening(job["path"], terms)
    return opening, open_film(job["path"], terms, draft=draft)


def _terms(job: Job, outlet: Outlet) -> Terms:
    return Terms(job["max_pixels"], job["decoder_threads"], outlet.alive, job["name"])


def _hear(pieces: SoundPieces, decoded: Decoded, losses: Losses) -> list[Piece]:
    """Add sound; what cannot be mixed down is dropped, and decoding continues."""
    from av.error import FFmpegError

    try:
        return pieces.push(decoded)
    except (FFmpegError, ValueError):
        losses.packets += 1
        return pieces.start_over()


def _damage(film: Film, losses: Losses, end: float, zero: float) -> str:
    """A description of damage to the file; empty if there is none."""
    notes = []
    stated = _container_end(film) - zero
    short = end < stated - max(SHORT_SECONDS, 0.01 * stated)
    # The last subtitles may outlast the picture, and the container then ends with them.
    if losses.broken_off or (short and not film.container.streams.subtitles):
        notes.append(f"it breaks off after {end:.1f} of {stated:.1f} seconds")
    for count, what in ((losses.packets, "packet"), (losses.frames, "frame")):
        if count:
            notes.append(f"{count} damaged {what}{'s' if count > 1 else ''}")
    return "; ".join(notes)


def _stated_duration(film: Film, zero: float) -> float:
    """Duration of the picture as stated by the container."""
    video = film.video
    if video is not None and video.duration and video.time_base:
        return float(video.duration * video.time_base)
    return max(0.0, _container_end(film) - zero)


def _container_end(film: Film) -> float:
    """The stated end of the container, on the file's own clock."""
    container = film.container
    duration = (container.duration or 0) / 1e6
    # Matroska states where the last frame ends, other containers the duration of the film.
    counts_from_zero = container.format.name.startswith("matroska")
    return duration if counts_from_zero else duration + (container.start_time or 0) / 1e6


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
