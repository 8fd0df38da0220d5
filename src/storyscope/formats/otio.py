"""OpenTimelineIO: the timeline that editing programs exchange."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from storyscope.core import Span
from storyscope.errors import MissingDependency
from storyscope.formats.registry import Format
from storyscope.formats.timeline import Entry, Timeline, film_address

if TYPE_CHECKING:
    import opentimelineio


def write(timeline: Timeline) -> str:
    """One track of stories; each is a clip of the film, or a track of its shots."""
    otio = load_otio()
    track = otio.schema.Track(name="stories", kind=otio.schema.TrackKind.Video)
    film = _film(otio, timeline)
    for entry in timeline.entries:
        shots = timeline.inside(entry)
        track.append(
            _nested(otio, timeline, film, entry, shots) or _clip(otio, timeline, film, entry)
        )
    whole = otio.schema.Timeline(name=timeline.video.id)
    whole.metadata["storyscope"] = {"annotator": timeline.annotator}
    whole.tracks.append(track)
    text: str = otio.adapters.write_to_string(whole, "otio_json")
    return text + "\n"


def load_otio() -> Any:
    """The opentimelineio library, which is an extra."""
    try:
        import opentimelineio
    except ModuleNotFoundError as error:
        raise MissingDependency(
            "OTIO timelines need opentimelineio, which is not installed; "
            "run `pip install storyscope[formats]`"
        ) from error
    return opentimelineio


def _film(otio: Any, timeline: Timeline) -> Any:
    whole = Span(0.0, timeline.video.duration)
    address = film_address(timeline.video)
    return otio.schema.ExternalReference(address, _range(otio, timeline, whole))


def _nested(
    otio: Any, timeline: Timeline, film: Any, entry: Entry, shots: tuple[Entry, ...]
) -> Any:
    """A story as a track of its shots, cut to the story's own boundaries; None without shots."""
    if not shots:
        return None
    story = otio.schema.Track(name=entry.title, kind=otio.schema.TrackKind.Video)
    story.metadata["storyscope"] = _metadata(entry)
    edges = [entry.span.start, *(shot.span.start for shot in shots[1:]), entry.span.end]
    for shot, (start, end) in zip(shots, pairwise(edges), strict=True):
        story.append(_clip(otio, timeline, film, Entry(Span(start, end), shot.title)))
    return story


def _clip(otio: Any, timeline: Timeline, film: Any, entry: Entry) -> opentimelineio.schema.Clip:
    clip = otio.schema.Clip(entry.title, film.clone(), _range(otio, timeline, entry.span))
    clip.metadata["storyscope"] = _metadata(entry)
    return clip


def _metadata(entry: Entry) -> dict[str, Any]:
    return {"keywords": list(entry.keywords), "summary": entry.summary}


def _range(otio: Any, timeline: Timeline, span: Span) -> Any:
    rate = float(timeline.rate)
    start, end = timeline.frame(span.start), timeline.frame(span.end)
    return otio.opentime.TimeRange(
        otio.opentime.RationalTime(start, rate), otio.opentime.RationalTime(end - start, rate)
    )


FORMAT = Format(
    "otio",
    ".otio",
    "OpenTimelineIO for editing systems and pipelines",
    "times are whole frames",
    write,
    nests=True,
)
