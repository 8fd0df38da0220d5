"""The ground truth of the film, in the JSON shapes that Storyscope uses everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from storyscope_demo.film import Edit
from storyscope_demo.script import FPS

if TYPE_CHECKING:
    from storyscope_demo.canvas import Size


def truth_file(cut: Edit, size: Size) -> dict[str, Any]:
    """Shots with their transitions, and stories, in frames and in seconds."""
    return {
        "fps": FPS,
        "frame_count": cut.frame_count,
        "width": size.width,
        "height": size.height,
        "shots": [
            {
                "start": shot.frames.start / FPS,
                "end": shot.frames.stop / FPS,
                "first_frame": shot.frames.start,
                "end_frame": shot.frames.stop,
                "transition": {
                    "kind": shot.transition.kind,
                    "first_frame": shot.transition.first_frame,
                    "end_frame": shot.transition.end_frame,
                },
                "story": shot.chapter,
                "scene": f"{shot.place}/{shot.take.scene}",
            }
            for shot in cut.shots
        ],
        "stories": [
            {
                "title": chapter.title,
                "start": story.start / FPS,
                "end": story.stop / FPS,
                "first_frame": story.start,
                "end_frame": story.stop,
                "shots": _shots_of(cut, number),
            }
            for number, (story, chapter) in enumerate(zip(cut.stories, cut.script, strict=True))
        ],
        "segmentation": segmentation_file(cut),
    }


def segmentation_file(cut: Edit) -> dict[str, Any]:
    """The true stories over frames."""
    return {"end": cut.frame_count, "starts": list(cut.stories.starts), "annotator": "script"}


def _shots_of(cut: Edit, chapter: int) -> list[int]:
    numbers = [number for number, shot in enumerate(cut.shots) if shot.chapter == chapter]
    return [numbers[0], numbers[-1] + 1]
