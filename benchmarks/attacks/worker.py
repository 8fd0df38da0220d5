"""Carry out attacks of one kind, from a number on, and say of each how it ended.

python -m benchmarks.attacks.worker KIND SEED FIRST
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from storyscope.errors import StoryscopeError

Attack = Callable[[int], str]
"""Carries out the attack of that number; returns what it found, or raises."""
MOST_MEMORY = 6 << 30
"""Bytes of address space; an attack that wants more has found something."""


class Lost(Exception):
    """Something that people had is gone or changed."""


class LetOut(Exception):
    """Something that was to stay inside came out."""


def main() -> None:
    kind, seed, first = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, resource.RLIM_INFINITY))
    verdicts = os.fdopen(os.dup(1), "w")
    # What libraries print must not be taken for a verdict.
    os.dup2(2, 1)
    with tempfile.TemporaryDirectory(prefix="hostile-") as scratch:
        os.environ["STORYSCOPE_LIBRARY"] = f"{scratch}/library"
        attacks = import_module(f"benchmarks.attacks.{kind}").attacks
        for verdict in judged(attacks(seed, Path(scratch)), first):
            print(json.dumps(verdict), file=verdicts, flush=True)


def judged(attacks: tuple[Attack, int | None], first: int) -> Iterator[dict[str, Any]]:
    """Every attack from number `first` on, with its verdict."""
    attack, count = attacks
    number = first
    while count is None or number < count:
        began = time.monotonic()
        verdict, detail = judge(attack, number)
        seconds = round(time.monotonic() - began, 2)
        yield {"number": number, "verdict": verdict, "detail": detail, "seconds": seconds}
        number += 1


def judge(attack: Attack, number: int) -> tuple[str, str]:
    """How one attack ended, and a word on why."""
    try:
        return "fine", attack(number)
    except StoryscopeError as error:
        return "refused", str(error)[:300]
    except Lost as error:
        return "lost", str(error)[:300]
    except LetOut as error:
        return "out", str(error)[:300]
    except Exception:
        return "traceback", traceback.format_exc()[-1500:]


if __name__ == "__main__":
    main()
