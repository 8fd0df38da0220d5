"""Stories in the JSON of the command line."""

from __future__ import annotations

import json
from typing import Any

from storyscope.formats.registry import Format
from storyscope.formats.timeline import Entry, Timeline


def write(timeline: Timeline) -> str:
    """The video and its stories, times in seconds."""
    video = timeline.video
    facts = {
        "video": {"id": video.id, "duration": video.duration, "fps": video.fps},
        "annotator": timeline.annotator,
        "stories": [_facts(timeline, entry) for entry in timeline.entries],
    }
    return json.dumps(facts, ensure_ascii=False, indent=2) + "\n"


def _facts(timeline: Timeline, entry: Entry) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "start": entry.span.start,
        "end": entry.span.end,
        "title": entry.title,
        "keywords": list(entry.keywords),
        "summary": entry.summary,
    }
    shots = timeline.inside(entry)
    if shots:
        facts["shot_starts"] = [shot.span.start for shot in shots]
    return facts


FORMAT = Format("json", ".json", "everything, for scripts", "nothing", write, nests=True)
