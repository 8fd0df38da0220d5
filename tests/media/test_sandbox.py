"""The sandbox holds even for a decoder that a film has taken over."""

import textwrap

import pytest

from films import make_film
from storyscope.config import MediaConfig
from storyscope.media import available_sandbox
from storyscope.media.process import decoding

MISBEHAVE = """
import os, signal, socket, subprocess, threading
from pathlib import Path
from storyscope.decoder import jobs, worker

def attempt(action):
    try:
        action()
        return "done"
    except OSError as error:
        return error.strerror

def misbehave(job, outlet):
    film = Path(job["path"]).resolve()
    folder = film.parent
    answers = []
    thread = threading.Thread(target=lambda: answers.append("done"))
    thread.start()
    thread.join()
    outlet.end({
        "thread": answers[0],
        "film": attempt(lambda: open(job["path"], "rb").read(1)),
        "read": attempt(lambda: (folder / "secret.txt").read_text()),
        "list": attempt(lambda: os.listdir(folder)),
        "write": attempt(lambda: (folder / "made.txt").write_text("made")),
        "overwrite": attempt(lambda: film.open("r+b").write(b"gone")),
        "delete": attempt(lambda: (folder / "secret.txt").unlink()),
        "rename": attempt(lambda: film.rename(folder / "stolen")),
        "socket": attempt(lambda: socket.socket()),
        "program": attempt(lambda: subprocess.run(["true"])),
        "fork": attempt(lambda: os.fork() or os._exit(0)),
        "signal": attempt(lambda: os.kill(os.getppid(), signal.SIGTERM)),
    })

jobs.JOBS["probe"] = misbehave
worker.main()
"""


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    """The outcome of each attempt, and the folder in which it was made."""
    folder = tmp_path_factory.mktemp("films")
    film = make_film(folder / "film.mp4", frame_count=5)
    (folder / "secret.txt").write_text("nobody else's business")
    script = ("-c", textwrap.dedent(MISBEHAVE))
    with decoding("probe", film, MediaConfig(), worker=script) as process:
        return process.answer(), folder


@pytest.mark.skipif(not available_sandbox().seccomp, reason="this system has no seccomp filters")
def test_a_decoder_taken_over_changes_starts_and_calls_nothing(outcome):
    tried, folder = outcome
    assert (tried["film"], tried["thread"]) == ("done", "done")
    for deed in ("write", "overwrite", "delete", "rename", "socket", "program", "fork", "signal"):
        assert tried[deed] in ("Operation not permitted", "Permission denied"), deed
    assert sorted(path.name for path in folder.iterdir()) == ["film.mp4", "secret.txt"]


@pytest.mark.skipif(not available_sandbox().landlock, reason="this system has no Landlock")
def test_a_decoder_taken_over_reads_the_film_alone(outcome):
    tried, _ = outcome
    assert (tried["film"], tried["read"], tried["list"]) == ("done", *["Permission denied"] * 2)
