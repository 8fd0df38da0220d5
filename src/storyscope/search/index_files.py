"""The index of a library, as fresh as the library is.

Most of it lies in files beside the library, each with the rows of some videos, which a new process
maps into memory; only what is in none of them is read from the store.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from storyscope.config import Config
from storyscope.search import (
    CONSE,
    Index,
    Segment,
    class_vectors,
    load_image_text,
    load_text_model,
    open_segment,
    segment_files,
)
from storyscope.store import Store
from storyscope.writing import write_whole

SEGMENTS = "search"
"""The folder of the library that holds the files; whoever deletes it only waits longer once."""
SEALED = 64
"""Videos that a file holds: fewer are quickly read."""


class LibraryIndex:
    """Brings the index up to date when it is asked for."""

    def __init__(self, store: Store, config: Config, folder: Path | None) -> None:
        """`folder` is the library's; without one nothing is kept on disk."""
        self._store, self._config = store, config
        self._folder = folder / SEGMENTS if folder else None
        self._index: Index | None = None
        self._versions: dict[int, tuple[int, int]] = {}
        self._keys: dict[str, str] = {}
        """Of what every video in the index was made from."""

    def fresh(self) -> Index:
        """The index, with what was added, changed or removed since it was last asked for."""
        reader, version = self._store.version()
        if self._index is not None and self._versions.get(reader) == version:
            return self._index
        addresses = self._store.said_addresses()
        passages, titles = self._store.ready_keys("passages"), self._store.ready_keys("titles")
        wanted = {
            video: f"{passages[video]} {key} {addresses.get(video, range(0)).start}"
            for video, key in titles.items()
            if video in passages
        }
        if self._index is None:
            self._index = self._kept(wanted)
        # All that went or changed leaves before anything comes, which may have its old addresses.
        for video in [video for video, key in self._keys.items() if wanted.get(video) != key]:
            self._index.remove(video)
            del self._keys[video]
        for video in [video for video in wanted if video not in self._keys]:
            first = addresses.get(video, range(0)).start
            stories, filed = (self._store.load(video, s) for s in ("titles", "passages"))
            self._index.add(video, stories, filed, key=wanted[video], first_address=first)
            self._keys[video] = wanted[video]
            self._seal(self._index)
        if len(self._index.last.filed) > max(SEALED, 2 * len(self._living(self._index))):
            # Videos were changed again and again: what is left of them is soon read anew.
            self._index, self._keys = None, {}
            return self.fresh()
        self._versions[reader] = version
        return self._index

    def _kept(self, wanted: dict[str, str]) -> Index:
        """What earlier processes left; files that mostly speak of the past are swept away."""
        from storyscope.models import class_names

        model = load_text_model(self._config.search.text_model)
        meanings = class_vectors(model, class_names())
        index = Index(meanings, look_dimensions=_look_dimensions(self._config))
        paths = segment_files(self._folder) if self._folder else ()
        opened = [(open_segment(path, meanings, index.look_dimensions), path) for path in paths]
        # Of equal stories the first wins: they lie in the order in which all would be read.
        for segment, path in sorted(opened, key=_first_video):
            filed = segment.filed if segment else []
            living = {f.video: f.key for f in filed if wanted.get(f.video) == f.key}
            for video in self._keys.keys() & living.keys():
                del living[video]
            if segment is not None and living and 2 * len(living) >= len(filed):
                index.adopt(segment, living)
                self._keys |= living
                continue
            with suppress(OSError):
                path.unlink()
        return index

    def _living(self, index: Index) -> set[str]:
        """Videos that are in no file yet."""
        return {filed.video for filed in index.last.filed} & index.videos.keys()

    def _seal(self, index: Index) -> None:
        """Put what was read so far into a file, and go on with that."""
        if self._folder is None or len(self._living(index)) < SEALED:
            return
        try:
            name, content = index.last.packed()
            path = self._folder / name
            write_whole(path, [content])
        except OSError:  # A library that cannot be written can still be searched.
            self._folder = None
            return
        segment = open_segment(path, index.meanings, index.look_dimensions)
        if segment is not None:
            index.seal(segment)


def _first_video(opened: tuple[Segment | None, Path]) -> str:
    segment, path = opened
    return segment.filed[0].video if segment and segment.filed else path.name


def _look_dimensions(config: Config) -> int:
    if config.search.image_text == CONSE:
        return 0
    return int(load_image_text(config.search.image_text).encode_texts(["a"]).shape[1])
