"""Films in a bucket, which are downloaded to a local cache before they are decoded.

The process that decodes a film has no network. Its parent downloads the film from the address that
the user gave, and from no other. To play a film, only the requested ranges are read.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from hashlib import sha256
from pathlib import Path, PurePosixPath

from storyscope.core import VIDEO_SUFFIXES
from storyscope.errors import DiskFull, LibraryError, MediaError
from storyscope.progress import Report, Step, silent
from storyscope.store import Bucket, BucketFile, address_of, in_bucket, split_address
from storyscope.writing import half_written

CACHE_VARIABLE = "STORYSCOPE_FILM_CACHE"
"""Environment variable: maximum size of the cache of downloaded films in gigabytes."""
CACHE_GIGABYTES = 100.0
MOST_WORDS = 32 << 20
"""Maximum size of a subtitle file in bytes."""
LOCK = ".lock"
OUTLINE_BYTES = 4 << 20
"""Bytes at the beginning and end of a film from which its codecs are read."""


@contextmanager
def film_at_hand(film: str | Path, *, report: Report = silent) -> Iterator[Path]:
    """A film as a readable local file; a film in a bucket is downloaded first.

    While the block lasts, the cache keeps it.
    """
    if not in_bucket(film):
        yield Path(film)
        return
    with _fetched(film, find_film(film), report) as path:
        yield path


def film_stamp(film: str | Path) -> tuple[int, int]:
    """The size of a film in bytes, and when it was modified in nanoseconds."""
    if in_bucket(film):
        found = find_film(film)
        return found.size, found.modified_ns
    stat = Path(film).stat()
    return stat.st_size, stat.st_mtime_ns


def has_film(film: str | Path) -> bool:
    """Whether a film exists at its address."""
    if not in_bucket(film):
        return os.path.isfile(film)
    try:
        return bool(find_film(film).key)
    except MediaError:
        return False


def find_film(film: str | Path) -> BucketFile:
    """The bucket's metadata of a film."""
    place, key = split_address(film)
    try:
        if not key:
            raise FileNotFoundError
        return Bucket(place).find(key)
    except FileNotFoundError:
        raise MediaError(f"{_shown(film)} does not exist; check the address") from None
    except LibraryError as error:
        raise MediaError(str(error)) from error


def is_fetched(film: str | Path, found: BucketFile) -> bool:
    """Whether the local cache has the content of a film that was found in a bucket."""
    return _place_of(film, found).exists()


def film_pieces(film: str | Path, found: BucketFile, part: range) -> Iterator[bytes]:
    """A range of the bytes of a film in a bucket; an error if its content has changed."""
    place, key = split_address(film)
    return map(bytes, Bucket(place).pieces(key, tag=found.tag, part=part))


@contextmanager
def film_outline(film: str | Path, found: BucketFile) -> Iterator[Path]:
    """A sparse local file with the beginning and the end of a film in a bucket."""
    ends = [range(min(OUTLINE_BYTES, found.size)), range(found.size - OUTLINE_BYTES, found.size)]
    with tempfile.TemporaryDirectory(prefix="storyscope-") as folder:
        path = Path(folder) / PurePosixPath(found.key).name
        with path.open("wb") as file:
            file.truncate(found.size)
            for part in ends if found.size > OUTLINE_BYTES else ends[:1]:
                file.seek(part.start)
                file.writelines(film_pieces(film, found, part))
        yield path


def videos_in_bucket(place: str | Path) -> list[Path]:
    """The film at an address; for a folder, the videos inside, at any depth."""
    bucket, key = split_address(place)
    if PurePosixPath(key).suffix.lower() in VIDEO_SUFFIXES:
        find_film(place)
        return [Path(_shown(place))]
    try:
        found = sorted(file.key for file in Bucket(bucket).files(key.rstrip("/") or None))
    except LibraryError as error:
        raise MediaError(str(error)) from error
    videos = [name for name in found if PurePosixPath(name).suffix.lower() in VIDEO_SUFFIXES]
    if not videos:
        raise MediaError(
            f"{_shown(place)} contains no videos; give a folder with .mp4 or .mkv files"
        )
    return [Path(f"{bucket}/{name}") for name in videos]


def words_beside(film: str | Path, suffixes: Iterable[str]) -> Path | None:
    """Download the subtitle file with the film's name from the same folder of its bucket."""
    address = PurePosixPath(split_address(film)[1])
    for suffix in suffixes:
        with suppress(MediaError):
            return fetched_words(f"{split_address(film)[0]}/{address.with_suffix(suffix)}")
    return None


