"""Shot detection: from frames to shots, with cuts, fades, dissolves and wipes, as a stream."""

from storyscope.shots.detect import detect_shots

__all__ = ["detect_shots"]
