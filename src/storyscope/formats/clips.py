"""One clip a story, cut without re-encoding: each begins at the keyframe before its story."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from pathlib import Path

from storyscope.errors import FormatError
from storyscope.formats.copying import Copy, Source, open_source
from storyscope.formats.registry import Format
from storyscope.formats.timeline import Entry, Timeline, one_line

STRAY_SECONDS = 10.0
"""How far apart the packets of one moment may lie in a file."""
LONGEST_NAME = 60


def save(timeline: Timeline, folder: Path) -> None:
    """Write the clips into a folder, made if missing, in two readings of the film."""
    make_folder(folder)
    with open_source(timeline.video.path) as source:
        keyframes = _keyframes(source)
        suffix = _suffix(source)
    if not keyframes:
        raise FormatError(f"{timeline.video.path} has no keyframe to cut at; use clips-exact")
    waiting = [
        _Clip.at(keyframes, entry, folder / clip_name(number, entry, suffix))
        for number, entry in enumerate(timeline.entries, start=1)
    ]
    with open_source(timeline.video.path) as source:
        _cut(source, waiting)


def clip_name(number: int, entry: Entry, suffix: str) -> str:
    """A file name that any system takes: "03 The hunt.mp4"."""
    words = re.sub(r"[^\w .,'()-]+", " ", one_line(entry.title))
    return f"{number:02d} {one_line(words)[:LONGEST_NAME]}".strip(" .") + suffix


def make_folder(folder: Path) -> None:
    """The folder for clips, made if missing."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FormatError(f"clips go into a folder; {folder} cannot be one") from error


@dataclass
class _Clip:
    begin: float
    """Seconds at which the keyframe is shown, and..."""
    begin_decoding: float
    """...at which it is decoded."""
    end: float
    path: Path
    copy: Copy | None = None

    @classmethod
    def at(cls, keyframes: list[tuple[float, float]], entry: Entry, path: Path) -> _Clip:
        shown = [keyframe[0] for keyframe in keyframes]
        place = max(0, bisect_right(shown, entry.span.start + 1e-3) - 1)
        return cls(*keyframes[place], entry.span.end, path)

    def wants(self, presented: float, decoded: float, *, is_video: bool) -> bool:
        if is_video:
            return self.begin_decoding - 1e-6 <= decoded < self.end
        return self.begin - 1e-6 <= presented < self.end


def _keyframes(source: Source) -> list[tuple[float, float]]:
    """When each keyframe is shown and decoded, in order."""
    base = source.video.time_base
    found = [
        (source.seconds(packet.pts, base), source.seconds(packet.dts, base))
        for packet in source.packets(tracks=(source.video,))
        if packet.is_keyframe and packet.pts is not None
    ]
    return sorted(found)


def _cut(source: Source, waiting: list[_Clip]) -> None:
    """Deal every packet to the clips it belongs to; stories are in order, so few are open."""
    clips = list(waiting)
    try:
        for packet in source.packets():
            decoded = source.seconds(packet.dts, packet.time_base)
            stamp = packet.dts if packet.pts is None else packet.pts
            presented = source.seconds(stamp, packet.time_base)
            while clips and clips[0].end + STRAY_SECONDS < decoded:
                _finish(clips.pop(0))
            for clip in clips:
                if clip.begin > presented + STRAY_SECONDS:
                    break
                if clip.wants(presented, decoded, is_video=packet.stream is source.video):
                    clip.copy = clip.copy or Copy(source, clip.path, begin=clip.begin)
                    clip.copy.add(packet)
        for clip in clips:
            _finish(clip)
    except BaseException:
        for clip in clips:
            if clip.copy is not None:
                clip.copy.discard()
        raise


def _finish(clip: _Clip) -> None:
    if clip.copy is not None:
        clip.copy.finish()


def _suffix(source: Source) -> str:
    import av

    with av.open("/dev/null", "w", format="mp4") as out:
        known = out.supported_codecs
    contexts = [track.codec_context for track in source.tracks if track.codec_context is not None]
    codecs = {context.codec.canonical_name for context in contexts}
    return ".mp4" if codecs <= known else ".mkv"


FORMAT = Format(
    "clips",
    ".mp4",
    "a folder with one clip a story, not re-encoded",
    "exact cuts: a clip begins at the keyframe before its story, and ends a few frames late",
    save=save,
)
