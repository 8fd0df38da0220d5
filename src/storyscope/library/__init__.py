"""A library of videos: the one door through which the command line, the page and scripts go."""

from storyscope.library.find import find_stories
from storyscope.library.local import Library, is_library

__all__ = ["Library", "find_stories", "is_library"]
