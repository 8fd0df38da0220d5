"""Stories as the command line's JSON has them."""

from __future__ import annotations

import json

from storyscope.formats.registry import Format
from storyscope.formats.timeline import Timeline


def write(timeline: Timeline) -> str:
    """The video and its stories, times in seconds."""
    video = timeline.video
    facts = {
        "video": {"id": video.id, "duration": video.duration, "fps": video.fps},
        "annotator": timeline.annotator,
        "stories": [
            {
                "start": entry.span.start,
                "end": entry.span.end,
                "title": entry.title,
                "keywords": list(entry.keywords),
            }
            for entry in timeline.entries
        ],
    }
    return json.dumps(facts, ensure_ascii=False, indent=2) + "\n"


FORMAT = Format("json", ".json", "everything, for scripts", "nothing", write)
