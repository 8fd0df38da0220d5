"""Birds in mid-beat."""

from __future__ import annotations

from math import sin

from storyscope_demo.sprites import Pen, Sprite


def gull(span: float, beat: float) -> Sprite:
    """A gull seen from the front, at an angle of 0 to 2 pi of its wing beat."""
    lift, tip = 0.16 * sin(beat), 0.20 * sin(beat - 0.7)

    def body(pen: Pen) -> None:
        left = [
            (0.46, 0.50),
            (0.30, 0.46 - lift),
            (0.02, 0.52 - lift - tip),
            (0.28, 0.54 - lift),
            (0.47, 0.60),
        ]
        pen.polygon(left)
        pen.polygon(_mirrored(left))
        pen.curve(
            [(0.44, 0.55), (0.50, 0.47), (0.60, 0.50), (0.66, 0.55), (0.58, 0.60), (0.49, 0.62)]
        )

    def wings(pen: Pen) -> None:
        edge = [(0.30, 0.46 - lift), (0.02, 0.52 - lift - tip), (0.14, 0.505 - lift - 0.6 * tip)]
        under = [(0.46, 0.585), (0.28, 0.54 - lift), (0.47, 0.61)]
        for points, light in ((edge, 0.9), (under, 0.7)):
            pen.polygon(points, light)
            pen.polygon(_mirrored(points), light)

    return Sprite.drawn((span, span), (body, "#5d6d80"), (wings, "#1f2a36"))


def eagle(span: float, beat: float) -> Sprite:
    """A bald eagle seen from above, at an angle of 0 to 2 pi of its wing beat."""
    lift = 0.10 * sin(beat) + 0.03

    def wings(pen: Pen) -> None:
        wing = [
            (0.48, 0.44),
            (0.32, 0.42 - lift * 0.7),
            (0.14, 0.41 - lift * 1.3),
            (0.10, 0.46 - lift * 1.2),
            (0.20, 0.52 - lift * 0.8),
            (0.38, 0.56 - lift * 0.2),
            (0.48, 0.56),
        ]
        pen.curve(wing)
        pen.curve(_mirrored(wing))
        for number in range(6):
            out, tip = 0.01 + 0.012 * number**1.5, 0.40 + 0.035 * number - lift * 2.0
            feather = [
                (0.17, 0.43 - lift * 1.2 + 0.012 * number),
                (out, tip),
                (out + 0.02, tip + 0.02),
                (0.19, 0.47 - lift * 1.1 + 0.014 * number),
            ]
            pen.polygon(feather)
            pen.polygon(_mirrored(feather))
        pen.curve(
            [(0.455, 0.42), (0.5, 0.36), (0.545, 0.42), (0.54, 0.56), (0.5, 0.64), (0.46, 0.56)]
        )

    def bars(pen: Pen) -> None:
        bar = [
            (0.45, 0.46),
            (0.30, 0.445 - lift * 0.7),
            (0.16, 0.435 - lift * 1.2),
            (0.30, 0.475 - lift * 0.6),
        ]
        pen.curve(bar, 0.8)
        pen.curve(_mirrored(bar), 0.8)

    def white(pen: Pen) -> None:
        pen.curve([(0.468, 0.38), (0.5, 0.31), (0.532, 0.38), (0.5, 0.42)])
        pen.polygon([(0.472, 0.61), (0.528, 0.61), (0.562, 0.72), (0.5, 0.735), (0.438, 0.72)])

    def beak(pen: Pen) -> None:
        pen.polygon([(0.488, 0.325), (0.5, 0.285), (0.512, 0.325)])

    return Sprite.drawn(
        (span, span), (wings, "#2e221c"), (bars, "#6b4e36"), (white, "#f8f4ec"), (beak, "#ecb23c")
    )


def _mirrored(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    return [(1 - x, y) for x, y in points]
