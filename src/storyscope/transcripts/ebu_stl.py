"""EBU STL (.stl, Tech 3264): the binary subtitles that European broadcasters exchange."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from storyscope.core.language import UNKNOWN
from storyscope.errors import TranscriptError
from storyscope.transcripts.cues import Cue

HEADER, BLOCK = 1024, 128
RATES = {b"STL25.01": 25, b"STL30.01": 30, b"STL24.01": 24}
NEW_LINE, END = 0x8A, 0x8F
LAST_PART, USER_DATA = 0xFF, 0xFE
CHARACTER_SETS = {b"01": "iso8859_5", b"02": "iso8859_6", b"03": "iso8859_7", b"04": "iso8859_8"}
LANGUAGES = {
    b"08": "de", b"09": "en", b"0A": "es", b"0F": "fr", b"15": "it", b"1D": "nl", b"1E": "no",
    b"20": "pl", b"21": "pt", b"22": "ro", b"27": "fi", b"28": "sv", b"07": "da",
}  # fmt: skip
_MARKS = {
    0xC1: "\u0300", 0xC2: "\u0301", 0xC3: "\u0302", 0xC4: "\u0303", 0xC5: "\u0304", 0xC6: "\u0306",
    0xC7: "\u0307", 0xC8: "\u0308", 0xCA: "\u030a", 0xCB: "\u0327", 0xCD: "\u030b", 0xCE: "\u0328",
    0xCF: "\u030c",
}  # fmt: skip
_LATIN = {
    0xA1: "¡", 0xA2: "¢", 0xA3: "£", 0xA4: "$", 0xA5: "¥", 0xA7: "§", 0xA9: "‘", 0xAA: "“",
    0xAB: "«", 0xB0: "°", 0xB1: "±", 0xB2: "²", 0xB3: "³", 0xB4: "×", 0xB5: "µ", 0xB7: "·",
    0xB8: "÷", 0xB9: "’", 0xBA: "”", 0xBB: "»", 0xBC: "¼", 0xBD: "½", 0xBE: "¾", 0xBF: "¿",
    0xD0: "—", 0xD2: "®", 0xD3: "©", 0xD4: "™", 0xD5: "♪", 0xE1: "Æ", 0xE2: "Ð", 0xE8: "Ł",
    0xE9: "Ø", 0xEA: "Œ", 0xEC: "Þ", 0xF1: "æ", 0xF2: "đ", 0xF3: "ð", 0xF5: "ı", 0xF8: "ł",
    0xF9: "ø", 0xFA: "œ", 0xFB: "ß", 0xFC: "þ",
}  # fmt: skip


def is_ebu_stl(data: bytes) -> bool:
    """Whether the bytes begin with the header of an EBU STL file."""
    return data[3:6] == b"STL" and len(data) >= HEADER


def ebu_stl_cues(data: bytes, name: str) -> tuple[list[Cue], str]:
    """Cues relative to the start of the programme, which the header states."""
    rate = RATES.get(data[3:11])
    if rate is None:
        raise TranscriptError(f"{name}: an EBU STL file has 24, 25 or 30 frames per second")
    start = _programme_start(data[256:264], rate)
    character_set = data[12:14]
    cues: list[Cue] = []
    body = b""
    for offset in range(HEADER, len(data) - BLOCK + 1, BLOCK):
        block = _Block.of(data[offset : offset + BLOCK], rate)
        if block.part == USER_DATA or block.is_comment:
            continue
        body += block.text
        if block.part == LAST_PART:
            text = _decode(body, character_set)
            body = b""
            if text:
                cues.append(Cue(max(0.0, block.start - start), max(0.0, block.end - start), text))
    return cues, LANGUAGES.get(data[14:16].upper(), UNKNOWN)


@dataclass(frozen=True)
class _Block:
    """One block of text and timing."""

    part: int
    start: float
    end: float
    is_comment: bool
    text: bytes

    @classmethod
    def of(cls, data: bytes, rate: int) -> _Block:
        times = (data[5:9], data[9:13])
        start, end = ((h * 60 + m) * 60 + s + f / rate for h, m, s, f in times)
        return cls(data[3], start, end, data[15] == 1, data[16:BLOCK])


def _programme_start(digits: bytes, rate: int) -> float:
    """Seconds at which the programme begins: often ten hours."""
    if not digits.isdigit() or len(digits) != 8:
        return 0.0
    hours, minutes, seconds, frames = (int(digits[at : at + 2]) for at in (0, 2, 4, 6))
    return (hours * 60 + minutes) * 60 + seconds + frames / rate


def _decode(body: bytes, character_set: bytes) -> str:
    codec = CHARACTER_SETS.get(character_set)
    lines = []
    for line in body.partition(bytes([END]))[0].split(bytes([NEW_LINE])):
        text = line.translate(_CONTROL_TO_SPACE)
        decoded = text.decode(codec, errors="replace") if codec else _latin(text)
        lines.append(" ".join(decoded.split()))
    return "\n".join(line for line in lines if line)


def _latin(text: bytes) -> str:
    """ISO 6937: an accent is sent before its letter."""
    letters: list[str] = []
    mark = ""
    for byte in text:
        if byte in _MARKS:
            mark = _MARKS[byte]
            continue
        letter = chr(byte) if byte < 0x80 else _LATIN.get(byte, "")
        letters.append(letter + mark)
        mark = ""
    return unicodedata.normalize("NFC", "".join(letters))


_CONTROL_TO_SPACE = bytes(
    0x20 if code < 0x20 or 0x80 <= code < 0xA0 else code for code in range(256)
)
