"""Stages run once for the same inputs and settings, and again for others."""

import pytest

from storyscope.config import ShotConfig, StoryConfig
from storyscope.core import Video
from storyscope.stages.executor import LocalExecutor, Stage, given, stage_key
from storyscope.store import SqliteStore, VideoRecord


@pytest.fixture
def execute(tmp_path):
    store = SqliteStore(tmp_path)
    film = Video("film", "/film.mp4", "d", 1.0, 24, 24.0, 64, 36, False)
    store.put_record(VideoRecord(film, "indexing", 1, 1))
    return LocalExecutor(store, "film")


@pytest.fixture
def counted():
    runs = []

    def double(value, settings=None, *, report):
        runs.append(value)
        return (value, value)

    return Stage("double", 1, double), runs


def test_a_stage_runs_once_for_the_same_inputs(execute, counted):
    stage, runs = counted
    first = execute(stage, given(3, key="three"), settings=ShotConfig())
    again = execute(stage, given(3, key="three"), settings=ShotConfig())
    assert first.value == again.value == (3, 3)
    assert runs == [3]


def test_a_finished_stage_never_loads_its_inputs(execute, counted):
    stage, _ = counted
    source = given(3, key="three")
    execute(stage, source)

    def refuse():
        raise AssertionError("loaded an input nobody needs")

    assert execute(stage, type(source)("three", refuse)).value == (3, 3)


@pytest.mark.parametrize(
    "changed",
    [
        lambda s: stage_key(s, (given(0, key="a"),), ShotConfig(min_shot_seconds=9.0)),
        lambda s: stage_key(s, (given(0, key="b"),), ShotConfig()),
        lambda s: stage_key(s, (given(0, key="a"),), StoryConfig()),
        lambda s: stage_key(s, (given(0, key="a"),), (ShotConfig(), "weights")),
        lambda s: stage_key(Stage("double", 2, s.run), (given(0, key="a"),), ShotConfig()),
        lambda s: stage_key(Stage("other", 1, s.run), (given(0, key="a"),), ShotConfig()),
    ],
)
def test_everything_an_artefact_depends_on_changes_its_key(counted, changed):
    stage, _ = counted
    assert changed(stage) != stage_key(stage, (given(0, key="a"),), ShotConfig())


def test_a_stage_that_fails_keeps_nothing(execute):
    def fail(*, report):
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        execute(Stage("fails", 1, fail))
    assert execute.store.key("film", "fails") is None
