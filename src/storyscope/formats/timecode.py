"""SMPTE timecode: frame numbers as hours, minutes, seconds and frames, with drop-frame counting.

At 29.97 and 59.94 frames per second the count runs slow against the clock; drop-frame timecode
skips the numbers (not the frames) 0 and 1 of every minute except each tenth, twice as many at
59.94.
"""

from __future__ import annotations

import re
from fractions import Fraction

from storyscope.errors import FormatError

_WRITTEN = re.compile(r"(\d{2}):(\d{2}):(\d{2})([:;])(\d{2,3})$")


def is_drop(rate: Fraction) -> bool:
    """Whether this rate uses drop-frame timecode: 29.97 and 59.94 do."""
    return rate.denominator == 1001 and round(rate) % 30 == 0


def timecode(frame: int, rate: Fraction) -> str:
    """01:00:00;02 from a frame number."""
    base = round(rate)
    if is_drop(rate):
        dropped = base // 15
        per_minute, per_ten = base * 60 - dropped, base * 600 - 9 * dropped
        tens, rest = divmod(frame, per_ten)
        minutes = max(0, (rest - dropped) // per_minute)
        frame += dropped * (9 * tens + minutes)
    seconds, frames = divmod(frame, base)
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    mark = ";" if is_drop(rate) else ":"
    return f"{hours:02d}:{minute:02d}:{second:02d}{mark}{frames:02d}"


def frame_of(text: str, rate: Fraction) -> int:
    """The frame number of a timecode."""
    written = _WRITTEN.match(text.strip())
    if not written:
        raise FormatError(f"a timecode is written as 01:02:03:04, got {text!r}")
    hours, minutes, seconds, mark, frames = written.groups()
    base = round(rate)
    if int(frames) >= base:
        raise FormatError(f"{text!r} counts frames past {base - 1}; is the rate {float(rate):g}?")
    total_minutes = int(hours) * 60 + int(minutes)
    frame = (total_minutes * 60 + int(seconds)) * base + int(frames)
    if mark == ";" and is_drop(rate):
        frame -= base // 15 * (total_minutes - total_minutes // 10)
    return frame


def is_timecode(text: str) -> bool:
    return bool(_WRITTEN.match(text.strip()))


def seconds_at(text: str, rate: Fraction | None) -> float:
    """The time of a timecode, which is undefined until the rate is known."""
    if rate is None:
        raise FormatError("timecodes need a frame rate; give it with --fps")
    return float(frame_of(text, rate) / rate)
