"""How much time and memory indexing a film may take, in proportion to the film."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from storyscope.errors import MediaError
from storyscope.media import film_stamp
from storyscope.store import in_bucket

CPU_SECONDS = 120.0
"""CPU seconds that any film may take; loading the models takes a few of them."""
CPU_PER_FILM_SECOND = 8.0
"""CPU seconds per second of film; an ordinary film takes less than half a second."""
DISK_BYTES_PER_CPU_SECOND = 20e6
"""Bytes that may be read and hashed per CPU second."""
LEAST_BYTES_PER_FILM_SECOND = 1000.0
"""Minimum bytes per second of film: a longer stated duration is not believed."""
MEMORY_BYTES = 4 << 30
"""Memory in bytes that any film may take, including the models."""
MEMORY_PER_FILM_SECOND = 1 << 20
"""Bytes of memory per second of film."""


@dataclass(frozen=True)
class Budget:
    """Limits above which an index process is stopped."""

    cpu_seconds: float
    memory_bytes: float
    stall_seconds: float = 900.0
    """Seconds without an event and without CPU time after which a process hangs."""

    @classmethod
    def of(cls, path: Path, film_seconds: float = 0.0, *, times: float = 1.0) -> Budget:
        """The budget of a film; `times` is a factor set by the user."""
        disk = _disk_bytes(path)
        seconds = min(film_seconds, disk / LEAST_BYTES_PER_FILM_SECOND)
        cpu = CPU_SECONDS + disk / DISK_BYTES_PER_CPU_SECOND + CPU_PER_FILM_SECOND * seconds
        memory = MEMORY_BYTES + MEMORY_PER_FILM_SECOND * seconds
        return cls(times * cpu, times * memory)

    def why_exceeded(self, usage: Usage) -> str:
        """Which part of the budget is exceeded, in words; empty if none is."""
        if usage.cpu_seconds > self.cpu_seconds:
            return f"took more than {self.cpu_seconds:.0f} seconds of processor time"
        if usage.memory_bytes > self.memory_bytes:
            return f"took more than {self.memory_bytes / 1e6:.0f} MB of memory"
        return ""


@dataclass(frozen=True)
class Usage:
    """Resources that a process has used."""

    cpu_seconds: float = 0.0
    memory_bytes: int = 0


def usage_of(pid: int) -> Usage:
    """Resources used by a process and its finished children; zero if the system does not report
    them."""
    try:
        # The second field is the program's name in brackets, which may contain spaces.
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return Usage()
    ticks = sum(map(int, fields[11:15]))
    return Usage(ticks / os.sysconf("SC_CLK_TCK"), int(fields[21]) * os.sysconf("SC_PAGE_SIZE"))


def _disk_bytes(path: Path) -> int:
    """Bytes that a file takes on disk, which for a sparse file are fewer than its size."""
    try:
        if in_bucket(path):
            return film_stamp(path)[0]
        stat = path.stat()
    except (OSError, MediaError):
        return 0
    return min(stat.st_size, getattr(stat, "st_blocks", 0) * 512 or stat.st_size)
