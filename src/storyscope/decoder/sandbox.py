"""The sandbox of the decoding process, where Linux supports it.

Landlock allows it to read the film and what Python itself needs, and to write nothing. A seccomp
filter denies new processes, programs, sockets, signals to others and every way to write or change
files. The process cannot undo either.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys
import sysconfig
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
"""System calls of Landlock, the same on every architecture."""
READ_FILE, READ_DIR = 1 << 2, 1 << 3
FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""Number of file access rights in each version of Landlock; later ones have no more."""
NO_NEW_PRIVILEGES, GET_SECCOMP, SET_SECCOMP, FILTER_MODE = 38, 21, 22, 2
LOAD, EQUAL, ANY_BIT, AT_LEAST, RETURN = 0x20, 0x15, 0x45, 0x35, 0x06
"""Instructions of a seccomp filter."""
ALLOW, KILL, REFUSE = 0x7FFF0000, 0x80000000, 0x00050000
NUMBER, MACHINE, ARGUMENTS = 0, 4, 16
"""Offsets of the call's number, the architecture and the arguments for a seccomp filter."""
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
THREAD = 0x10000
"""The flag of `clone` that creates a thread instead of a process."""
OTHER_INTERFACE = 0x40000000
"""Numbers from here on are x32 calls, another way to make the same calls."""


@dataclass(frozen=True)
class Machine:
    """Numbers of system calls on one architecture."""

    audit: int
    denied: tuple[int, ...]
    opens: tuple[tuple[int, int], ...]
    """Calls that open a file by name, and the index of their flags argument."""
    clone: int
    tgkill: int


EVERYWHERE = (424, 425, 434, 438, 452)
"""Numbers of pidfd_send_signal, io_uring_setup, pidfd_open, pidfd_getfd and fchmodat2."""
UNKNOWN_TO_US = (435, 437)
"""clone3 and openat2 hide their arguments from a filter; libraries fall back to the older calls."""
# fmt: off
MACHINES = {
    "x86_64": Machine(
        0xC000003E,
        (
            41, 42, 49, 50, 53,  # socket, connect, bind, listen, socketpair
            57, 58, 59, 322,  # fork, vfork, execve, execveat
            62, 129, 200, 297,  # kill, rt_sigqueueinfo, tkill, rt_tgsigqueueinfo
            76, 82, 83, 84, 85, 86, 87, 88, 90, 92, 94, 133,  # truncate, rename, mkdir, ... mknod
            258, 259, 260, 263, 264, 265, 266, 268, 316,  # mkdirat, ... fchmodat, renameat2
            101, 310, 311,  # ptrace, process_vm_readv, process_vm_writev
            165, 248, 249, 250, 272, 298, 304, 308, 321, 323,  # mount, keys, unshare, ... bpf
            *EVERYWHERE,
        ),
        opens=((2, 1), (257, 2)), clone=56, tgkill=234,
    ),
    "aarch64": Machine(
        0xC00000B7,
        (
            198, 199, 200, 201, 203,  # socket, socketpair, bind, listen, connect
            221, 281,  # execve, execveat
            129, 130, 138, 240,  # kill, tkill, rt_sigqueueinfo, rt_tgsigqueueinfo
            33, 34, 35, 36, 37, 38, 45, 53, 54, 276,  # mknodat, ... truncate, fchmodat, renameat2
            117, 270, 271,  # ptrace, process_vm_readv, process_vm_writev
            40, 97, 217, 218, 219, 241, 265, 268, 280, 282,  # mount, unshare, keys, ... bpf
            *EVERYWHERE,
        ),
        opens=((56, 2),), clone=220, tgkill=131,
    ),
}
# fmt: on


@dataclass(frozen=True)
class Sandbox:
    """Sandbox features of this system."""

    landlock: int
    """The version of Landlock; 0 without it."""
    seccomp: bool


def available() -> Sandbox:
    """The sandbox features that this system offers."""
    if sys.platform != "linux":
        return Sandbox(0, False)
    libc = _libc()
    version = libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint(1))
    known = platform.machine() in MACHINES
    return Sandbox(max(0, version), known and libc.prctl(GET_SECCOMP, 0, 0, 0, 0) >= 0)


def confine(film: str) -> Sandbox:
    """Allow this thread, and everything that it starts, only to read the film."""
    offered = available()
    if offered.landlock or offered.seccomp:
        _libc().prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    landlock = offered.landlock if offered.landlock and _restrict_files(offered, film) else 0
    return Sandbox(landlock, offered.seccomp and _filter_calls())


def _restrict_files(offered: Sandbox, film: str) -> bool:
    libc = _libc()
    rights = (1 << FILE_RIGHTS.get(offered.landlock, 16)) - 1
    attributes = ctypes.create_string_buffer(struct.pack("=Q", rights), 8)
    rules = libc.syscall(CREATE_RULESET, attributes, ctypes.c_size_t(8), ctypes.c_uint(0))
    if rules < 0:
        return False
    try:
        _allow(rules, [film], READ_FILE)
        _allow(rules, _what_python_reads(), READ_FILE | READ_DIR)
        return bool(libc.syscall(RESTRICT_SELF, rules, ctypes.c_uint(0)) == 0)
    finally:
        os.close(rules)


def _allow(rules: int, paths: Iterable[str], rights: int) -> None:
    for path in paths:
        with suppress(OSError):
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
            rule = ctypes.create_string_buffer(struct.pack("=Qi", rights, place), 12)
            _libc().syscall(ADD_RULE, rules, 1, rule, ctypes.c_uint(0))
            os.close(place)


def _what_python_reads() -> set[str]:
    """Folders of modules that may be imported later: Python's own, PyAV's and ours."""
    import av

    library = {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}
    return library | {str(Path(file).parent) for file in (av.__file__, __file__)}


def _filter_calls() -> bool:
    machine = MACHINES[platform.machine()]
    program = b"".join(struct.pack("=HBBI", *line) for line in _filter(machine, os.getpid()))
    code = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(code))
    return bool(_libc().prctl(SET_SECCOMP, FILTER_MODE, header, 0, 0) == 0)


def _filter(machine: Machine, pid: int) -> Iterable[tuple[int, int, int, int]]:
    """Instructions: operation, lines to skip if true, lines to skip if false, and a value."""

    def refuse(number: int = errno.EPERM) -> tuple[int, int, int, int]:
        return RETURN, 0, 0, REFUSE | number

    yield from ((LOAD, 0, 0, MACHINE), (EQUAL, 1, 0, machine.audit), (RETURN, 0, 0, KILL))
    yield from ((LOAD, 0, 0, NUMBER), (AT_LEAST, 0, 1, OTHER_INTERFACE), refuse())
    for call in machine.denied:
        yield from ((EQUAL, 0, 1, call), refuse())
    for call in UNKNOWN_TO_US:
        yield from ((EQUAL, 0, 1, call), refuse(errno.ENOSYS))
    for call, flags in machine.opens:
        yield from ((EQUAL, 0, 4, call), (LOAD, 0, 0, ARGUMENTS + 8 * flags))
        yield from ((ANY_BIT, 0, 1, WRITING), refuse(errno.EACCES), (RETURN, 0, 0, ALLOW))
    for call, test, value in ((machine.clone, ANY_BIT, THREAD), (machine.tgkill, EQUAL, pid)):
        yield from ((EQUAL, 0, 4, call), (LOAD, 0, 0, ARGUMENTS))
        yield from ((test, 1, 0, value), refuse(), (RETURN, 0, 0, ALLOW))
    yield RETURN, 0, 0, ALLOW


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
