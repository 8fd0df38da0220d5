"""A library of videos: the one door through which the command line, the page and scripts go."""

from storyscope.library.local import Library, is_library

__all__ = ["Library", "is_library"]
