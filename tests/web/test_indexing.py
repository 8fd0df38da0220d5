"""The queue of videos behind the page, with workers that are made up."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from storyscope.web.indexing import Indexer
from waiting import wait_until

SPEAK = "import sys, time; print(sys.argv[1], flush=True); time.sleep(float(sys.argv[2]))"
READY = '{"video": "film"}'


@pytest.fixture
def indexer(monkeypatch):
    """A queue whose workers say what the file is called, and then stay for some seconds."""

    def start(_, job):
        if job.name == "unstartable":
            raise OSError("no memory for another process")
        seconds = "60" if job.name == "nonsense" else "0"
        words = READY if job.name == "film" else job.name
        command = [sys.executable, "-S", "-c", SPEAK, words, seconds]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE))
        return started[-1]

    started = []
    monkeypatch.setattr(Indexer, "_start", start)
    yield SimpleNamespace(queue=Indexer(None), started=started)
    for process in started:
        process.kill()
        process.wait()


@pytest.mark.parametrize(
    ("name", "failure"),
    [("unstartable", "OSError: no memory"), ("nonsense", "JSONDecodeError: ")],
)
def test_what_befalls_one_video_is_told_and_the_next_has_its_turn(indexer, name, failure):
    bad, good = indexer.queue.add(Path(name)), indexer.queue.add(Path("film"))
    wait_until(lambda: good.state == "ready")
    assert bad.state == "failed"
    assert bad.failure.startswith(failure)
    assert all(process.wait(10) is not None for process in indexer.started)
