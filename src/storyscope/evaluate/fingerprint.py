"""Recognise a video under another name, by its editing rhythm.

Two detectors find mostly the same shots in a film, and runs of three shots hardly ever have the
same lengths in two films. So a fingerprint is a sample of such lengths: the lowest hashes of all of
them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import pairwise

IN_A_ROW = 3
"""Number of consecutive shots whose lengths are hashed together."""

STEP = 0.2
"""Step in seconds to which lengths are rounded."""

KEPT = 32
"""Number of hashes in a fingerprint."""

SHARED = 8
"""Minimum number of equal hashes in fingerprints of the same video. One film split into shots by
two detectors shares about half of them, two films hardly any."""


def fingerprint(edges: Sequence[float]) -> str:
    """The fingerprint of a video with these shot starts and end, in seconds."""
    steps = [round((end - start) / STEP) for start, end in pairwise(edges)]
    runs = {str(steps[k : k + IN_A_ROW]) for k in range(max(1, len(steps) - IN_A_ROW + 1))}
    hashes = sorted(hashlib.sha256(run.encode()).hexdigest()[:8] for run in runs)
    return "".join(hashes[:KEPT])


def same_video(one: str, other: str) -> bool:
    """Whether two fingerprints are of the same video; short videos match only if all their shots
    do."""
    if one == other:
        return True
    hashes = [{text[k : k + 8] for k in range(0, len(text), 8)} for text in (one, other)]
    return len(hashes[0] & hashes[1]) >= SHARED
