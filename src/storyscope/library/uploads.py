"""Copies of uploaded files: next to the library's own files, or in its bucket."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path

from storyscope.store import Bucket, Store, in_bucket, split_address
from storyscope.writing import UPLOADING


def keep_upload(store: Store, folder: Path) -> str:
    """Store a complete upload where all processes with the library see it; return its location."""
    name = folder.name.removeprefix(UPLOADING)
    if not store.upload_bucket:
        return str(folder.rename(folder.with_name(name)))
    for file in sorted(folder.iterdir()):
        copy_upload(store, file, f"{name}/{file.name}")
    shutil.rmtree(folder)
    return f"{store.upload_bucket}/{name}"


def copy_upload(store: Store, file: Path, name: str) -> str:
    """Copy a file to the uploads unless it is there; return its location."""
    if not store.upload_bucket:
        copy = store.uploads / name
        if not copy.is_file() or copy.stat().st_size != file.stat().st_size:
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, copy)
        return str(copy)
    address = f"{store.upload_bucket}/{name}"
    place, key = split_address(address)
    bucket = Bucket(place)
    if not bucket.has(key) or bucket.find(key).size != file.stat().st_size:
        bucket.put(key, file)
    return address


def delete_upload(store: Store, file: str) -> None:
    """Delete the library's own copy of an uploaded file; any other file is left alone."""
    if in_bucket(file):
        if store.upload_bucket and file.startswith(f"{store.upload_bucket}/"):
            place, key = split_address(file)
            Bucket(place).delete(key)
    elif not store.uploads.is_symlink() and Path(file).resolve().is_relative_to(
        store.uploads.resolve()
    ):
        Path(file).unlink(missing_ok=True)
        with suppress(OSError):  # It contains something else, or was never an upload.
            Path(file).parent.rmdir()
