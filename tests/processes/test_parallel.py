"""Several videos in parallel, each in a separate process, without affecting each other."""

import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storyscope import Library
from storyscope.processes import indexing
from storyscope.processes.parallel import CORES_PER_VIDEO, duty, index_videos

PRETENDER = """
import json, os, signal, sys, time
job = json.loads(sys.stdin.readline())
path = job["path"]
if "killed" in path:
    os.kill(os.getpid(), signal.SIGKILL)
if "leaving" in path:
    print(json.dumps({"video": "left"}), flush=True)
    os.close(1)
    for _ in range(20):
        time.sleep(0.05)
    os._exit(0)
if "slow" in path:
    print(json.dumps({"stage": str(os.getpid()), "fraction": 0.5}), flush=True)
    time.sleep(600)
if "bad" in path:
    print(json.dumps({"failure": "is bad"}))
else:
    print(json.dumps({"video": os.environ["OMP_NUM_THREADS"] + " " + str(job["again"])}))
"""


@given(st.integers(1, 64), st.integers(1, 128), st.floats(1, 100))
def test_what_runs_stays_below_the_limit_and_wastes_none_of_it(jobs, cores, limit):
    share = duty(jobs, limit, cores=cores)
    taken, allowed = share * min(cores, CORES_PER_VIDEO * jobs), limit / 100 * cores
    assert 0 < share <= 1
    assert taken <= allowed + 1e-9
    assert share == 1 or taken == pytest.approx(allowed)
    assert duty(jobs, None, cores=cores) == 1


@pytest.fixture
def pretended(monkeypatch, tmp_path):
    """A library with fake index processes."""
    monkeypatch.setattr(indexing, "WORKER", ("-c", PRETENDER))
    return Library(tmp_path)


def test_every_video_ends_once_whatever_happens_to_the_others(pretended):
    names = ["a.mp4", "bad.mp4", "killed.mp4", "b.mp4", "c.mp4"]
    ended = {e.path.name: e for e in index_videos(pretended, [Path(n) for n in names], jobs=2)}
    assert sorted(ended) == sorted(names)
    assert ended["bad.mp4"].failure == "is bad"
    assert "SIGKILL" in ended["killed.mp4"].failure
    assert [ended[n].failure for n in ("a.mp4", "b.mp4", "c.mp4")] == [""] * 3


def test_each_process_has_one_thread_and_gets_the_again_option(pretended):
    (ended, _) = index_videos(pretended, [Path("a.mp4"), Path("b.mp4")], again=True, jobs=2)
    assert ended.video == "1 True"


@pytest.mark.skipif(os.name == "nt", reason="nothing is paused on Windows")
def test_a_process_paused_between_its_result_and_its_exit_is_not_waited_for_in_vain(pretended):
    began = time.monotonic()
    paths = [Path("leaving.mp4"), Path("leaving-too.mp4")]
    ended = list(index_videos(pretended, paths, jobs=2, cpu_limit=1))
    assert [each.video for each in ended] == ["left", "left"]
    assert time.monotonic() - began < indexing.EXIT_SECONDS


@pytest.mark.skipif(os.name == "nt", reason="nothing is paused on Windows")
def test_a_process_that_never_exits_is_killed(pretended, monkeypatch):
    monkeypatch.setattr(indexing, "EXIT_SECONDS", 0.1)
    (ended,) = index_videos(pretended, [Path("leaving.mp4")])
    assert ended.video == "left"


@pytest.mark.parametrize("limit", [None, 50.0])
def test_leaving_early_stops_running_processes(pretended, limit):
    pids = []

    def leave(path, step):
        pids.append(int(step.stage))
        raise KeyboardInterrupt

    paths = [Path("slow.mp4"), Path("a.mp4"), Path("never.mp4"), Path("slow-too.mp4")]
    with pytest.raises(KeyboardInterrupt):
        list(index_videos(pretended, paths, jobs=2, cpu_limit=limit, follow=leave))
    assert [pid for pid in pids if _alive(pid)] == []


def test_videos_side_by_side_have_the_stories_they_have_alone(film, indexed, tmp_path):
    for name in ("one", "two"):
        (tmp_path / f"{name}.mp4").symlink_to(film)
        (tmp_path / f"{name}.srt").symlink_to(film.with_suffix(".srt"))
    paths = [tmp_path / "one.mp4", tmp_path / "two.mp4"]
    alone, together = Library(indexed), Library(tmp_path / "together")
    stages = set()
    ended = index_videos(
        together, paths, jobs=2, cpu_limit=90, follow=lambda path, step: stages.add(step.stage)
    )
    assert sorted(e.video for e in ended) == ["one", "two"]
    assert {"scan", "vision", "titles"} <= stages
    for video in ("one", "two"):
        found = [(s.span, s.title, s.keywords) for s in together.stories(video)]
        assert found == [(s.span, s.title, s.keywords) for s in alone.stories("film")]


def _alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
