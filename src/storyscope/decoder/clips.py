"""One clip per time span, cut without re-encoding (runs inside the decoding process)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from storyscope.decoder.container import Refusal, Terms
from storyscope.decoder.copying import Copy, Source, open_source, suffix_for
from storyscope.decoder.outlet import Outlet, OutletFile

STRAY_SECONDS = 10.0
"""Maximum distance in a file between the packets of one moment, in seconds."""


class Interval(NamedTuple):
    """From `start` up to `end`, in seconds of the film."""

    start: float
    end: float


def cut_clips(path: str, terms: Terms, spans: Sequence[Interval], outlet: Outlet) -> None:
    """Send a file for each span, reading the film twice."""
    source = open_source(path, terms)
    keyframes = _keyframes(source)
    suffix = suffix_for(source)
    if not keyframes:
        raise Refusal("has no keyframe to cut at; use clips-exact")
    outlet.note({"suffix": suffix})
    source = open_source(path, terms)

    def start(clip: _Clip) -> Copy:
        return Copy(source, OutletFile(outlet, clip.number), suffix, begin=clip.begin)

    _cut(source, [_Clip.at(keyframes, *each) for each in enumerate(spans)], start)


@dataclass
class _Clip:
    number: int
    begin: float
    """Second at which the first keyframe is shown."""
    begin_decoding: float
    """Second at which that keyframe is decoded."""
    end: float
    copy: Copy | None = None

    @classmethod
    def at(cls, keyframes: list[tuple[float, float]], number: int, span: Interval) -> _Clip:
        shown = [keyframe[0] for keyframe in keyframes]
        place = max(0, bisect_right(shown, span.start + 1e-3) - 1)
        return cls(number, *keyframes[place], span.end)

    def wants(self, presented: float, decoded: float, *, is_video: bool) -> bool:
        if is_video:
            return self.begin_decoding - 1e-6 <= decoded < self.end
        return self.begin - 1e-6 <= presented < self.end


def _keyframes(source: Source) -> list[tuple[float, float]]:
    """Presentation and decoding time of each keyframe, in order."""
    base = source.video.time_base
    found = [
        (source.seconds(packet.pts, base), source.seconds(packet.dts, base))
        for packet in source.packets(tracks=(source.video,))
        if packet.is_keyframe and packet.pts is not None
    ]
    return sorted(found)


def _cut(source: Source, clips: list[_Clip], start: Callable[[_Clip], Copy]) -> None:
    """Pass every packet to the clips it belongs to; spans are in order, so only few are open."""
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
                clip.copy = clip.copy or start(clip)
                clip.copy.add(packet)
    for clip in clips:
        _finish(clip)


def _finish(clip: _Clip) -> None:
    if clip.copy is not None:
        clip.copy.finish()
