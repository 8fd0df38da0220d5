"""Files of other programs in and out."""

from storyscope.formats.annotations import (
    OneScale,
    WrittenAnnotation,
    on_one_scale,
    read_annotations,
)

__all__ = ["OneScale", "WrittenAnnotation", "on_one_scale", "read_annotations"]
