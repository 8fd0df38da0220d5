"""Libraries of videos: the interface that the command line, the page and scripts use."""

from storyscope.library.base import Library, open_library
from storyscope.library.find import find_stories
from storyscope.library.local import LocalLibrary, is_library
from storyscope.library.remote import RemoteLibrary
from storyscope.store import address_of

__all__ = [
    "Library",
    "LocalLibrary",
    "RemoteLibrary",
    "address_of",
    "find_stories",
    "is_library",
    "open_library",
]
