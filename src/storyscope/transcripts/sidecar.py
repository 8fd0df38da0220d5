"""Find the subtitle file next to a video."""

from __future__ import annotations

import json
from pathlib import Path

from storyscope.core.language import language_code
from storyscope.reading import read_at_most

EXTENSIONS = (
    *(".srt", ".vtt", ".ass", ".ssa", ".ttml", ".dfxp", ".srv3", ".srv2", ".srv1", ".json"),
    *(".sbv", ".scc", ".stl", ".smi", ".sami", ".sub"),
)
"""Extensions of subtitle files, in order of preference."""
LARGEST_FILE = 64_000_000
"""Maximum size of a subtitle file in bytes."""


def find_sidecar(video_path: str | Path, *, language: str = "auto") -> Path | None:
    """The best subtitle file with the video's name, next to it or in its `subs` folder.

    `film.srt` belongs to `film.mp4`, as do `film.en.srt`, `film.en-US.forced.vtt` and
    `Subs/film.srt`. The wanted language is preferred (with "auto" a file without a language, then
    English), and full subtitles to forced ones.
    """
    video = Path(video_path)
    folders = [video.parent, *_subtitle_folders(video.parent)]
    found = [
        (rank, path)
        for near, folder in enumerate(folders)
        for path in _files(folder)
        if (rank := _rank(path, video, near, language)) is not None
    ]
    return min(found, default=(None, None))[1]


SUBTITLE_FOLDERS = {"subs", "sub", "subtitles"}
FLAGS = {"forced", "sdh", "hi", "cc", "default", "auto", "orig", "full", "whisper", "whisperx"}


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.suffix.lower() in EXTENSIONS)
    except OSError:
        return []


def _subtitle_folders(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.name.lower() in SUBTITLE_FOLDERS)
    except OSError:
        return []


def _is_foreign(path: Path, video: Path) -> bool:
    """Whether a link, to a file or a folder, leads outside the film's folder."""
    if video.is_symlink():
        return False
    return not path.resolve().is_relative_to(video.resolve().parent)


def _rank(path: Path, video: Path, near: int, language: str) -> tuple[int, ...] | None:
    """Sort key, smaller is better; None if the file does not belong to this video."""
    tags = _tags(path.stem.casefold(), video.stem.casefold(), video.name.casefold())
    if tags is None or not path.is_file() or _is_foreign(path, video):
        return None
    if path.suffix.lower() == ".json" and not _holds_segments(path):
        return None
    flags = set(tags) & FLAGS
    codes = [code for tag in tags if tag not in FLAGS and (code := language_code(tag))]
    if len(flags) + len(codes) != len(tags):
        return None
    wanted = ["en"] if language == "auto" else [language]
    if language == "auto" and not codes:
        liking = 0
    elif codes and codes[0] in wanted:
        liking = 1
    else:
        liking = 2 if not codes else 3
    return (
        int("forced" in flags),
        liking,
        near,
        len(flags),
        EXTENSIONS.index(path.suffix.lower()),
    )


def _tags(stem: str, video_stem: str, video_name: str) -> list[str] | None:
    """The tags between the video's name and the extension: "film.en.forced" has two."""
    for own in (video_name, video_stem):
        if stem == own:
            return []
        if stem.startswith(own + "."):
            return stem[len(own) + 1 :].split(".")
    return None


def _holds_segments(path: Path) -> bool:
    """Whether a JSON file is a transcript, which has segments: any program may leave JSON files."""
    try:
        content = json.loads(read_at_most(path, LARGEST_FILE))
    except (OSError, ValueError, RecursionError):
        return False
    keys = ("segments", "transcription", "events", "word_segments")
    return isinstance(content, dict) and any(isinstance(content.get(key), list) for key in keys)
