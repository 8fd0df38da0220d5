"""Attack Storyscope with malicious files, kills and requests, and count the failures.

    python benchmarks/hostile.py films --count 300 --seed 1 --resume
    python benchmarks/hostile.py texts|exports|kills|web --count N
    python benchmarks/hostile.py films --keep 217        write attack number 217 and stop
    python benchmarks/hostile.py films --again           run the failed ones again, after a fix

Attack number N of a seed is always the same. Results are saved in out/hostile; `--resume` continues
where the last run stopped. Each run updates the table in docs/reliability.md. A failure is a
traceback, a hang of more than a minute, a crash, lost data or leaked data; each is listed with its
number, and the program exits with code 1.
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[1] / "src")]

from benchmarks import common  # noqa: E402
from benchmarks.attacks.campaign import KINDS, keep, report, run, try_again  # noqa: E402


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("kind", choices=[*KINDS, "table"])
    parser.add_argument("--count", type=int, default=100, help="total number of attacks")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--resume", action="store_true", help="continue where the last run stopped")
    parser.add_argument("--keep", type=int, metavar="N", help="write this attack's file and stop")
    parser.add_argument("--again", action="store_true", help="run only the failed attacks again")
    parser.add_argument("--out", type=Path, default=common.ROOT / "out" / "hostile")
    wanted = parser.parse_args()
    # Save the counts and stop the worker, however the program is stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if wanted.keep is not None:
        print(keep(wanted.kind, wanted.seed, wanted.keep, wanted.out))
        return
    if wanted.again:
        try_again(wanted.kind, wanted.seed, wanted.out)
    elif wanted.kind != "table":
        run(wanted.kind, wanted.seed, wanted.count, wanted.out, resume=wanted.resume)
    if report(wanted.out):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
