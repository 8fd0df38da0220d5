"""Run attacks of one kind, starting at a given number, and print the outcome of each.

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
"""Runs the attack with that number; returns a summary, or raises."""
MOST_MEMORY = 6 << 30
"""Bytes of address space; an attack that exceeds it is a failure."""


class Lost(Exception):
    """User data was lost or changed."""


class Leaked(Exception):
    """Private data was leaked."""


def main() -> None:
    kind, seed, first = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, resource.RLIM_INFINITY))
    verdicts = os.fdopen(os.dup(1), "w")
    # Output of libraries must not be mistaken for an outcome.
    os.dup2(2, 1)
    with tempfile.TemporaryDirectory(prefix="hostile-") as scratch:
        os.environ["STORYSCOPE_LIBRARY"] = f"{scratch}/library"
        attacks = import_module(f"benchmarks.attacks.{kind}").attacks
        for verdict in judged(attacks(seed, Path(scratch)), first):
            print(json.dumps(verdict), file=verdicts, flush=True)


def judged(attacks: tuple[Attack, int | None], first: int) -> Iterator[dict[str, Any]]:
    """Every attack from number `first` on, with its outcome."""
    attack, count = attacks
    number = first
    while count is None or number < count:
        began = time.monotonic()
        verdict, detail = judge(attack, number)
        seconds = round(time.monotonic() - began, 2)
        yield {"number": number, "verdict": verdict, "detail": detail, "seconds": seconds}
        number += 1


def judge(attack: Attack, number: int) -> tuple[str, str]:
    """The outcome of one attack, with a short reason."""
    try:
        return "fine", attack(number)
    except StoryscopeError as error:
        return "refused", str(error)[:300]
    except Lost as error:
        return "lost", str(error)[:300]
    except Leaked as error:
        return "out", str(error)[:300]
    except Exception:
        return "traceback", traceback.format_exc()[-1500:]


if __name__ == "__main__":
    main()
