"""W3C Web Annotation: one annotation per story, its target a fragment of the film."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

from storyscope.formats.registry import Format
from storyscope.formats.timeline import Entry, Timeline

CONTEXT = "http://www.w3.org/ns/anno.jsonld"
FRAGMENTS = "http://www.w3.org/TR/media-frags/"


def write(timeline: Timeline) -> str:
    """An annotation page in JSON-LD."""
    source = quote(Path(timeline.video.path).name)
    page = {
        "@context": CONTEXT,
        "id": f"urn:storyscope:{quote(timeline.video.id)}:{quote(timeline.annotator)}",
        "type": "AnnotationPage",
        "items": [
            _annotation(timeline, entry, number, source)
            for number, entry in enumerate(timeline.entries, start=1)
        ],
    }
    return json.dumps(page, ensure_ascii=False, indent=2) + "\n"


def _annotation(timeline: Timeline, entry: Entry, number: int, source: str) -> dict[str, Any]:
    bodies = [{"type": "TextualBody", "purpose": "describing", "value": entry.title}]
    if entry.summary:
        bodies.append({"type": "TextualBody", "purpose": "commenting", "value": entry.summary})
    bodies += [
        {"type": "TextualBody", "purpose": "tagging", "value": word} for word in entry.keywords
    ]
    return {
        "id": f"urn:storyscope:{quote(timeline.video.id)}:{quote(timeline.annotator)}:{number}",
        "type": "Annotation",
        "motivation": "describing",
        "creator": {"name": timeline.annotator},
        "body": bodies,
        "target": {
            "source": source,
            "selector": {
                "type": "FragmentSelector",
                "conformsTo": FRAGMENTS,
                "value": f"t={entry.span.start:.6f},{entry.span.end:.6f}",
            },
        },
    }


FORMAT = Format(
    "web-annotation",
    ".jsonld",
    "W3C Web Annotation with media fragments",
    "times are microseconds",
    write,
)
