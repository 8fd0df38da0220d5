"""Read a file: its properties, and everything in it in one pass."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from storyscope.config import MediaConfig
from storyscope.core import Picture, SmallFrame, SoundChunk, Span
from storyscope.core.language import language_tags
from storyscope.decoder import stand_upright, wire
from storyscope.errors import MediaError
from storyscope.media.facts import Chapter, Probe, ScanEnd, SoundTrack, Subtitles, SubtitleTrack
from storyscope.media.fetching import film_at_hand
from storyscope.media.process import decoding
from storyscope.progress import Report, Step, silent

FULL_SCALE = np.float32(32_768)
Item = SmallFrame | Picture | SoundChunk | ScanEnd


def probe(path: str | Path, config: MediaConfig = MediaConfig()) -> Probe:
    """The properties of a video file: its digest, and what its container states."""
    with film_at_hand(path) as file, decoding("probe", file, config) as decoder:
        facts = decoder.answer()
        digest = decoder.digest()
    return Probe(
        path=Path(path),
        digest=digest,
        chapters=tuple(_chapter(chapter) for chapter in facts.pop("chapters")),
        sound_tracks=tuple(SoundTrack(**track) for track in facts.pop("sound_tracks")),
        subtitles=tuple(SubtitleTrack(**track) for track in facts.pop("subtitles")),
        **facts,
    )


def scan(
    path: str | Path, config: MediaConfig = MediaConfig(), *, report: Report = silent
) -> Iterator[Item]:
    """Decode a video once: all its frames small, about five pictures per second, all its sound.

    Frames come in presentation order with increasing times from 0; sound comes in between, roughly
    where it belongs, with the same time base. The last item is a `ScanEnd`. Memory does not grow
    with the length of the film, and leaving the loop early ends the decoder.
    """
    options: dict[str, Any] = {
        "picture_height": config.picture_height,
        "pictures_per_second": config.pictures_per_second,
    }
    duration, reported = 0.0, -1
    with (
        film_at_hand(path) as file,
        decoding("scan", file, config, **options) as decoder,
    ):
        for header, body in decoder:
            if header.kind == wire.NOTE:
                duration = json.loads(body)["duration"]
            elif header.kind == wire.END:
                end = ScanEnd(**json.loads(body))
                report(Step("decode", end.end_seconds, end.end_seconds))
                yield end
            else:
                if int(header.seconds) > reported:
                    reported = int(header.seconds)
                    report(Step("decode", header.seconds, duration))
                yield _item(header, body)


def read_sound(path: str | Path, config: MediaConfig = MediaConfig()) -> Iterator[SoundChunk]:
    """Only the sound, with the same time base as `scan`; nothing if the film is silent."""
    with film_at_hand(path) as file, decoding("read_sound", file, config) as decoder:
        for header, body in decoder:
            if header.kind == wire.SOUND:
                yield _sound(header, body)


def read_frames(
    path: str | Path,
    seconds: Sequence[float],
    *,
    height: int | None = None,
    config: MediaConfig = MediaConfig(),
) -> Iterator[Picture]:
    """The frame shown at each of `seconds` (increasing), `height` pixels high or at its own size.

    There is one picture for each time, in order, with the frame's own time; a time after the end
    gives the last frame. Frames are found by timestamp, so their `index` is -1.
    """
    times = list(map(float, seconds))
    if any(later < earlier for earlier, later in pairwise(times)):
        raise MediaError(
            f"{path}: frames must be requested in increasing order of time; sort them first"
        )
    with (
        film_at_hand(path) as file,
        decoding("read_frames", file, config, seconds=times, height=height) as decoder,
    ):
        for header, body in decoder:
            if header.kind == wire.PICTURE:
                yield Picture(header.frame, header.seconds, _rgb(header, body))


def read_subtitles(
    path: str | Path, config: MediaConfig = MediaConfig(), *, language: str = "auto"
) -> Subtitles | None:
    """The text subtitle track inside a video, in `language` if there is one; None without any.

    Tracks with pictures of text (DVD, Blu-ray, DVB) are ignored.
    """
    languages = [] if language == "auto" else language_tags(language)
    with (
        film_at_hand(path) as file,
        decoding("subtitles", file, config, languages=languages) as decoder,
    ):
        facts = decoder.answer()
    if facts["track"] < 0:
        return None
    cues = tuple((float(start), float(end), str(text)) for start, end, text in facts["cues"])
    return Subtitles(facts["track"], str(facts["language"]), cues)


def _item(header: wire.Header, body: bytes) -> SmallFrame | Picture | SoundChunk:
    if header.kind == wire.SOUND:
        return _sound(header, body)
    kind = SmallFrame if header.kind == wire.SMALL else Picture
    return kind(header.frame, header.seconds, _rgb(header, body))


def _rgb(header: wire.Header, body: bytes) -> np.ndarray:
    rows = np.frombuffer(body, dtype=np.uint8).reshape(header.height, header.stride)
    stored = rows[:, : 3 * header.width].reshape(header.height, header.width, 3)
    return stand_upright(stored, header.turn)


def _sound(header: wire.Header, body: bytes) -> SoundChunk:
    samples = np.frombuffer(body, dtype=np.int16)
    return SoundChunk(header.seconds, samples.astype(np.float32) / FULL_SCALE)


def _chapter(chapter: dict[str, Any]) -> Chapter:
    start = chapter["start"]
    return Chapter(Span(start, max(start, chapter["end"])), chapter["title"])
