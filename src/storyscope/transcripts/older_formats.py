"""Older subtitle formats: SubViewer (.sbv), SAMI (.smi) and MicroDVD (.sub)."""

from __future__ import annotations

import html
import re

from storyscope.core.language import UNKNOWN, language_code
from storyscope.errors import TranscriptError
from storyscope.transcripts.cues import Cue

FILM_RATE = 24_000 / 1001
"""Frame rate of MicroDVD files if neither they nor their video state one."""
STYLES = 100_000
"""Characters at the beginning of a SAMI file among which its styles name the languages."""
LAST_SECONDS = 5.0
"""Seconds that the last words of a SAMI file are shown, because no line states their end."""

_CLOCK = r"([0-9]{1,3}):([0-9]{2}):([0-9]{2})\.([0-9]{3})"
_SBV = re.compile(rf"{_CLOCK},{_CLOCK}\s*$")
_IS = r"\s{0,9}=\s{0,9}[\"']?"
_SYNC = re.compile(
    rf"<sync\b[^<>]{{0,200}}?\bstart{_IS}([0-9]{{1,12}})[^<>]{{0,200}}>", re.IGNORECASE
)
_PARAGRAPH = re.compile(
    rf"<p\b[^<>]{{0,200}}?\bclass{_IS}(\w{{1,40}})[^<>]{{0,200}}>", re.IGNORECASE
)
_LANGUAGE = re.compile(
    r"\.(\w{1,40})\s{0,9}\{[^}]{0,400}?lang\s{0,9}:\s{0,9}([\w-]{2,20})", re.IGNORECASE
)
_BREAK = re.compile(r"<br\s{0,9}/?>", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]{0,400}>")
_MICRODVD = re.compile(r"\{([0-9]{1,9})\}\{([0-9]{0,9})\}(.*)")
_CODES = re.compile(r"\{[^{}]{0,100}\}")


def is_sbv(text: str) -> bool:
    """Whether the first line is a pair of times, separated by a comma."""
    return _SBV.match(text.lstrip().partition("\n")[0]) is not None


def sbv_cues(text: str, name: str = "") -> tuple[list[Cue], str]:
    """Cues of YouTube's .sbv; a blank line ends each."""
    cues = []
    for block in re.split(r"\n[ \t]*\n", text):
        first, _, body = block.strip("\n").partition("\n")
        times = _SBV.match(first.strip())
        if times:
            numbers = [int(number) for number in times.groups()]
            start, end = (
                (h * 60 + m) * 60 + s + ms / 1000 for h, m, s, ms in (numbers[:4], numbers[4:])
            )
            cues.append(Cue(start, end, body.replace("[br]", "\n")))
    return cues, UNKNOWN


def sami_cues(text: str, name: str = "") -> tuple[list[Cue], str]:
    """Cues of the first language of a SAMI file; each lasts until the next, which may be blank."""
    syncs = list(_SYNC.finditer(text))
    if not syncs:
        raise TranscriptError(f"{name} is a SAMI file without a <SYNC Start=...>")
    languages = {found[1].lower(): found[2] for found in _LANGUAGE.finditer(text, 0, STYLES)}
    wanted = _first_class(text)
    shown: list[tuple[float, str]] = []
    edges = [*(sync.start() for sync in syncs[1:]), len(text)]
    for sync, edge in zip(syncs, edges, strict=True):
        words = _of_class(text[sync.end() : edge], wanted)
        if words is not None:
            shown.append((int(sync[1]) / 1000, words))
    ends = [start for start, _ in shown[1:]] + [start + LAST_SECONDS for start, _ in shown[-1:]]
    timed = zip(shown, ends, strict=True)
    cues = [Cue(start, end, words) for (start, words), end in timed if words]
    return cues, language_code(languages.get(wanted, "")) or UNKNOWN


def is_microdvd(text: str) -> bool:
    """Whether the first line begins with two frame numbers in braces."""
    return _MICRODVD.match(text.lstrip()) is not None


def microdvd_cues(text: str, name: str = "", *, fps: float | None = None) -> tuple[list[Cue], str]:
    """Cues of a MicroDVD file, at the frame rate of its first line, of its video, or of film."""
    rate = fps or FILM_RATE
    cues = []
    for line in text.split("\n"):
        found = _MICRODVD.match(line.strip())
        if not found:
            continue
        first, last, words = int(found[1]), int(found[2] or found[1]), found[3]
        if first <= 1 and last <= 1 and re.fullmatch(r"[0-9]{2,3}(\.[0-9]{1,6})?", words.strip()):
            rate = float(words) or rate
            continue
        plain = _CODES.sub("", words).replace("|", "\n")
        cues.append(Cue(first / rate, last / rate, plain))
    return cues, UNKNOWN


def _first_class(text: str) -> str:
    found = _PARAGRAPH.search(text)
    return found[1].lower() if found else ""


def _of_class(body: str, wanted: str) -> str | None:
    """The words of a sync point in the wanted language; None if it has only others."""
    paragraphs = list(_PARAGRAPH.finditer(body))
    if paragraphs and wanted:
        edges = [*(found.start() for found in paragraphs[1:]), len(body)]
        parts = [
            body[found.end() : edge]
            for found, edge in zip(paragraphs, edges, strict=True)
            if found[1].lower() == wanted
        ]
        if not parts:
            return None
        body = "\n".join(parts)
    plain = html.unescape(_TAG.sub("", _BREAK.sub("\n", body)))
    lines = (
        " ".join(line.replace("\N{NO-BREAK SPACE}", " ").split()) for line in plain.split("\n")
    )
    return "\n".join(line for line in lines if line)
