"""Control of the decoding process: start it, send one job, read its messages, and end it.

Whatever happens inside (a crash, a kill, a hang, too much memory) becomes a `MediaError`, and no
process is left behind.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, cast

from storyscope.config import MediaConfig
from storyscope.decoder import wire
from storyscope.errors import MediaError
from storyscope.media.files import digest_of_open, open_video
from storyscope.processes.lifeline import environment
from storyscope.reading import OPEN_FILES

WORKER = ("-P", "-m", "storyscope.decoder.worker")
READ_BUFFER = 1 << 16
PIPE_SIZE = 1 << 20


@contextmanager
def decoding(
    job: str, path: Path, config: MediaConfig, *, worker: tuple[str, ...] = WORKER, **options: Any
) -> Iterator[Decoder]:
    """A running decoder for one job on one file; it ends when the block is left."""
    decoder = Decoder(job, path, config, worker, options)
    try:
        yield decoder
    finally:
        decoder.end()


class Decoder:
    """Messages of one decoding process, as (header, body) pairs."""

    def __init__(
        self,
        job: str,
        path: Path,
        config: MediaConfig,
        worker: tuple[str, ...],
        options: dict[str, Any],
    ) -> None:
        self._path = path
        self._config = config
        self._film = open(open_video(path), "rb")  # noqa: SIM115 (closed in `end`)
        self._can_reopen = OPEN_FILES.is_dir()
        self._waiting_since: float | None = None
        self._stalled = False
        self._ended = threading.Event()
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115 (closed in `end`)
        try:
            self._process = subprocess.Popen(
                [sys.executable, *worker],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._complaints,
                env=environment(one_thread=True),
                bufsize=READ_BUFFER,
                pass_fds=[self._film.fileno()] if self._can_reopen else [],
            )
        except OSError as error:
            self._film.close()
            self._complaints.close()
            raise MediaError(
                f"{path} could not be decoded: no process can be started ({error.strerror}); "
                "close other programs and try again"
            ) from error
        _widen(cast(IO[bytes], self._process.stdout))
        self._watch = threading.Thread(target=self._watch_for_stall, daemon=True)
        self._watch.start()
        # Not by name: the file may have been replaced by now.
        opened = OPEN_FILES / str(self._film.fileno())
        film = {"path": os.fspath(opened if self._can_reopen else path), "name": path.name}
        self._ask({"job": job, **film, **_limits(config), **options})

    def __iter__(self) -> Iterator[tuple[wire.Header, bytes]]:
        """Messages up to the end; an end with an error raises it."""
        while True:
            header, body = self._next_message()
            if header.kind == wire.END:
                facts = json.loads(body)
                if "error" in facts:
                    raise MediaError(self._told(facts["error"]))
                yield header, body
                return
            if header.kind != wire.ALIVE:
                yield header, body

    def answer(self) -> dict[str, Any]:
        """The result of a job that returns only facts."""
        for _, body in self:
            return cast(dict[str, Any], json.loads(body))
        raise MediaError(self._died())

    def digest(self) -> str:
        """Digest of the very file that is decoded."""
        try:
            return digest_of_open(self._film)
        except OSError as error:
            raise MediaError(
                f"{self._path} cannot be read: {error.strerror}; check the disk"
            ) from error

    def end(self) -> None:
        """Stop the process if it still runs, and wait for it."""
        self._ended.set()
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                cast(IO[bytes], pipe).close()
        self._process.wait()
        self._complaints.close()
        self._film.close()

    def _ask(self, job: dict[str, Any]) -> None:
        pipe = cast(IO[bytes], self._process.stdin)
        self._waiting_since = time.monotonic()
        with suppress(OSError):
            pipe.write(json.dumps(job).encode() + b"\n")
            pipe.flush()
        self._waiting_since = None

    def _next_message(self) -> tuple[wire.Header, bytes]:
        pipe = cast(IO[bytes], self._process.stdout)
        self._waiting_since = time.monotonic()
        try:
            header = wire.read_header(pipe)
            body = pipe.read(header.size) if header is not None and header.size else b""
        except wire.Unintelligible:
            raise MediaError(self._died()) from None
        finally:
            self._waiting_since = None
        if header is None or len(body) < header.size:
            raise MediaError(self._died())
        return header, body

    def _watch_for_stall(self) -> None:
        """Kill a process that was silent for too long: the reader then sees the end of the
        stream."""
        patience = self._config.stall_seconds
        while not self._ended.wait(min(1.0, patience / 4)):
            since = self._waiting_since
            if since is not None and time.monotonic() - since > patience:
                self._stalled = True
                self._process.kill()
                return

    def _told(self, message: str) -> str:
        if message == "out of memory":
            return (
                f"{self._path} needs more than {self._config.max_memory_mb} MB to decode; "
                "raise media.max_memory_mb if you trust it"
            )
        return f"{self._path} {message}"

    def _died(self) -> str:
        if self._stalled:
            return (
                f"{self._path} made the decoder hang: nothing came for "
                f"{self._config.stall_seconds:g} seconds; re-encode it, or raise "
                "media.stall_seconds if the machine is slow"
            )
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=5)
        code = self._process.returncode
        how = "stopped in mid-stream"
        if code is not None and code < 0:
            how = f"was ended by {signal.Signals(-code).name}"
        elif code:
            how = f"ended with code {code}{self._last_complaint()}"
        return (
            f"{self._path} could not be decoded: the decoder {how}; "
            "the file may be damaged, re-encode it and try again"
        )

    def _last_complaint(self) -> str:
        self._complaints.seek(0)
        lines = self._complaints.read().decode(errors="replace").strip().splitlines()
        return f" ({lines[-1]})" if lines else ""


def _widen(pipe: IO[bytes]) -> None:
    """Allow a few pictures in the pipe, so that the two processes can run in parallel."""
    with suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE_SIZE)


def _limits(config: MediaConfig) -> dict[str, Any]:
    return {
        "max_pixels": config.max_pixels,
        "max_memory_mb": config.max_memory_mb,
        "decoder_threads": config.decoder_threads,
    }
