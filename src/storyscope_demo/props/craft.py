"""A space station."""

from __future__ import annotations

from storyscope_demo.sprites import Pen, Sprite

WINGS = [(left, top) for left in (0.02, 0.14, 0.74, 0.86) for top in (0.02, 0.58)]


def space_station(height: float) -> Sprite:
    """A hull between two pairs of solar wings, seen from the side."""
    return Sprite.drawn(
        (height * 1.7, height),
        (_panels, "#26407f"),
        (_cells, "#d6aa5a"),
        (_hull, "#d2d6dc"),
        (_shade, "#5c6270"),
    )


def _panels(pen: Pen) -> None:
    for left, top in WINGS:
        right, low = left + 0.10, top + 0.40
        pen.polygon([(left, top), (right, top), (right, low), (left, low)])


def _cells(pen: Pen) -> None:
    for left, top in WINGS:
        pen.line([(left + 0.05, top), (left + 0.05, top + 0.40)], 0.010)
        for step in range(1, 8):
            pen.line([(left, top + 0.05 * step), (left + 0.10, top + 0.05 * step)], 0.006, 0.6)


def _hull(pen: Pen) -> None:
    pen.polygon([(0.02, 0.485), (0.98, 0.485), (0.98, 0.515), (0.02, 0.515)])
    roof = [(0.36, 0.44), (0.42, 0.40), (0.58, 0.40), (0.64, 0.44)]
    pen.curve([*roof, *((x, 1 - y) for x, y in reversed(roof))])
    pen.curve([(0.46, 0.20), (0.54, 0.20), (0.55, 0.42), (0.45, 0.42)])
    pen.curve([(0.47, 0.58), (0.53, 0.58), (0.54, 0.84), (0.46, 0.84)])
    pen.ellipse(0.5, 0.88, 0.035, 0.06)


def _shade(pen: Pen) -> None:
    pen.curve([(0.36, 0.54), (0.5, 0.545), (0.64, 0.54), (0.60, 0.59), (0.42, 0.60)], 0.9)
    pen.polygon([(0.52, 0.22), (0.54, 0.22), (0.55, 0.40), (0.52, 0.40)], 0.8)
    pen.polygon([(0.515, 0.60), (0.53, 0.60), (0.538, 0.83), (0.515, 0.83)], 0.8)
    for place in (0.41, 0.46, 0.51, 0.56):
        pen.ellipse(place, 0.475, 0.010, 0.018)
