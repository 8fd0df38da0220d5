"""Films cannot use more resources than their size justifies, and the reason is stored."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storyscope import Library
from storyscope.core import Video
from storyscope.processes import budget, indexing
from storyscope.processes.budget import Budget
from storyscope.processes.parallel import index_videos
from storyscope.store import VideoRecord

linux_only = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux tells what another process has taken"
)
BURN = "while True: pass"
GROW = "pages = bytearray(300 << 20); import time; time.sleep(60)"
HANG = "import time; time.sleep(60)"


@pytest.fixture
def library(tmp_path):
    """A library in which a film is being indexed."""
    (tmp_path / "film.mp4").write_bytes(b"film" * 1000)
    library = Library(tmp_path / "library")
    video = Video("film", str(tmp_path / "film.mp4"), "digest", 2.0, 50, 25.0, 64, 36, False)
    library.store.add_record(VideoRecord(video, "indexing", 4000, 0))
    return library


def failure_of(library, worker, monkeypatch):
    """Why a process that behaves like `worker` was stopped."""
    monkeypatch.setattr(indexing, "WORKER", ("-S", "-c", worker))
    monkeypatch.setattr(indexing, "WATCH_SECONDS", 0.05)
    (record,) = library.store.records()
    (result,) = index_videos(library, [Path(record.video.path)])
    (record,) = library.store.records()
    assert (record.state, record.failure) == ("failed", result.failure)
    return result.failure


@linux_only
def test_a_process_that_computes_for_ever_is_stopped(library, monkeypatch):
    library.config = replace(
        library.config, processes=replace(library.config.processes, budget=0.01)
    )
    failure = failure_of(library, BURN, monkeypatch)
    assert "seconds of processor time; raise processes.budget" in failure


@linux_only
def test_a_process_that_takes_too_much_memory_is_stopped(library, monkeypatch):
    monkeypatch.setattr(budget, "MEMORY_BYTES", 200 << 20)
    assert "MB of memory" in failure_of(library, GROW, monkeypatch)


def test_a_process_that_hangs_is_stopped(library, monkeypatch):
    hasty = Budget(1e9, 1e12, stall_seconds=0.5)
    monkeypatch.setattr(Budget, "of", lambda *_, **__: hasty)
    assert "did nothing for 0 seconds" in failure_of(library, HANG, monkeypatch)


def test_a_process_that_crashes_is_not_merely_stopped(library, monkeypatch):
    assert "ended with code 7" in failure_of(library, "raise SystemExit(7)", monkeypatch)


@given(st.floats(0, 1e12), st.floats(0, 1e12), st.floats(0.01, 100))
def test_a_longer_film_may_take_more_and_none_more_than_its_bytes_warrant(first, second, times):
    path = Path(__file__)
    short, long = (Budget.of(path, each, times=times) for each in sorted((first, second)))
    size = path.stat().st_size
    most = size / budget.LEAST_BYTES_PER_FILM_SECOND
    assert short.cpu_seconds <= long.cpu_seconds
    assert short.memory_bytes <= long.memory_bytes
    assert long.cpu_seconds <= times * (
        budget.CPU_SECONDS + budget.CPU_PER_FILM_SECOND * most + size
    )
