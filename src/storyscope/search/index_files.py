"""The index of a library, kept up to date.

Most of it is in segment files in the library's folder, which a new process maps into memory; only
videos that are in none of them are read from the store.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from storyscope.config import Config
from storyscope.models import class_names
from storyscope.search.classes import embed_classes
from storyscope.search.filter import Filter
from storyscope.search.image_text import image_dimensions
from storyscope.search.index import Index
from storyscope.search.query import QueryVectors
from storyscope.search.segment import Segment, open_segment, segment_files
from storyscope.search.text_model import load_text_model
from storyscope.store import PASSAGES, TITLES, Store, TextQuery
from storyscope.writing import write_whole

SEGMENTS = "search"
"""The library's folder of segment files; if it is deleted, it is written again."""
NEVER = (-1, -1)
"""Version of the library before it was first read."""
VIDEOS_PER_FILE = 64
"""Number of videos in a segment file: fewer are quickly read from the store."""


class LibraryIndex:
    """The index of a library, updated whenever it is requested."""

    def __init__(self, store: Store, config: Config, folder: Path | None) -> None:
        """`folder` is the library's folder; without one there are no segment files."""
        self._store, self._config = store, config
        # Segment files are deleted and written again, so the folder must not be a link.
        usable = folder is not None and not (folder / SEGMENTS).is_symlink()
        self._folder = folder / SEGMENTS if folder and usable else None
        self._index: Index | None = None
        self._versions: dict[int, tuple[int, int]] = {}
        self._keys: dict[str, str] = {}
        """The keys of the artefacts that every video in the index was made from."""
        self._left_out: set[str] = set()
        """Videos that cannot be read; tried again whenever the library has changed."""

    def leave_out(self, video: str) -> None:
        """Search without a damaged video until the library changes."""
        self._left_out.add(video)
        self._versions = dict.fromkeys(self._versions, NEVER)

    @property
    def class_vectors(self) -> np.ndarray:
        """Vectors of the image network's classes, in the space of the text model."""
        return self.up_to_date().class_vectors

    def prepare(self) -> None:
        """Nothing needs to be done before a snapshot of the library is taken."""

    def for_query(
        self, query: QueryVectors, terms: Sequence[TextQuery], most: int, only: Filter
    ) -> Index:
        """The index, with every story as a candidate."""
        return self.up_to_date()

    def up_to_date(self) -> Index:
        """The index, with all videos that were added, changed or removed since the last call."""
        reader, version = self._store.version()
        if self._index is not None and self._versions.get(reader) == version:
            return self._index
        if self._versions.get(reader, NEVER) not in (NEVER, version):
            self._left_out.clear()
        addresses = self._store.text.addresses()
        passages, titles = self._store.ready_keys(PASSAGES), self._store.ready_keys(TITLES)
        wanted = {
            video: f"{passages[video]} {key} {addresses.get(video, range(0)).start}"
            for video, key in titles.items()
            if video in passages and video not in self._left_out
        }
        if self._index is None:
            self._index = self._opened(wanted)
        # Removed and changed videos go first: a new video may have been given their addresses.
        for video in [video for video, key in self._keys.items() if wanted.get(video) != key]:
            self._index.remove(video)
            del self._keys[video]
        for video in [video for video in wanted if video not in self._keys]:
            first = addresses.get(video, range(0)).start
            stories, filed = self._store.load(video, TITLES), self._store.load(video, PASSAGES)
            self._index.add(video, stories, filed, key=wanted[video], first_address=first)
            self._keys[video] = wanted[video]
            self._seal(self._index)
        if len(self._index.last.videos) > max(
            VIDEOS_PER_FILE, 2 * len(self._unwritten(self._index))
        ):
            # Most rows are outdated: read the current videos again.
            self._index, self._keys = None, {}
            return self.up_to_date()
        self._versions[reader] = version
        return self._index

    def _opened(self, wanted: dict[str, str]) -> Index:
        """Open the segment files of earlier processes; delete those that are mostly outdated."""
        model = load_text_model(self._config.search.text_model)
        class_vectors = embed_classes(model, class_names())
        index = Index(
            class_vectors, image_dimensions=image_dimensions(self._config.search.image_text)
        )
        paths = segment_files(self._folder) if self._folder else ()
        opened = [
            (open_segment(path, class_vectors, index.image_dimensions), path) for path in paths
        ]
        # Ties are broken by the order of stories, so keep the order in which the store lists
        # videos.
        for segment, path in sorted(opened, key=_first_video):
            videos = segment.videos if segment else []
            current = {v.video: v.key for v in videos if wanted.get(v.video) == v.key}
            for video in self._keys.keys() & current.keys():
                del current[video]
            if segment is not None and current and 2 * len(current) >= len(videos):
                index.attach(segment, current)
                self._keys |= current
                continue
            with suppress(OSError):
                path.unlink()
        return index

    def _unwritten(self, index: Index) -> set[str]:
        """Current videos that are in no segment file yet."""
        return {video.video for video in index.last.videos} & index.videos.keys()

    def _seal(self, index: Index) -> None:
        """Write the last segment to a file once it is large enough, and continue with the file."""
        if self._folder is None or len(self._unwritten(index)) < VIDEOS_PER_FILE:
            return
        try:
            name, content = index.last.serialized()
            path = self._folder / name
            write_whole(path, [content])
        except OSError:  # A read-only library can still be searched.
            self._folder = None
            return
        segment = open_segment(path, index.class_vectors, index.image_dimensions)
        if segment is not None:
            index.seal(segment)


def _first_video(opened: tuple[Segment | None, Path]) -> str:
    segment, path = opened
    return segment.videos[0].video if segment and segment.videos else path.name
