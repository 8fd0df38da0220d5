"""Times in the notations that people use."""

from __future__ import annotations

import re

from storyscope.errors import InvalidSpan

_WRITTEN = re.compile(r"(?:(?:([0-9]{1,6}):)?([0-9]{1,2}):)?([0-9]{1,12}(?:[.,][0-9]{1,18})?)$")


def format_time(seconds: float, *, decimals: int = 0) -> str:
    """Seconds as 2:05 or 1:02:33; with decimals, 2:05.40. Fractions are cut off, not rounded."""
    sign = "-" if seconds < 0 else ""
    scale = 10**decimals
    # A microsecond of tolerance: 0.3 seconds may be 0.29999999999999998.
    ticks = int(abs(seconds) * scale + 1e-6 * scale)
    whole, fraction = divmod(ticks, scale)
    minutes, second = divmod(whole, 60)
    hours, minute = divmod(minutes, 60)
    head = f"{hours}:{minute:02d}" if hours else f"{minute}"
    tail = f".{fraction:0{decimals}d}" if decimals else ""
    return f"{sign}{head}:{second:02d}{tail}"


def format_timestamp(seconds: float, *, mark: str = ".") -> str:
    """Seconds as 00:01:02.345, rounded to milliseconds, as subtitle files write them."""
    minutes, rest = divmod(round(seconds * 1000), 60_000)
    hours, minute = divmod(minutes, 60)
    return f"{hours:02d}:{minute:02d}:{rest // 1000:02d}{mark}{rest % 1000:03d}"


def parse_time(text: str) -> float:
    """Seconds from 95, 95.5, 1:35 or 1:02:33.5."""
    written = _WRITTEN.match(text.strip())
    if not written:
        raise InvalidSpan(f"a time is written as 95.5, 1:35 or 1:02:33, got {text[:40]!r}")
    hours, minutes, seconds = written.groups()
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + float(seconds.replace(",", "."))
