"""Pins the shipped weights: writes their SHA-256 to the table that they are checked against.

    python -m training.pin_weights

Programs in this folder that replace shipped weights do this themselves.
"""

from __future__ import annotations

import re

from storyscope.models import OWN, digest_of
from storyscope.models.own import PACKAGE

TABLE = PACKAGE / "models" / "own.py"


def main() -> None:
    """Update every digest in the table from the current file."""
    text = TABLE.read_text(encoding="utf-8")
    for inside in OWN:
        pinned = re.compile(rf'("{re.escape(inside)}": \(\s*")[0-9a-f]{{64}}(")')
        text, found = pinned.subn(rf"\g<1>{digest_of(PACKAGE / inside)}\2", text)
        assert found == 1, inside
    TABLE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
