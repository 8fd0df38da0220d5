"""Copy a library between folders and PostgreSQL, in any direction."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from storyscope.errors import LibraryError
from storyscope.library.local import LocalLibrary
from storyscope.library.uploads import copy_upload
from storyscope.store import Artefact, Store, VideoRecord
from storyscope.store.arrays import serialized
from storyscope.store.codec import pack


@dataclass
class Copied:
    """What was copied, and what already existed."""

    videos: list[str] = field(default_factory=list)
    """Ids of the videos of which something was copied."""
    there: list[str] = field(default_factory=list)
    """Ids of the videos that were already complete."""
    artefacts: int = 0
    annotations: int = 0
    documents: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    """Ids of the videos that could not be copied, and why."""


def copy_library(
    source: LocalLibrary,
    target: LocalLibrary,
    *,
    follow: Callable[[str], None] = lambda video: None,
) -> Copied:
    """Copy what the target lacks, artefact by artefact, and verify each one.

    An interrupted copy resumes. A video whose id belongs to a different video in the target is
    refused, and the others continue. Jobs are not copied.
    """
    if source.place == target.place:
        raise LibraryError(f"{source.place} cannot be copied to itself; give another target")
    copied = Copied()
    for record in source.store.records():
        follow(record.video.id)
        try:
            _copy_video(source, target, record, copied)
        except LibraryError as error:
            copied.refused[record.video.id] = str(error)
    for name in source.store.documents():
        content = source.store.document(name).read_bytes()
        there = target.store.document(name)
        if not there.exists() or there.read_bytes() != content:
            target.store.put_document(name, content)
            copied.documents.append(name)
    return copied


def _copy_video(
    source: LocalLibrary, target: LocalLibrary, record: VideoRecord, copied: Copied
) -> None:
    video, before = record.video.id, (copied.artefacts, copied.annotations)
    with source.store.busy(video), target.store.busy(video):
        wanted = _with_uploads(source, target, source.store.record(video) or record)
        known = target.store.record(video)
        if known is None:
            begun = target.store.add_record(replace(wanted, state="indexing"))
            if begun.video.id != video:
                raise LibraryError(f"{wanted.video.path} is {begun.video.id} in {target.place}")
        elif known.video.digest != wanted.video.digest:
            raise LibraryError(
                f"{target.place} has another video called {video}; remove one of them, then copy"
            )
        kept = target.store.keys(video)
        for stage, key in source.store.keys(video).items():
            if kept.get(stage) != key:
                _copy_artefact(source.store, target.store, video, Artefact(stage), key)
                copied.artefacts += 1
        annotations = target.store.annotations(video)
        for annotator, facts in source.store.annotations(video).items():
            if annotations.get(annotator) != facts:
                target.store.put_annotation(video, annotator, facts)
                copied.annotations += 1
        same = (copied.artefacts, copied.annotations) == before and known == wanted
        if known != wanted:
            target.store.put_record(wanted)
    (copied.there if same else copied.videos).append(video)


def _copy_artefact(
    source: Store, target: Store, video: str, artefact: Artefact[Any], key: str
) -> None:
    value = source.load(video, artefact)
    target.save(video, artefact, key, value)
    if artefact_digest(target.load(video, artefact)) != artefact_digest(value):
        raise LibraryError(
            f"{video}'s {artefact.name} in {target.place} is not what was copied; "
            "check the disk and copy again"
        )


def artefact_digest(value: Any) -> str:
    """SHA-256 of everything stored of an artefact."""
    facts, arrays = pack(value)
    digest = hashlib.sha256(facts.encode())
    for piece in serialized(arrays):
        digest.update(piece)
    return digest.hexdigest()


def _with_uploads(source: LocalLibrary, target: LocalLibrary, record: VideoRecord) -> VideoRecord:
    """The record with uploaded files at their new location; other films stay where they are."""
    path = _uploaded(source, target, record.video.path)
    words = record.transcript and _uploaded(source, target, record.transcript)
    return replace(record, video=replace(record.video, path=path), transcript=words)


def _uploaded(source: LocalLibrary, target: LocalLibrary, file: str) -> str:
    path, home = Path(file), source.uploads.resolve()
    if not path.resolve().is_relative_to(home) or not path.is_file():
        return file
    return copy_upload(target.store, path, path.resolve().relative_to(home).as_posix())
