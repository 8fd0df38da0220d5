"""Score found boundaries against exact truth, cuts and gradual transitions apart.

A found boundary is the first frame of a new shot. It finds a cut within `tolerance` frames of it,
and a gradual transition if it falls inside it, or within `tolerance` frames. Every found boundary
can find one transition; what finds none is a false alarm, charged to both scores, because not
every detector says which kind it means.
"""

from __future__ import annotations

from dataclasses import dataclass, field

GRADUAL = ("dissolve", "fade", "wipe")


@dataclass
class Score:
    """Counts that add up over clips."""

    found: dict[str, int] = field(default_factory=dict)
    true: dict[str, int] = field(default_factory=dict)
    false_alarms: int = 0

    def __add__(self, other: Score) -> Score:
        kinds = sorted({*self.true, *other.true})
        return Score(
            {k: self.found.get(k, 0) + other.found.get(k, 0) for k in kinds},
            {k: self.true.get(k, 0) + other.true.get(k, 0) for k in kinds},
            self.false_alarms + other.false_alarms,
        )

    def table(self) -> dict[str, dict[str, float]]:
        """Precision, recall and F1 of cuts, gradual transitions and both together."""
        return {
            "cut": self._of(("cut",)),
            "gradual": self._of(GRADUAL),
            "all": self._of(("cut", *GRADUAL)),
        }

    def _of(self, kinds: tuple[str, ...]) -> dict[str, float]:
        found = sum(self.found.get(kind, 0) for kind in kinds)
        true = sum(self.true.get(kind, 0) for kind in kinds)
        claimed = found + self.false_alarms
        return {
            "precision": found / claimed if claimed else 1.0,
            "recall": found / true if true else 1.0,
            "f1": 2 * found / (claimed + true) if claimed + true else 1.0,
        }


def score(found: list[int], truth: list[dict], tolerance: int) -> Score:
    """Match boundaries and transitions one to one, both in order of time."""
    left, result = sorted(found), Score()
    for transition in sorted(truth, key=lambda t: t["end_frame"]):
        kind = transition["kind"]
        result.true[kind] = result.true.get(kind, 0) + 1
        first, end = transition["first_frame"] - tolerance, transition["end_frame"] + tolerance
        hit = next((frame for frame in left if first <= frame <= end), None)
        if hit is not None:
            left.remove(hit)
            result.found[kind] = result.found.get(kind, 0) + 1
    result.false_alarms = len(left)
    return result
