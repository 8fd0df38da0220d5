"""Numbers with the noun that they count."""

from __future__ import annotations


def counted(count: int, one: str, many: str = "") -> str:
    """A number and its noun: "1 story", "3 stories"; `many` is `one` with an s by default."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def count_stories(count: int) -> str:
    """A number of stories in words: "1 story", "3 stories"."""
    return counted(count, "story", "stories")