def fetched_words(address: str | Path) -> Path:
    """A subtitle file of a bucket as a local file."""
    found = find_film(address)
    if found.size > MOST_WORDS:
        raise MediaError(f"{_shown(address)} is larger than 32 MB, too large for subtitles")
    with _fetched(address, found, silent) as path:
        return path


@contextmanager
def _fetched(film: str | Path, found: BucketFile, report: Report) -> Iterator[Path]:
    """A file of a bucket as a local file in the cache, which is kept while the block lasts."""
    with ExitStack() as stack:
        try:
            path = _place_of(film, found)
            stack.enter_context(_kept(path, lambda: _fetch(film, found, path, report)))
            os.utime(path.parent)
        except LibraryError as error:
            if isinstance(error, DiskFull):
                raise
            raise MediaError(f"{_shown(film)} cannot be downloaded: {error}") from error
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise DiskFull(
                    f"the disk of the cache is full, so that {_shown(film)} cannot be downloaded; "
                    "free some space and run the same command again"
                ) from error
            raise MediaError(f"{_shown(film)} cannot be downloaded: {error}") from error
        yield path


def _fetch(film: str | Path, found: BucketFile, path: Path, report: Report) -> None:
    """Download a file of a bucket to the cache, completely and with exactly this content."""
    limit = float(os.environ.get(CACHE_VARIABLE) or CACHE_GIGABYTES) * 1e9
    if found.size > limit:
        raise MediaError(
            f"{_shown(film)} has {found.size / 1e9:.1f} GB, more than the cache of films may "
            f"have; raise {CACHE_VARIABLE} (gigabytes)"
        )
    make_room(path.parent.parent, limit - found.size)
    place, key = split_address(film)
    pieces = _measured(film, Bucket(place).pieces(key, tag=found.tag), found.size, report)
    with half_written(path.parent, pieces) as part:
        part.replace(path)


def make_room(cache: Path, most_bytes: float) -> None:
    """Delete the least recently used films that nobody reads, until the size is below the limit."""
    kept = []
    for folder in cache.iterdir() if cache.is_dir() else ():
        with suppress(OSError):
            size = sum(path.stat().st_size for path in folder.iterdir())
            kept.append((folder.stat().st_mtime, size, folder))
    left = sum(size for _, size, _ in kept)
    for _, size, folder in sorted(kept):
        if left <= most_bytes:
            return
        if size and _delete_unused(folder):
            left -= size


@contextmanager
def _kept(path: Path, fetch: Callable[[], None]) -> Iterator[None]:
    """Protect a film in the cache from deletion, and `fetch` it if it is missing.

    If several processes need it at once, one downloads the film and the others wait.
    """
    import fcntl

    folder = path.parent
    while True:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            opened = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        except FileNotFoundError:  # It was deleted at this moment.
            continue
        try:
            if not path.exists():
                fcntl.flock(opened, fcntl.LOCK_EX)
                if _is_there(opened, folder / LOCK) and not path.exists():
                    fetch()
            # Others may read it too, including this process.
            fcntl.flock(opened, fcntl.LOCK_SH)
            if path.exists() and _is_there(opened, folder / LOCK):
                yield
                return
        finally:
            os.close(opened)


def _delete_unused(folder: Path) -> bool:
    import fcntl

    with suppress(OSError):
        opened = os.open(folder / LOCK, os.O_RDWR)
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder)
            return True
        finally:
            os.close(opened)
    return False


def _is_there(opened: int, path: Path) -> bool:
    with suppress(FileNotFoundError):
        return os.fstat(opened).st_ino == path.stat().st_ino
    return False


def _measured(
    film: str | Path, pieces: Iterator[memoryview], wanted: int, report: Report
) -> Iterator[memoryview]:
    """The chunks, whose total size must be the stated one: no more is written."""
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > wanted:
            break
        report(Step("fetch", size, wanted))
        yield piece
    if size != wanted:
        raise MediaError(f"{_shown(film)} was truncated or changed during the download; try again")


def _place_of(film: str | Path, found: BucketFile) -> Path:
    """The path of a film with this content in the cache."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    name = sha256(f"{_shown(film)}\0{found.tag}\0{found.size}".encode()).hexdigest()[:32]
    return base / "storyscope" / "films" / name / PurePosixPath(found.key).name


def _shown(film: str | Path) -> str:
    return address_of(film)[1]
