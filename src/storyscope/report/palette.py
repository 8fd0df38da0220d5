"""One set of colours for stories, used by the contact sheet, the page and the terminal."""

from __future__ import annotations

STORY_COLOURS = (
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#cc79a7",
    "#8c510a",
    "#56b4e9",
    "#d55e00",
    "#6a51a3",
    "#b8b03a",
)
"""Based on Okabe and Ito, in an order in which neighbours differ in hue and in lightness, so that
people with colour blindness can see where one story ends."""


DARK, LIGHT = "#101418", "#ffffff"


def story_colour(number: int) -> str:
    """The colour of story `number` (from 0) as "#rrggbb"; the colours repeat."""
    return STORY_COLOURS[number % len(STORY_COLOURS)]


def text_colour(ground: str) -> str:
    """Black or white, whichever is more readable on that background."""
    return DARK if contrast(ground, DARK) >= contrast(ground, LIGHT) else LIGHT


def contrast(one: str, other: str) -> float:
    """WCAG 2 contrast of two colours, 1 to 21; small text needs 4.5."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    """Perceived brightness of a colour, 0 to 1 (WCAG 2 relative luminance)."""
    red, green, blue = (_linear(value / 255) for value in to_rgb(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def to_rgb(colour: str) -> tuple[int, int, int]:
    """ "#rrggbb" as three numbers of 0 to 255."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else float(((channel + 0.055) / 1.055) ** 2.4)
