"""Everything that can go wrong in a way a person can mend.

Each message says what happened, what was wanted and what to do; the command line prints it as
one line and exits with code 1.
"""


class StoryscopeError(Exception):
    """Anything Storyscope refuses, with a reason for people."""


class InvalidSegmentation(StoryscopeError, ValueError):
    """Story starts that do not part a line of positions."""


class InvalidSpan(StoryscopeError, ValueError):
    """A time interval that runs backwards or is not finite."""


class InvalidShot(StoryscopeError, ValueError):
    """A shot without frames, or an unknown transition."""


class InvalidFeatures(StoryscopeError, ValueError):
    """Feature vectors of the wrong shape, layout or content."""


class InvalidSetting(StoryscopeError, ValueError):
    """A setting that does not exist or has the wrong value."""


class MediaError(StoryscopeError):
    """A file that cannot be decoded as a video."""


class TranscriptError(StoryscopeError):
    """A subtitle file that cannot be read."""


class FormatError(StoryscopeError):
    """A file of another program that cannot be read or written."""


class AnnotationError(StoryscopeError, ValueError):
    """An annotation that does not fit its video or its rivals."""


class LibraryError(StoryscopeError):
    """A library folder that cannot be opened, read or written."""


class DiskFull(LibraryError):
    """A disk without room for what is to be kept."""


class DamagedVideo(LibraryError):
    """Something that was made of one video and cannot be read any more."""

    def __init__(self, message: str, video: str = "") -> None:
        super().__init__(message)
        self.video = video


class VideoBusy(LibraryError):
    """Another process is at the video."""


class UnknownVideo(LibraryError):
    """No video of that id is in the library."""


class MissingDependency(StoryscopeError):
    """An optional part that is not installed; the message names the extra."""


class ModelError(StoryscopeError):
    """Weights that are missing, damaged or of another kind than wanted."""


class UnknownName(StoryscopeError):
    """A name (of an extractor, a format, a method) that nothing here carries."""
