"""Waits for other processes and threads."""

import os
import time
from pathlib import Path


def wait_until(condition, *, patience=120.0):
    """Wait for a condition, with a timeout that allows for a busy machine."""
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.05)


def is_running(pid):
    """Whether a process is running; a zombie is not."""
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        if Path("/proc").exists():
            return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
