"""Frames come in, shots go out: cuts, fades and dissolves, as soon as each is certain."""

from storyscope.shots.detect import detect_shots

__all__ = ["detect_shots"]
