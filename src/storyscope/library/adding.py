"""Add a video to a library, and keep its recorded state correct even if indexing fails."""

from __future__ import annotations

import os
import re
import shutil
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from storyscope.config import Config, MediaConfig
from storyscope.core import Video
from storyscope.errors import LibraryError, MediaError, StoryscopeError, TranscriptError
from storyscope.library.video_settings import settings_of
from storyscope.media import film_at_hand, film_stamp, probe
from storyscope.pipeline import Source, index_video
from storyscope.progress import Report, Step, silent
from storyscope.stages.executor import Executor, Input, Made, NewExecutor, Stage
from storyscope.stages.indexing import check_before_decoding, idle
from storyscope.store import OUTDATED, SCAN, Store, VideoRecord, address_of, in_bucket
from storyscope.writing import real_folder

LETTERS = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"}
)
"""Replacements for letters that are not an ordinary letter with a diacritic."""

T = TypeVar("T")
STOPPED = "stopped before the end; add it again to continue"


def add_video(
    store: Store,
    config: Config,
    path: Path,
    *,
    executor: NewExecutor,
    transcript: str | Path | None = None,
    again: bool = False,
    report: Report = silent,
) -> Video:
    """Index a video, or resume an interrupted run; return it with its id.

    A video stays ready until its shots change. If a stage fails after an artefact changed, the
    video is `failed`; if nothing had changed before, its state stays the same. With `again`, the
    old artefacts stay readable until the new ones are complete.
    """
    path = one_spelling(path)
    words = _readable(transcript) if transcript else None
    known = _known(store, path)
    if known is None:
        known = store.add_record(_probed(path, config.media, plain_name(path), report))
    with store.busy(known.video.id):
        before = store.record(known.video.id) or known
        run = _Run(store, before, _renewed(before, path, words, config.media, report), again=again)
        config = settings_of(store, config, run.video.id)
        quietly = partial(_report_work, report, idle(config))
        execute = executor(store, run.video.id, report=quietly, before_change=run.mark_changed)
        try:
            run.index(config, execute)
        except (Exception, KeyboardInterrupt) as error:
            reason = run.keep_failure(error)
            if isinstance(error, StoryscopeError | KeyboardInterrupt):
                raise
            raise LibraryError(reason) from error
        return run.finish()


class _Run:
    """One indexing run of a video: what it changes, and what is recorded if it fails."""

    def __init__(
        self, store: Store, before: VideoRecord, record: VideoRecord, *, again: bool
    ) -> None:
        if record.state == "failed":
            record = replace(record, state="indexing", failure="")
        if record != before:
            store.put_record(record)
        if again:
            store.outdate_artefacts(record.video.id)
        self._store, self._before, self._record = store, before, record
        self._old_scan = store.key(record.video.id, SCAN) or ""
        self._changed: list[str] = []

    @property
    def video(self) -> Video:
        return self._record.video

    def index(self, config: Config, execute: Executor) -> None:
        """Run every stage that is not finished yet."""
        source = Source.of(self.video, self._record.transcript, self._store)
        if not self._old_scan:
            check_before_decoding(config, source.words.value, self.video)

        def execute_stage(
            stage: Stage[T],
            *inputs: Input,
            settings: object = None,
            weights: Sequence[str | bool] = (),
        ) -> Made[T]:
            made = execute(stage, *inputs, settings=settings, weights=weights)
            outdated = stage.makes == SCAN and self._old_scan.startswith(OUTDATED)
            if outdated and made.key != self._old_scan.removeprefix(OUTDATED):
                self._lose_old_shots()
            return made

        index_video(source, config, execute_stage)

    def mark_changed(self, stage: Stage[Any]) -> None:
        """Note that a stage is about to replace an artefact."""
        self._changed.append(stage.name)
        if stage.makes == SCAN and not self._old_scan.startswith(OUTDATED):
            self._lose_old_shots()

    def keep_failure(self, error: BaseException) -> str:
        """Record that the run failed, unless everything that was ready still is; return the
        reason."""
        reason = _reason(error, self.video)
        scan = (self._store.key(self.video.id, SCAN) or "").removeprefix(OUTDATED)
        same_shots = self._old_scan == f"{OUTDATED}{scan}"
        untouched = self._before.video == self.video and (same_shots or not self._changed)
        ready = untouched and self._before.state == "ready"
        kept = self._before if ready else self._record.failed(reason)
        self._store.put_record(replace(kept, transcript=self._before.transcript))
        return reason

    def finish(self) -> Video:
        """Mark the video as ready."""
        if not self._changed and self._record.state == "ready":
            return self.video
        video = _measured(self.video, self._store)
        self._store.put_record(self._record.ready(video))
        return video

    def _lose_old_shots(self) -> None:
        # New shots invalidate everything computed from the old ones; new stories do not.
        self._store.put_record(replace(self._record, state="indexing"))
        pictures = real_folder(self._store.folder, "pictures", self.video.id)
        shutil.rmtree(pictures, ignore_errors=True)


