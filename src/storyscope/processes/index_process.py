"""The index process: `python -m storyscope.processes.index_process`.

It reads one job (a line of JSON) from standard input, indexes the video, and writes its progress
and its result to standard output as lines of JSON. It ends when its parent dies.
"""

from __future__ import annotations

import errno
import json
import os
import signal
import sys
import tomllib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from storyscope.config import Config, with_settings
from storyscope.errors import DiskFull, StoryscopeError
from storyscope.library import Library
from storyscope.processes.lifeline import claim_standard_output, end_of_input, exit_after
from storyscope.progress import Step
from storyscope.reading import never_behind_links

NO_SPACE = (errno.ENOSPC, errno.EDQUOT)


def main() -> None:
    """Index the video of the job on standard input."""
    out = os.fdopen(claim_standard_output(), "w")

    def send(**facts: Any) -> None:
        print(json.dumps(facts), file=out, flush=True)

    # Ctrl-C reaches every process of the terminal; the parent decides when this one ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    job = json.loads(sys.stdin.buffer.readline())
    exit_after(end_of_input)
    with suppress(AttributeError, OSError):
        os.nice(job["nice"])
    try:
        send(video=_index(job, lambda step: send(stage=step.stage, fraction=step.fraction)))
    except StoryscopeError as error:
        send(failure=str(error), disk_full=is_disk_full(error))
    except Exception as error:
        send(failure=f"{type(error).__name__}: {error}", disk_full=is_disk_full(error))


def is_disk_full(error: BaseException | None) -> bool:
    """Whether an error was caused by a full disk."""
    while error is not None:
        if isinstance(error, DiskFull) or getattr(error, "errno", None) in NO_SPACE:
            return True
        error = error.__cause__
    return False


def _index(job: dict[str, Any], report: Callable[[Step], None]) -> str:
    """Index the video of a job, and return its id."""
    never_behind_links(map(Path, job["real_folders"]))
    config = with_settings(Config(), tomllib.loads(job["settings"]))
    library = Library(job["library"], config=config)
    video = library.add(
        job["path"], transcript=job["transcript"], again=job["again"], report=report
    )
    return video.id


if __name__ == "__main__":
    main()
