"""Every error that a user can fix.

Each message says what happened, what was expected and what to do; the command line prints it as one
line and exits with code 1.
"""


class StoryscopeError(Exception):
    """Base class of all errors that Storyscope reports to the user."""


class InvalidSegmentation(StoryscopeError, ValueError):
    """Story starts that do not split the positions into consecutive stories."""


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
    """An annotation that does not fit its video or conflicts with another one."""


class LibraryError(StoryscopeError):
    """A library folder that cannot be opened, read or written."""


class DiskFull(LibraryError):
    """A disk without enough free space."""


class DamagedVideo(LibraryError):
    """A stored artefact of a video that can no longer be read."""

    def __init__(self, message: str, video: str = "") -> None:
        super().__init__(message)
        self.video = video


class VideoBusy(LibraryError):
    """The video is being indexed by another process."""


class UnknownVideo(LibraryError):
    """No video with that id is in the library."""


class MissingDependency(StoryscopeError):
    """An optional dependency that is not installed; the message names the extra."""


class ModelError(StoryscopeError):
    """Weights that are missing, damaged or of the wrong kind."""


class UnknownName(StoryscopeError):
    """An unknown name of an extractor, a format or a method."""
