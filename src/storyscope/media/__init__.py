"""File in, frames and sound out, decoded once in a process of its own.

`probe` gives a file's facts, `scan` everything in it in one pass, `find_videos` the files to do
that with.
"""

from storyscope.media.facts import Chapter, Probe, ScanEnd, SoundTrack, Subtitles, SubtitleTrack
from storyscope.media.files import file_digest, find_videos
from storyscope.media.reading import probe, read_subtitles, scan

__all__ = [
    "Chapter",
    "Probe",
    "ScanEnd",
    "SoundTrack",
    "SubtitleTrack",
    "Subtitles",
    "file_digest",
    "find_videos",
    "probe",
    "read_subtitles",
    "scan",
]
