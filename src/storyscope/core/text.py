"""Text that every file, database and terminal can represent."""

from __future__ import annotations


def encodable(text: str) -> str:
    """The text with a question mark for each lone surrogate, which only JSON can represent."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="replace").decode()
    return text
