"""Opening untrusted files (runs inside the decoding process).

Only one file is ever opened: it is passed to FFmpeg as an open file, any other file or address that
a container refers to is refused, and only ordinary containers are allowed. Playlists, concat
scripts and image sequences are not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import av

CONTAINERS = (
    "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,mpegvideo,flv,live_flv,ogg,asf,mxf,"
    "wtv,dv,nut,ivf,rm,gxf,h264,hevc,m4v,obu"
)
BROADCAST = frozenset(("mpegts", "mpeg"))
TEXT_SUBTITLES = frozenset(
    ("subrip", "srt", "ass", "ssa", "webvtt", "mov_text", "text", "ttml", "microdvd", "subviewer")
)
FILM_STARTS = (b"\x1aE\xdf\xa3", b"RIFF", b"FLV\x01", b"OggS", b"0&\xb2u")
SOUND_RATES = range(1000, 1_000_001)
"""Minimum sample rate of a sound track: with a few samples per second, a small file would last for
weeks."""
READ_BUFFER = 1 << 16


class Refusal(Exception):
    """A file that will not be decoded; the message completes "FILE ..."."""


@dataclass
class Film:
    """An open container with the streams we decode."""

    container: av.container.InputContainer
    video: av.VideoStream | None
    sound: av.AudioStream | None
    on_progress: Callable[[], None]
    """Called for every packet, to show that the decoder does not hang."""

    @property
    def is_broadcast(self) -> bool:
        return self.container.format.name in BROADCAST

    def close(self) -> None:
        self.container.close()


@dataclass(frozen=True)
class Terms:
    """Limits and options for opening a file."""

    max_pixels: int
    threads: int
    on_progress: Callable[[], None]
    name: str = ""
    """Name of the file, whose extension helps to detect the format."""


def open_film(path: str, terms: Terms, *, draft: bool = False) -> Film:
    """Open `path`, choose its streams and apply the limits to them.

    A `draft` skips the deblocking filter in frames that no other frame refers to: this is invisible
    once a frame is scaled down, and saves 10 to 16 % of the work on the film we measured.
    """
    max_pixels = terms.max_pixels
    container = _open_container(path, terms)
    video = next((stream for stream in container.streams.video if is_moving(stream)), None)
    sound = choose_sound(container)
    if video is not None:
        context = video.codec_context
        if context.width * context.height > max_pixels:
            raise Refusal(
                f"has frames of {context.width} x {context.height} pixels, more than the "
                f"{max_pixels} that are allowed; raise media.max_pixels if you trust it"
            )
        context.options = {"max_pixels": str(max_pixels)}
        if draft:
            context.options = {**context.options, "skip_loop_filter": "noref"}
        context.thread_type = "AUTO"
        context.thread_count = terms.threads
    return Film(container, video, sound, terms.on_progress)


def is_moving(stream: av.VideoStream) -> bool:
    """True for a film, false for cover art and for codecs without a decoder."""
    from av.stream import Disposition

    pictures = Disposition.attached_pic | Disposition.timed_thumbnails
    return stream.codec_context is not None and not stream.disposition & pictures


def choose_sound(container: av.container.InputContainer) -> av.AudioStream | None:
    """The default track, otherwise the first, of those that can be decoded."""
    from av.stream import Disposition

    tracks = [
        track
        for track in container.streams.audio
        if track.codec_context is not None and track.codec_context.sample_rate in SOUND_RATES
    ]
    tracks.sort(key=lambda track: not track.disposition & Disposition.default)
    return tracks[0] if tracks else None


def _open_container(path: str, terms: Terms) -> av.container.InputContainer:
    import av
    from av.error import FFmpegError

    try:
        file = open(path, "rb")  # noqa: SIM115 (the container closes it)
    except OSError as error:
        raise Refusal(f"cannot be read: {error.strerror}; check the path") from error
    if terms.name:
        unnamed: Any = file.raw
        unnamed.name = terms.name
    try:
        return av.open(
            file,
            mode="r",
            options={
                "format_whitelist": CONTAINERS,
                "protocol_whitelist": "file",
                "enable_drefs": "0",
                "use_absolute_path": "0",
                "max_pixels": str(terms.max_pixels),
            },
            metadata_errors="replace",
            buffer_size=READ_BUFFER,
            io_open=_refuse_to_open,
        )
    except MemoryError:
        raise
    except (FFmpegError, OSError, ValueError) as error:
        if _starts_like_a_film(path):
            raise Refusal(
                "starts like a video but cannot be opened: it is damaged or cut off; "
                "copy or download it again"
            ) from error
        raise Refusal(
            "is not a video that can be read: give an mp4, mkv, webm, mov, avi or another "
            "ordinary container (playlists and lists of files are refused)"
        ) from error


def _starts_like_a_film(path: str) -> bool:
    with open(path, "rb") as file:
        start = file.read(12)
    return start[4:8] in (b"ftyp", b"moov", b"mdat") or start.startswith(FILM_STARTS)


def _refuse_to_open(url: str, flags: int, options: dict[str, str]) -> Any:
    raise PermissionError(f"the container refers to another file: {url}")
