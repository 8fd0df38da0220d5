"""Numbers from untrusted files: of bounded length and without exponents."""

from __future__ import annotations

import re
from fractions import Fraction

MAX_DIGITS = 18
_DIGITS = f"[0-9]{{1,{MAX_DIGITS}}}"
_RATIONAL = re.compile(rf"(-?)({_DIGITS})(?:/({_DIGITS})|[.,]({_DIGITS})?[0-9]*)?")


def parse_rational(text: str) -> Fraction:
    """The exact value of 12, -12.5 or 1001/30000; anything else is a ValueError."""
    written = _RATIONAL.fullmatch(text.strip()) if len(text) <= 4 * MAX_DIGITS else None
    if not written:
        raise ValueError(f"expected a number such as 12, 12.5 or 1001/30000, got {text[:40]!r}")
    sign, whole, below, decimals = written.groups()
    value = Fraction(int(whole))
    if below is not None:
        if not int(below):
            raise ValueError(f"a number is divided by zero: {text!r}")
        value /= int(below)
    elif decimals:
        value += Fraction(int(decimals), 10 ** len(decimals))
    return -value if sign else value
