"""IIIF Presentation 3: a manifest whose ranges are the stories."""

from __future__ import annotations

import json
from mimetypes import guess_type
from pathlib import Path
from typing import Any
from urllib.parse import quote

from storyscope.core import Span
from storyscope.formats.registry import Format
from storyscope.formats.timeline import Entry, Timeline

BASE = "https://example.org/iiif"
"""Placeholder of the address that the manifest will be served from; replace it when publishing."""


def write(timeline: Timeline) -> str:
    """One canvas that plays the film, and a range of the canvas for each story."""
    video = timeline.video
    base = f"{BASE}/{quote(video.id)}"
    canvas = f"{base}/canvas"
    stories = [
        _range(f"{base}/range/{number}", canvas, timeline, entry)
        for number, entry in enumerate(timeline.entries, start=1)
    ]
    manifest = {
        "@context": "http://iiif.io/api/presentation/3/context.json",
        "id": f"{base}/manifest.json",
        "type": "Manifest",
        "label": _label(video.id),
        "items": [_canvas(timeline, base, canvas)],
        "structures": [
            {
                "id": f"{base}/range",
                "type": "Range",
                "label": _label(timeline.annotator),
                "items": stories,
            }
        ],
    }
    return json.dumps(manifest, ensure_ascii=False, indent=2) + "\n"


def _canvas(timeline: Timeline, base: str, canvas: str) -> dict[str, Any]:
    video = timeline.video
    size = {"duration": video.duration, "width": video.width, "height": video.height}
    name = Path(video.path).name
    film = {
        "id": f"{base}/{quote(name)}",
        "type": "Video",
        "format": guess_type(name)[0] or "video/mp4",
        **size,
    }
    painting = {
        "id": f"{canvas}/page/film",
        "type": "Annotation",
        "motivation": "painting",
        "body": film,
        "target": canvas,
    }
    page = {"id": f"{canvas}/page", "type": "AnnotationPage", "items": [painting]}
    return {"id": canvas, "type": "Canvas", **size, "items": [page]}


def _range(name: str, canvas: str, timeline: Timeline, entry: Entry) -> dict[str, Any]:
    shots = timeline.inside(entry)
    made: dict[str, Any] = {"id": name, "type": "Range", "label": _label(entry.title)}
    if entry.summary:
        made["summary"] = _label(entry.summary)
    if entry.keywords:
        words = {"label": {"en": ["keywords"]}, "value": {"none": list(entry.keywords)}}
        made["metadata"] = [words]
    made["items"] = [_part(canvas, entry.span)] + [
        {
            "id": f"{name}/shot/{number}",
            "type": "Range",
            "label": _label(shot.title),
            "items": [_part(canvas, shot.span)],
        }
        for number, shot in enumerate(shots, start=1)
    ]
    return made


def _part(canvas: str, span: Span) -> dict[str, Any]:
    return {"id": f"{canvas}#t={span.start:.6f},{span.end:.6f}", "type": "Canvas"}


def _label(text: str) -> dict[str, list[str]]:
    return {"none": [text]}


FORMAT = Format(
    "iiif",
    ".json",
    "IIIF Presentation 3 manifest with a range per story",
    "nothing; replace example.org by your server's address",
    write,
    nests=True,
)
