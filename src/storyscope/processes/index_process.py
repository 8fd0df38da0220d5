"""The indexing process: `python -m storyscope.processes.index_process`.

It reads one job (a line of JSON) from standard input, indexes the video, and writes its progress
and its end to standard output, a line of JSON each. When its parent is gone, so is this process.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import tomllib
from collections.abc import Callable
from contextlib import suppress
from typing import Any

GENTLER = 5
"""How much this process gives way to everything else, unless it is told."""


def main() -> None:
    """Index the one video that standard input names."""
    tell = _claim_standard_output()
    # Ctrl-C reaches the whole terminal; when this process ends is for the one that started it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    wanted = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_die_with_parent, daemon=True).start()
    with suppress(AttributeError, OSError):
        os.nice(wanted.get("gentler", GENTLER))

    from storyscope.config import Config, with_settings
    from storyscope.errors import StoryscopeError
    from storyscope.library import Library
    from storyscope.progress import Step

    def follow(step: Step) -> None:
        tell(stage=step.stage, fraction=step.fraction)

    config = with_settings(Config(), tomllib.loads(wanted["settings"]))
    try:
        library = Library(wanted["library"], config=config)
        again = wanted.get("again", False)
        video = library.add(
            wanted["path"], transcript=wanted["transcript"], again=again, report=follow
        )
        tell(video=video.id)
    except StoryscopeError as error:
        tell(failure=str(error))


def _claim_standard_output() -> Callable[..., None]:
    """Keep standard output for messages: whatever else prints goes to standard error."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def tell(**facts: Any) -> None:
        print(json.dumps(facts), file=out, flush=True)

    return tell


def _die_with_parent() -> None:
    # Not through a buffer: its lock would be held when the interpreter ends.
    while os.read(0, 4096):
        pass
    os._exit(1)


if __name__ == "__main__":
    main()
