"""Resource limits of the decoding process, as far as the system can enforce them."""

from __future__ import annotations

import os
from functools import cache
from math import inf

TYPICAL_ADDRESS_SPACE = 1 << 30
MOST_WRITTEN = 1 << 20


def limit_resources(*, memory_mb: int) -> None:
    """Limit additional memory, written files and core dumps; Windows has no such limits."""
    try:
        import resource
    except ImportError:
        return
    limits = {
        resource.RLIMIT_AS: _address_space() + (memory_mb << 20),
        resource.RLIMIT_FSIZE: MOST_WRITTEN,
        resource.RLIMIT_CORE: 0,
    }
    for limit, value in limits.items():
        _, hard = resource.getrlimit(limit)
        if hard != resource.RLIM_INFINITY:
            value = min(value, hard)
        try:
            resource.setrlimit(limit, (value, hard))
        except (ValueError, OSError):
            continue


def memory_left() -> float:
    """Bytes that this process may still allocate; infinite without a limit."""
    try:
        import resource
    except ImportError:
        return inf
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return inf if soft == resource.RLIM_INFINITY else soft - _address_space()


def _address_space() -> int:
    """Bytes that the interpreter and its libraries use at this moment."""
    import resource

    try:
        pages = int(os.pread(_statm(), 64, 0).split()[0])
    except OSError:
        return TYPICAL_ADDRESS_SPACE
    return pages * resource.getpagesize()


@cache
def _statm() -> int:
    """The system's count of our memory pages, opened once: a confined process may not open it
    again."""
    return os.open("/proc/self/statm", os.O_RDONLY)
