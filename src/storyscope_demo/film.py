"""The edit: which frame shows what, and the film those frames make."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import accumulate, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from storyscope.core import Segmentation, Transition
from storyscope.progress import Report, Step, silent
from storyscope_demo.script import FPS, SCRIPT, Chapter, Take

if TYPE_CHECKING:
    from PIL import Image

    from storyscope_demo.canvas import Painter, Size

SEED = 7


@dataclass(frozen=True)
class EditedShot:
    """One shot in the film: its frames, its transition, and its scene."""

    frames: range
    transition: Transition
    chapter: int
    take: Take
    place: str
    """Name of the file with its scenes."""


@dataclass(frozen=True)
class Edit:
    """The whole film, frame by frame."""

    shots: tuple[EditedShot, ...]
    script: tuple[Chapter, ...] = SCRIPT
    """The stories it tells, in their order."""

    @property
    def frame_count(self) -> int:
        return self.shots[-1].frames.stop

    @property
    def stories(self) -> Segmentation:
        """The true stories, over frames."""
        firsts = [shot for before, shot in pairwise(self.shots) if shot.chapter != before.chapter]
        return Segmentation.from_cuts((shot.frames.start for shot in firsts), self.frame_count)


def edit(script: tuple[Chapter, ...] = SCRIPT, *, pace: float = 1.0) -> Edit:
    """Join the takes; `pace` stretches every shot.

    A gradual transition is half in the shot before it and half in the shot it leads into.
    """
    takes = [(number, take) for number, chapter in enumerate(script) for take in chapter.takes]
    lengths = [max(FPS // 2, round(take.seconds * pace * FPS)) for _, take in takes]
    edges = [0, *accumulate(lengths)]
    shots = []
    for index, (chapter, take) in enumerate(takes):
        first = edges[index]
        if index == 0:
            transition = Transition("start", 0, 0)
        else:
            over = min(take.over, lengths[index - 1] // 2, lengths[index] // 2)
            begin = first - over // 2
            transition = Transition(take.by, begin, begin + over)
        frames = range(first, edges[index + 1])
        shots.append(EditedShot(frames, transition, chapter, take, script[chapter].place))
    return Edit(tuple(shots), script)


def frames(cut: Edit, size: Size) -> Iterator[Image.Image]:
    """Paint the film, one picture after the other; only the shots in view are in memory."""
    from PIL import ImageChops

    from storyscope_demo.canvas import vignette

    corners = vignette(size)
    painters: dict[int, Painter] = {}
    for frame in range(cut.frame_count):
        shown = _in_view(cut, frame)
        painters = {index: painters.get(index) or _painter(cut, index, size) for index, _ in shown}
        picture = _blend([(painters[i](_scene_time(cut, i, frame)), part) for i, part in shown])
        yield ImageChops.multiply(picture, corners)


def write_film(path: Path, cut: Edit, size: Size, *, report: Report = silent) -> None:
    """Paint, sound and encode the film: H.264 and AAC in an MP4."""
    import av

    from storyscope_demo.soundscape import RATE, soundtrack

    sound = soundtrack(cut, FPS)
    with av.open(str(path), "w", options={"movflags": "+faststart"}) as container:
        video = cast(av.VideoStream, container.add_stream(_encoder(), rate=FPS))
        video.width, video.height, video.pix_fmt = size.width, size.height, "yuv420p"
        video.options = {"preset": "superfast", "crf": "25", "g": str(2 * FPS), "threads": "1"}
        audio = container.add_stream("aac", rate=RATE, layout="mono")
        audio.options = {"aac_coder": "fast"}
        for index, picture in enumerate(frames(cut, size)):
            container.mux(video.encode(av.VideoFrame.from_ndarray(np.asarray(picture))))
            heard = slice(index * RATE // FPS, (index + 1) * RATE // FPS)
            chunk = av.AudioFrame.from_ndarray(sound[None, heard], format="fltp", layout="mono")
            chunk.sample_rate, chunk.pts = RATE, heard.start
            container.mux(audio.encode(chunk))
            report(Step("painting the film", index + 1, cut.frame_count))
        container.mux(video.encode(None))
        container.mux(audio.encode(None))


def _in_view(cut: Edit, frame: int) -> list[tuple[int, float]]:
    """The shots in a frame and the weight of each; the rest up to 1 is black."""
    for index, shot in enumerate(cut.shots):
        change = shot.transition
        if change.first_frame <= frame < change.end_frame:
            part = (frame - change.first_frame + 1) / (change.frame_count + 1)
            if change.kind == "dissolve":
                return [(index - 1, 1.0 - part), (index, part)]
            return [(index - 1, 1.0 - 2 * part)] if part < 0.5 else [(index, 2 * part - 1.0)]
        if frame in shot.frames and not _leaving(cut, index, frame):
            return [(index, 1.0)]
    raise AssertionError(f"no shot holds frame {frame}")


def _leaving(cut: Edit, index: int, frame: int) -> bool:
    return index + 1 < len(cut.shots) and frame >= cut.shots[index + 1].transition.first_frame


def _scene_time(cut: Edit, index: int, frame: int) -> float:
    """Seconds the scene has run at that frame."""
    shot = cut.shots[index]
    return shot.take.since + (frame - min(shot.frames.start, shot.transition.first_frame)) / FPS


def _painter(cut: Edit, index: int, size: Size) -> Painter:
    """Set up a scene; the same scene looks the same each time the film returns to it."""
    shot = cut.shots[index]
    scenes = import_module(f"storyscope_demo.scenes.{shot.place}")
    name = shot.take.scene
    rng = np.random.default_rng([SEED, sum(name.encode())])
    painter: Painter = getattr(scenes, name)(size, rng)
    return painter


def _blend(parts: list[tuple[Image.Image, float]]) -> Image.Image:
    from PIL import Image

    (first, share), *rest = parts
    if rest:
        return Image.blend(first, rest[0][0], rest[0][1])
    if share >= 1.0:
        return first
    return Image.blend(Image.new("RGB", first.size), first, max(0.0, share))


def _encoder() -> str:
    """The best H.264 encoder this PyAV was built with; MPEG-4 where there is none."""
    import av

    for name in ("libx264", "libopenh264"):
        try:
            av.Codec(name, "w")
        except av.codec.codec.UnknownCodecError:
            continue
        return name
    return "mpeg4"
