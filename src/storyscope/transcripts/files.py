"""Read subtitle files of any format."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

from storyscope.core import Transcript
from storyscope.core.language import UNKNOWN, language_code
from storyscope.errors import TranscriptError
from storyscope.reading import read_at_most
from storyscope.transcripts.cues import Cue, transcript_of_cues
from storyscope.transcripts.ebu_stl import ebu_stl_cues, is_ebu_stl
from storyscope.transcripts.encoding import decode
from storyscope.transcripts.json_formats import json_cues
from storyscope.transcripts.older_formats import (
    is_microdvd,
    is_sbv,
    microdvd_cues,
    sami_cues,
    sbv_cues,
)
from storyscope.transcripts.scc import scc_cues
from storyscope.transcripts.sidecar import LARGEST_FILE
from storyscope.transcripts.text_formats import (
    has_timing_line,
    subrip_cues,
    substation_cues,
    webvtt_cues,
)
from storyscope.transcripts.xml_formats import xml_cues

Reading = tuple[list[Cue], str]
"""The cues of a file and its stated language ("und" if there is none)."""


def read_transcript(
    path: str | Path, *, duration: float | None = None, fps: float | None = None
) -> Transcript:
    """Read a subtitle file: SubRip, WebVTT, SubStation, TTML/DFXP, YouTube, Whisper JSON, SCC,
    EBU STL, SBV, SAMI or MicroDVD.

    The content tells the format, not the extension, and any encoding is read. `duration` is
    the video's length in seconds, past which nothing is kept; `fps` its frames per second, for
    files that count frames.
    """
    path = Path(path)
    try:
        data = read_at_most(path, LARGEST_FILE)
    except OSError as error:
        raise TranscriptError(f"cannot read the transcript {path}: {error.strerror}") from error
    if is_ebu_stl(data):
        cues, declared = ebu_stl_cues(data, path.name)
    else:
        cues, declared = parse_cues(decode(data), name=path.name, fps=fps)
    if declared == UNKNOWN:
        declared = _language_in_name(path)
    return transcript_of_cues(cues, source=path.name, language=declared, duration=duration)


def parse_cues(text: str, *, name: str = "transcript", fps: float | None = None) -> Reading:
    """Cues and stated language of a subtitle file's text."""
    text = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    if is_microdvd(text):
        return microdvd_cues(text, name, fps=fps)
    for recognise, parse in FORMATS:
        if recognise(text):
            try:
                return parse(text, name)
            except RecursionError as error:
                raise TranscriptError(f"{name} is nested too deeply to be a transcript") from error
            except (ArithmeticError, LookupError, ValueError) as error:
                raise TranscriptError(f"{name} cannot be read: {str(error)[:200]}") from error
    raise TranscriptError(
        f"{name} is not a subtitle file; SubRip (.srt), WebVTT (.vtt), SubStation (.ass), TTML, "
        "YouTube's .srv3 and .sbv, Whisper's JSON, SCC, EBU STL, SAMI and MicroDVD are read"
    )


def _starts_with(pattern: str) -> Callable[[str], bool]:
    return lambda text: re.match(pattern, text, re.IGNORECASE) is not None


def _has_dialogue(text: str) -> bool:
    return re.search(r"^(?:\[Events\]|Dialogue:)", text, re.MULTILINE | re.IGNORECASE) is not None


def _parse_json(text: str, name: str) -> Reading:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TranscriptError(f"{name} is not valid JSON: {error}") from error
    return json_cues(content, name)


FORMATS: tuple[tuple[Callable[[str], bool], Callable[[str, str], Reading]], ...] = (
    (_starts_with(r"\s*WEBVTT"), webvtt_cues),
    (_starts_with(r"\s*Scenarist_SCC"), scc_cues),
    (is_sbv, sbv_cues),
    (_starts_with(r"\s*<sami"), sami_cues),
    (_starts_with(r"\s*<"), xml_cues),
    (_starts_with(r"\s*[{\[]\s*[\"{\[\]}]"), _parse_json),
    (_has_dialogue, substation_cues),
    (has_timing_line, subrip_cues),
)


def _language_in_name(path: Path) -> str:
    """The language in a file name such as `film.en.srt`."""
    codes = [language_code(tag) for tag in path.stem.split(".")[1:]]
    return next((code for code in codes if code), UNKNOWN)
