"""Text that every file, database and terminal can hold."""

from __future__ import annotations


def encodable(text: str) -> str:
    """The text with a question mark for each half of a character, which JSON alone can write."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="replace").decode()
    return text
