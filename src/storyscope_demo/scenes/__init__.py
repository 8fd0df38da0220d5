"""One file per story. Every function paints one shot: (size, rng) -> Painter."""
