"""Import from and export to the files of other programs."""

from storyscope.formats.annotations import (
    OneScale,
    WrittenAnnotation,
    on_one_scale,
    read_annotations,
)
from storyscope.formats.registry import FORMATS, Format, find_format, format_names
from storyscope.formats.saving import save_files
from storyscope.formats.thumbnails import write_sprite_sheet
from storyscope.formats.timeline import Entry, Timeline, timeline_of

__all__ = [
    "FORMATS",
    "Entry",
    "Format",
    "OneScale",
    "Timeline",
    "WrittenAnnotation",
    "find_format",
    "format_names",
    "on_one_scale",
    "read_annotations",
    "save_files",
    "timeline_of",
    "write_sprite_sheet",
]