def known_video(store: Store, path: Path) -> Video | None:
    """The video of a file, if it is in the store."""
    known = _known(store, one_spelling(path))
    return known.video if known else None


def mark_failed(store: Store, path: Path, reason: str) -> None:
    """Record why a video could not be indexed, if its process could not do so itself."""
    known = _known(store, one_spelling(path))
    if known is not None and known.state == "indexing":
        store.put_record(known.failed(reason))


def as_it_stands(store: Store, record: VideoRecord) -> VideoRecord:
    """The record of a video, corrected if the process that was indexing it was killed."""
    if record.state == "failed" and record.failure == STOPPED:
        return replace(record, state="stopped")
    if record.state != "indexing":
        return record
    try:
        with store.busy(record.video.id, patience=0):
            last = store.record(record.video.id) or record
            stopped = replace(last, state="stopped", failure=STOPPED)
            return stopped if last.state == "indexing" else last
    except LibraryError:  # Another process is indexing it, or may be.
        return record


def _report_work(report: Report, idle_stages: frozenset[str], step: Step) -> None:
    if step.stage not in idle_stages:
        report(step)


def _known(store: Store, path: Path) -> VideoRecord | None:
    return next((r for r in store.records() if r.video.path == address_of(path)[1]), None)


def _readable(transcript: str | Path) -> str:
    if in_bucket(transcript):
        return address_of(transcript)[1]
    path = Path(transcript).expanduser().absolute()
    if not path.is_file():
        raise TranscriptError(f"{path} cannot be read: there is no such file")
    return str(path)


def one_spelling(path: Path) -> Path:
    """The absolute path without `..`, so that a file has only one spelling."""
    if in_bucket(path):
        return path
    path = path.expanduser().absolute()
    plain = Path(os.path.normpath(path))
    # After a link to a folder, `..` may lead elsewhere.
    return plain if path.exists() and plain.exists() and plain.samefile(path) else path


def plain_name(path: Path) -> str:
    """An id made from the file name, in letters that are safe in shells and URLs.

    A name without such letters (映画) becomes a short digest of the name.
    """
    name = unicodedata.normalize("NFKD", path.stem.lower().translate(LETTERS))
    letters = "".join(c for c in name if not unicodedata.combining(c))
    plain = re.sub(r"[^a-z0-9]+", "-", letters).strip("-")[:60]
    if all(c.isascii() for c in letters if c.isalnum()):
        return plain or "video"
    stem = unicodedata.normalize("NFC", path.stem)
    return f"{plain or 'video'}-{sha256(stem.encode(errors='surrogateescape')).hexdigest()[:6]}"


def _renewed(
    known: VideoRecord, path: Path, words: str | None, config: MediaConfig, report: Report
) -> VideoRecord:
    """The record of a video whose file or transcript may have changed."""
    if not _unchanged(path, known):
        fresh = _probed(path, config, known.video.id, report)
        return replace(fresh, transcript=words or known.transcript)
    if words is None or words == known.transcript:
        return known
    return replace(known, transcript=words, state="indexing")


def _probed(path: Path, config: MediaConfig, name: str, report: Report) -> VideoRecord:
    stamp = film_stamp(path) if in_bucket(path) else None
    with film_at_hand(path, report=report):
        facts = probe(path, config)
    video = Video(
        id=name,
        path=address_of(path)[1],
        digest=facts.digest,
        duration=facts.duration,
        frame_count=facts.frame_count,
        fps=facts.fps,
        width=facts.width,
        height=facts.height,
        has_sound=facts.has_sound,
    )
    return VideoRecord(video, "indexing", *(stamp or film_stamp(path)))


def _unchanged(path: Path, record: VideoRecord) -> bool:
    try:
        return film_stamp(path) == (record.size, record.modified_ns)
    except (OSError, MediaError):
        return False


def _measured(video: Video, store: Store) -> Video:
    """The video with the duration that was measured by decoding it to the end."""
    film = store.load(video.id, SCAN)
    end = film.shots[-1]
    return replace(video, duration=end.span.end, frame_count=end.frames.stop)


def _reason(error: BaseException, video: Video) -> str:
    if isinstance(error, KeyboardInterrupt):
        return STOPPED
    if isinstance(error, OSError):
        return f"{error.strerror or error}: {error.filename or video.path}"
    if isinstance(error, StoryscopeError):
        return str(error)
    return f"{video.path} could not be indexed: {type(error).__name__}: {error}"
