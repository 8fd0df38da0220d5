"""Remove a video from a library, with everything computed from it."""

from __future__ import annotations

import shutil

from storyscope.library.documents import forget
from storyscope.library.own_version import OWN_VERSIONS
from storyscope.library.people import FACES, SPEAKERS
from storyscope.library.thumbnails import forget_choices
from storyscope.library.titles import TITLES_DOCUMENT
from storyscope.library.transitions import REJECTED
from storyscope.library.uploads import delete_upload
from storyscope.library.video_settings import VIDEO_SETTINGS
from storyscope.store import Store, VideoRecord
from storyscope.writing import real_folder

BY_VIDEO = (
    OWN_VERSIONS,
    REJECTED,
    SPEAKERS.document,
    FACES.document,
    TITLES_DOCUMENT,
    VIDEO_SETTINGS,
)
"""Documents that contain entries of each video, by its id."""


def remove_video(store: Store, record: VideoRecord) -> None:
    """Remove a video; only files that the library created or that were uploaded are deleted."""
    video = record.video.id
    made = [real_folder(store.folder, name, video) for name in ("pictures", "scratch")]
    with store.busy(video):
        store.remove(video)
        for file in (record.video.path, record.transcript):
            if file:
                delete_upload(store, file)
        forget_choices(store, video)
        forget(store, video, *BY_VIDEO)
        for folder in made:
            shutil.rmtree(folder, ignore_errors=True)
