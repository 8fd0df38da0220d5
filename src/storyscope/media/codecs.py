"""Which video and audio codecs this installation can decode."""

from __future__ import annotations

from collections.abc import Iterable

COMMON = (
    "h264",
    "hevc",
    "vp9",
    "av1",
    "vp8",
    "mpeg4",
    "mpeg2video",
    "prores",
    "dnxhd",
    "aac",
    "opus",
    "mp3",
    "ac3",
    "flac",
    "vorbis",
)


def decoders(names: Iterable[str] = COMMON) -> dict[str, bool]:
    """For each codec by FFmpeg's name, whether the installed PyAV has a decoder for it."""
    return {name: _has_decoder(name) for name in names}


def _has_decoder(name: str) -> bool:
    from av.codec import Codec
    from av.codec.codec import UnknownCodecError

    try:
        return Codec(name, "r") is not None
    except UnknownCodecError:
        return False
