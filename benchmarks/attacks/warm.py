"""Decoding processes forked from one that has its libraries loaded already.

Starting Python and loading FFmpeg is nine tenths of what a small film costs. A forked process runs
the same program, under the same limits and in the same sandbox, as one that was started.
"""

from __future__ import annotations

import array
import ctypes
import fcntl
import io
import os
import signal
import socket
import subprocess
import sys
import time
from typing import IO, Any

from storyscope.media import decoder
from storyscope.processes.lifeline import environment

SUBREAPER = 36
"""The option of `prctl` by which processes forked by our helper become our own children."""


class Forked:
    """One decoding process, as `subprocess.Popen` would present it."""

    def __init__(self, door: socket.socket, stderr: IO[bytes], film: int, bufsize: int) -> None:
        stdin, write_end = os.pipe2(os.O_CLOEXEC)
        read_end, stdout = os.pipe2(os.O_CLOEXEC)
        ends = array.array("i", [stdin, stdout, stderr.fileno(), film])
        door.sendmsg([str(film).encode()], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, ends)])
        os.close(stdin)
        os.close(stdout)
        self.pid = int(door.recv(20))
        self.stdin = io.open(write_end, "wb", bufsize)  # noqa: UP020, SIM115 (as Popen does)
        self.stdout = io.open(read_end, "rb", bufsize)  # noqa: UP020, SIM115
        self.returncode: int | None = None

    def kill(self) -> None:
        if self.returncode is None:
            os.kill(self.pid, signal.SIGKILL)

    def wait(self, timeout: float | None = None) -> int:
        end = None if timeout is None else time.monotonic() + timeout
        while self.returncode is None:
            pid, status = os.waitpid(self.pid, 0 if end is None else os.WNOHANG)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
            elif end is not None and time.monotonic() > end:
                raise subprocess.TimeoutExpired("decoder", timeout or 0.0)
            else:
                time.sleep(0.01)
        return self.returncode


class Warm:
    """Stands in for `subprocess` where decoding processes are started."""

    PIPE, TimeoutExpired = subprocess.PIPE, subprocess.TimeoutExpired

    def __init__(self) -> None:
        ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
        self._door, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        subprocess.Popen(
            [sys.executable, "-m", "benchmarks.attacks.warm", str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            env=environment(one_thread=True),
        )
        theirs.close()

    def Popen(
        self, command: list[str], *, stderr: IO[bytes], pass_fds: list[int], bufsize: int, **_: Any
    ) -> Forked:
        assert command[1:] == list(decoder.WORKER), command
        return Forked(self._door, stderr, *pass_fds, bufsize)


def fork_decoders() -> None:
    """Let every decoder of this process be forked from now on."""
    decoder.subprocess = Warm()  # type: ignore[assignment]


def main() -> None:
    import av  # noqa: F401 (what is loaded here need not be loaded again)

    from storyscope.media import jobs, worker  # noqa: F401

    door = socket.socket(fileno=int(sys.argv[1]))
    while True:
        number, ends, *_ = socket.recv_fds(door, 20, 4)
        if not ends:
            return
        told, tell = os.pipe()
        first = os.fork()
        if first == 0:
            second = os.fork()
            if second:
                os.write(tell, str(second).encode())
                os._exit(0)
            # Out of the way first: the film's number may be that of another.
            kept = [fcntl.fcntl(end, fcntl.F_DUPFD, 1000) for end in ends]
            os.closerange(3, 1000)
            for end, place in zip(kept, (0, 1, 2, int(number)), strict=True):
                os.dup2(end, place)
            os.closerange(1000, 1010)
            worker.main()
        os.waitpid(first, 0)
        door.send(os.read(told, 20))
        for end in (told, tell, *ends):
            os.close(end)


if __name__ == "__main__":
    main()
