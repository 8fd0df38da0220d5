"""Text subtitle tracks of a container (runs inside the decoding process)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from storyscope.decoder.container import TEXT_SUBTITLES, Film
from storyscope.decoder.decode import Losses, readable

if TYPE_CHECKING:
    import av

MOST_CUES = 200_000
OVERRIDE = re.compile(r"\{[^{}]*\}")


def read_cues(film: Film, *, zero: float, languages: Sequence[str]) -> dict[str, Any]:
    """The cues of the best text track as (start, end, text); none without a track.

    `zero` is the time of the first frame on the file's own clock. Tracks with one of
    `languages` as their tag are preferred, then the default one; forced tracks, which contain only
    signs, come last.
    """
    from av.error import FFmpegError

    track = choose_track(film, languages)
    cues: list[tuple[float, float, str]] = []
    if track is None:
        return {"track": -1, "language": "", "cues": cues}
    try:
        for packet in readable(film, track, losses=Losses()):
            if packet.pts is None or not packet.size or len(cues) >= MOST_CUES:
                continue
            start = float(packet.pts * packet.time_base) - zero
            end = start + float((packet.duration or 0) * packet.time_base)
            text = "\n".join(_text(subtitle) for subtitle in packet.decode())
            if text.strip():
                cues.append((start, end, text))
    except (FFmpegError, OSError, ValueError):
        # A truncated file still has the cues before the break.
        pass
    return {
        "track": track.index,
        "language": track.metadata.get("language", ""),
        "cues": cues,
    }


def choose_track(film: Film, languages: Sequence[str]) -> av.stream.Stream | None:
    """The text track a viewer would read."""
    from av.stream import Disposition

    def rank(track: Any) -> tuple[bool, bool, bool, int]:
        spoken = track.metadata.get("language", "")
        return (
            bool(track.disposition & Disposition.forced),
            bool(languages) and primary_tag(spoken) not in languages,
            not track.disposition & Disposition.default,
            track.index,
        )

    tracks = [
        track
        for track in film.container.streams.subtitles
        if track.codec_context is not None and track.codec_context.name in TEXT_SUBTITLES
    ]
    return min(tracks, key=rank, default=None)


def primary_tag(tag: str) -> str:
    """The language of a tag such as "eng", "pt-BR" or "English", in lower case."""
    return tag.casefold().replace("_", "-").split("-")[0]


def _text(subtitle: Any) -> str:
    """The text of a subtitle; every text codec is decoded into SubStation dialogue."""
    dialogue = getattr(subtitle, "dialogue", b"")
    text = dialogue.decode("utf-8", errors="replace") if isinstance(dialogue, bytes) else ""
    return OVERRIDE.sub("", text).replace(r"\N", "\n").replace(r"\h", " ")
