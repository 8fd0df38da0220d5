"""One file a story. Every function paints one shot: (size, rng) -> Painter."""
