"""Scenarist closed captions (.scc): CEA-608 byte pairs, as broadcasters archive them."""

from __future__ import annotations

import re

from storyscope.core.language import UNKNOWN
from storyscope.transcripts.cues import Cue

FRAMES_A_SECOND = 30_000 / 1001
LONGEST_SECONDS = 8.0
"""Seconds that a caption stays if nothing erases it."""

_LINE = re.compile(r"\s*([0-9]{1,2}):([0-9]{2}):([0-9]{2})([:;.])([0-9]{2})\s+(.*)")
_BASIC = {
    0x2A: "á", 0x5C: "é", 0x5E: "í", 0x5F: "ó", 0x60: "ú", 0x7B: "ç", 0x7C: "÷", 0x7D: "Ñ",
    0x7E: "ñ", 0x7F: "█",
}  # fmt: skip
_SPECIAL = "®°½¿™¢£♪à\N{NO-BREAK SPACE}èâêîôû"
_EXTENDED = {
    0x12: "ÁÉÓÚÜü‘¡*’—©℠•“”ÀÂÇÈÊËëÎÏïÔÙùÛ«»",
    0x13: "ÃãÍÌìÒòÕõ{}\\^_|~ÄäÖöß¥¤│ÅåØø┌┐└┘",
}
RESUME, BACKSPACE, ERASE_SHOWN, RETURN, ERASE_HIDDEN, SHOW = 0x20, 0x21, 0x2C, 0x2D, 0x2E, 0x2F
ROLL_UP = (0x25, 0x26, 0x27)
DIRECT = 0x29


def scc_cues(text: str, name: str = "") -> tuple[list[Cue], str]:
    """Cues of the first caption channel, pop-on, roll-up or paint-on."""
    captions = _Captions()
    for line in text.split("\n"):
        written = _LINE.match(line)
        if written:
            captions.read(_seconds(written), written[6].split())
    return captions.close(), UNKNOWN


class _Captions:
    """A caption decoder: the text being written, the text shown, and since when."""

    def __init__(self) -> None:
        self.cues: list[Cue] = []
        self._hidden: list[str] = []
        self._shown = ""
        self._since = 0.0
        self._live = False
        """Whether text is shown while it is written (roll-up and paint-on)."""
        self._last_control = ""

    def read(self, seconds: float, words: list[str]) -> None:
        """Process byte pairs that are sent from this time on, one per frame."""
        for number, word in enumerate(words):
            if not re.fullmatch(r"[0-9A-Fa-f]{4}", word):
                continue
            now = seconds + number / FRAMES_A_SECOND
            first, second = int(word[:2], 16) & 0x7F, int(word[2:], 16) & 0x7F
            if not 0x10 <= first < 0x20:
                self._last_control = ""
                self._hidden += [_basic(byte) for byte in (first, second) if byte >= 0x20]
            elif word == self._last_control:  # Control codes are sent twice, in case one is lost.
                self._last_control = ""
            else:
                self._last_control = word
                self._control(first & 0x17, second, now)

    def close(self) -> list[Cue]:
        """All captions, the last of which may never have been erased."""
        if self._live:
            self._show(self._since)
        self._erase(self._since + LONGEST_SECONDS)
        return self.cues

    def _control(self, first: int, second: int, now: float) -> None:
        if first in (0x14, 0x15) and second < 0x30:
            self._command(second, now)
        elif first == 0x11 and 0x30 <= second < 0x40:
            self._hidden.append(_SPECIAL[second - 0x30])
        elif first in _EXTENDED and 0x20 <= second < 0x40:
            # An extended character replaces the plain one that was sent for simple decoders.
            del self._hidden[-1:]
            self._hidden.append(_EXTENDED[first][second - 0x20])
        elif second >= 0x40:
            self._hidden.append("\n")
        elif first == 0x11:
            self._hidden.append(" ")

    def _command(self, command: int, now: float) -> None:
        if command == RESUME:
            self._live = False
        elif command in ROLL_UP or command == DIRECT:
            if self._live:
                self._show(now)
            self._live = True
            self._since = now
        elif command == RETURN:
            self._show(now)
        elif command == SHOW:
            self._erase(now)
            self._shown, self._hidden, self._since = "".join(self._hidden), [], now
        elif command == ERASE_SHOWN:
            if self._live:
                self._show(now)
            self._erase(now)
        elif command == ERASE_HIDDEN:
            self._hidden = []
        elif command == BACKSPACE:
            del self._hidden[-1:]

    def _show(self, now: float) -> None:
        """A live line is complete: it was shown while it was written."""
        text = "".join(self._hidden)
        if text.strip():
            self.cues.append(Cue(self._since, max(now, self._since), _tidy(text)))
        self._hidden, self._since = [], now

    def _erase(self, now: float) -> None:
        if self._shown.strip():
            end = min(now, self._since + 60.0)
            self.cues.append(Cue(self._since, end, _tidy(self._shown)))
        self._shown = ""


def _seconds(written: re.Match[str]) -> float:
    """Clock time: drop-frame timecode keeps to the clock, other timecode runs slow."""
    hours, minutes, seconds = (int(written[place]) for place in (1, 2, 3))
    frames = (hours * 3600 + minutes * 60 + seconds) * 30 + int(written[5])
    if written[4] == ":":
        return frames / FRAMES_A_SECOND
    total_minutes = hours * 60 + minutes
    return (frames - 2 * (total_minutes - total_minutes // 10)) / FRAMES_A_SECOND


def _basic(byte: int) -> str:
    return _BASIC.get(byte, chr(byte))


def _tidy(text: str) -> str:
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)
