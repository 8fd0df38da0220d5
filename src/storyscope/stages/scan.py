"""The two stages whose output grows with the film: decoding, and the image network.

Their output is written to disk in parts, so that a longer film needs no more memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from storyscope.config import FeatureConfig, MediaConfig, ShotConfig
from storyscope.core import (
    Film,
    Keyframes,
    Picture,
    Shot,
    SmallFrame,
    SoundChunk,
    Span,
    Transition,
    VisionOutput,
)
from storyscope.errors import MediaError
from storyscope.features import (
    KeyframePicker,
    SoundListener,
    describe_parts,
    join_keyframes,
    load_backbone,
)
from storyscope.media import ScanEnd, scan
from storyscope.media.reading import Item
from storyscope.progress import Report, silent
from storyscope.shots import detect_shots
from storyscope.store import Spool

NewSpool = Callable[[], Spool]


def scan_film(
    path: str,
    media: MediaConfig,
    settings: tuple[ShotConfig, FeatureConfig],
    *,
    report: Report = silent,
    spool: NewSpool = Spool,
) -> Film:
    """Decode the film once: shots, keyframes and sound, in constant memory.

    If only a part is indexed, everything before it is one shot.
    """
    shot_settings, picks = settings
    picker, listener, ends = KeyframePicker(picks), SoundListener(), []
    pictures, cepstra = spool(), spool()

    def small_frames() -> Iterator[SmallFrame]:
        for item in _part(scan(path, media, report=report), media):
            match item:
                case SmallFrame():
                    yield item
                case Shot():
                    add(item)
                case Picture():
                    picker.see(item)
                case SoundChunk():
                    listener.hear(item)
                    cepstra.append(listener.drain())
                case ScanEnd():
                    ends.append(item)

    def without_pictures(settled: Keyframes) -> Keyframes:
        for picture in settled.pictures:
            pictures.append(picture)
        return replace(settled, pictures=())

    def add(shot: Shot) -> None:
        picker.add_shot(shot)
        shots.append(shot)
        parts.append(without_pictures(picker.drain()))

    shots: list[Shot] = []
    parts: list[Keyframes] = []
    for shot in detect_shots(small_frames(), shot_settings):
        first = shot.frames.start
        follows = first > 0 and shot.transition.kind == "start"
        add(replace(shot, transition=Transition("cut", first, first)) if follows else shot)
    if not shots:
        raise MediaError(f"{path} has no frames after {media.start:g} s, where indexing starts")
    keyframes = join_keyframes([*parts, without_pictures(picker.close())])
    keyframes = replace(keyframes, pictures=pictures.blobs())
    sound = listener.close()
    if sound is not None:
        cepstra.append(np.asarray(sound.mfcc))
        sound = replace(sound, mfcc=cepstra.rows())
    (end,) = ends
    return Film(tuple(shots), keyframes, sound, end.damaged, end.has_subtitles)


def _part(items: Iterator[Item], media: MediaConfig) -> Iterator[Item | Shot]:
    """The items of the part that is indexed, after one shot of all frames before it."""
    begun = media.start == 0
    for item in items:
        if isinstance(item, SmallFrame):
            if 0 < media.end <= item.seconds:
                # Subtitles are read elsewhere.
                yield ScanEnd(item.index, item.seconds, "", has_subtitles=True)
                return
            if item.seconds < media.start:
                continue
            if not begun and item.index > 0:
                yield Shot(Span(0.0, item.seconds), range(item.index), Transition("start", 0, 0))
            begun = True
        yield item


def look(
    film: Film,
    settings: FeatureConfig,
    *,
    report: Report = silent,
    spool: NewSpool = Spool,
) -> VisionOutput:
    """Run the keyframes through the image network."""
    backbone = load_backbone(settings.backbone)
    maps, posteriors, hypercolumns = spool(), spool(), []
    for part in describe_parts(
        film.keyframes, backbone, full_map=settings.map == "full", report=report
    ):
        maps.append(np.asarray(part.maps))
        posteriors.append(np.asarray(part.posteriors))
        hypercolumns.append(part.hypercolumns)
    columns = np.concatenate(hypercolumns)
    return VisionOutput(maps.rows(), posteriors.rows(), columns, backbone.producer)
