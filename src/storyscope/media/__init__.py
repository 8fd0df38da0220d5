"""Video files to frames and sound, decoded once in a separate process.

`find_videos` lists files, `probe` returns a file's properties, `scan` decodes everything in one
pass; `read_sound`, `read_frames` and `read_subtitles` read a part of it; `stream` converts a film
for browsers; `remux` and `cut_clips` write other files from it.
"""

from storyscope.decoder import Sandbox
from storyscope.decoder import available as available_sandbox
from storyscope.media.codecs import decoders
from storyscope.media.exporting import cut_clips, remux
from storyscope.media.facts import Chapter, Probe, ScanEnd, SoundTrack, Subtitles, SubtitleTrack
from storyscope.media.fetching import (
    fetched_words,
    film_at_hand,
    film_pieces,
    film_stamp,
    find_film,
    has_film,
    is_fetched,
    words_beside,
)
from storyscope.media.files import file_digest
from storyscope.media.finding import find_videos
from storyscope.media.reading import probe, read_frames, read_sound, read_subtitles, scan
from storyscope.media.watching import Codecs, read_codecs, read_title, stream

__all__ = [
    "Chapter",
    "Codecs",
    "Probe",
    "Sandbox",
    "ScanEnd",
    "SoundTrack",
    "SubtitleTrack",
    "Subtitles",
    "available_sandbox",
    "cut_clips",
    "decoders",
    "fetched_words",
    "file_digest",
    "film_at_hand",
    "film_pieces",
    "film_stamp",
    "find_film",
    "find_videos",
    "has_film",
    "is_fetched",
    "probe",
    "read_codecs",
    "read_frames",
    "read_sound",
    "read_subtitles",
    "read_title",
    "remux",
    "scan",
    "stream",
    "words_beside",
]
