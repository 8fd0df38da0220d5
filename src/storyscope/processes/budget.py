"""What indexing a film may cost, in proportion to the film, and what a process has cost so far."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from storyscope.errors import MediaError
from storyscope.media import film_stamp
from storyscope.store import in_bucket

CPU_SECONDS = 120.0
"""Processor time that any film may take: loading the models takes a few seconds of it."""
CPU_PER_FILM_SECOND = 8.0
"""Processor seconds a second of film may take; an ordinary film takes less than half of one."""
DISK_BYTES_PER_CPU_SECOND = 20e6
"""Every processor second lets so many bytes be read and fingerprinted."""
LEAST_BYTES_PER_FILM_SECOND = 1000.0
"""A film that states more seconds than its bytes can hold is not believed."""
MEMORY_BYTES = 4 << 30
"""Memory that any film may take, the models included."""
MEMORY_PER_FILM_SECOND = 1 << 20
"""Bytes of memory a second of film may take."""


@dataclass(frozen=True)
class Budget:
    """What an index process may take before it is stopped."""

    cpu_seconds: float
    memory_bytes: float
    stall_seconds: float = 900.0
    """Without an event and without using the processor, a process hangs after so long."""

    @classmethod
    def of(cls, path: Path, film_seconds: float = 0.0, *, times: float = 1.0) -> Budget:
        """The budget of a film; `times` is how much more a person grants."""
        disk = _disk_bytes(path)
        seconds = min(film_seconds, disk / LEAST_BYTES_PER_FILM_SECOND)
        cpu = CPU_SECONDS + disk / DISK_BYTES_PER_CPU_SECOND + CPU_PER_FILM_SECOND * seconds
        memory = MEMORY_BYTES + MEMORY_PER_FILM_SECOND * seconds
        return cls(times * cpu, times * memory)

    def why_exceeded(self, usage: Usage) -> str:
        """Which part of the budget is used up, in words; empty when none is."""
        if usage.cpu_seconds > self.cpu_seconds:
            return f"took more than {self.cpu_seconds:.0f} seconds of processor time"
        if usage.memory_bytes > self.memory_bytes:
            return f"took more than {self.memory_bytes / 1e6:.0f} MB of memory"
        return ""


@dataclass(frozen=True)
class Usage:
    """What a process has taken."""

    cpu_seconds: float = 0.0
    memory_bytes: int = 0


def usage_of(pid: int) -> Usage:
    """What a process and the children it has ended took; nothing where the system hides it."""
    try:
        # The second field is the program's name in brackets, which may hold spaces.
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return Usage()
    ticks = sum(map(int, fields[11:15]))
    return Usage(ticks / os.sysconf("SC_CLK_TCK"), int(fields[21]) * os.sysconf("SC_PAGE_SIZE"))


def _disk_bytes(path: Path) -> int:
    """Bytes that a file takes on disk, which for a sparse one are fewer than it states."""
    try:
        if in_bucket(path):
            return film_stamp(path)[0]
        stat = path.stat()
    except (OSError, MediaError):
        return 0
    return min(stat.st_size, getattr(stat, "st_blocks", 0) * 512 or stat.st_size)
