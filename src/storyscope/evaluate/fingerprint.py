"""Tell a video again under another name, by the rhythm of its cutting.

Two detectors find most shots of a film alike, and hardly any three shots in a row last as long in
two films. So a fingerprint is a sample of such lengths: the lowest hashes of all of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import pairwise

IN_A_ROW = 3
"""Shots whose lengths are taken together."""

STEP = 0.2
"""Seconds; lengths are told apart by steps of this."""

KEPT = 32
"""Hashes in a fingerprint."""

SHARED = 8
"""Hashes of two fingerprints that are the same where the videos are.

One film cut into shots by two detectors shares about half of them, two films hardly any.
"""


def fingerprint(edges: Sequence[float]) -> str:
    """The fingerprint of a video whose shots begin, and whose last one ends, at these seconds."""
    steps = [round((end - start) / STEP) for start, end in pairwise(edges)]
    runs = {str(steps[k : k + IN_A_ROW]) for k in range(max(1, len(steps) - IN_A_ROW + 1))}
    hashes = sorted(hashlib.sha256(run.encode()).hexdigest()[:8] for run in runs)
    return "".join(hashes[:KEPT])


def same_video(one: str, other: str) -> bool:
    """Whether two fingerprints are of one video; short videos match only if all their shots do."""
    if one == other:
        return True
    hashes = [{text[k : k + 8] for k in range(0, len(text), 8)} for text in (one, other)]
    return len(hashes[0] & hashes[1]) >= SHARED
