"""Stages run once for the same inputs and settings, and again for others."""

from dataclasses import replace

import pytest

from storyscope.config import ShotConfig, StoryConfig
from storyscope.core import Video
from storyscope.stages.executor import LocalExecutor, Stage, given, stage_key
from storyscope.store import Artefact, SqliteStore, VideoRecord


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

    return Stage(Artefact("double"), 1, double), runs


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
        lambda s: stage_key(s, [given(0, key="a")], settings=ShotConfig(min_shot_seconds=9.0)),
        lambda s: stage_key(s, [given(0, key="b")], settings=ShotConfig()),
        lambda s: stage_key(s, [given(0, key="a")], settings=StoryConfig()),
        lambda s: stage_key(s, [given(0, key="a")], settings=ShotConfig(), weights=["digest"]),
        lambda s: stage_key(s, [given(0, key="a")] * 2, settings=ShotConfig()),
        lambda s: stage_key(replace(s, version=2), [given(0, key="a")], settings=ShotConfig()),
        lambda s: stage_key(
            replace(s, makes=Artefact("other")), [given(0, key="a")], settings=ShotConfig()
        ),
    ],
)
def test_everything_an_artefact_depends_on_changes_its_key(counted, changed):
    stage, _ = counted
    assert changed(stage) != stage_key(stage, [given(0, key="a")], settings=ShotConfig())


def test_a_stage_that_fails_keeps_nothing(execute):
    def fail(*, report):
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        execute(Stage(Artefact("fails"), 1, fail))
    assert execute.store.key("film", Artefact("fails")) is None


def test_weights_are_not_among_the_settings_that_a_stage_is_given(execute):
    given_settings = []

    def note(*, settings, report):
        given_settings.append(settings)

    stage = Stage(Artefact("noted"), 1, note)
    execute(stage, settings=ShotConfig(), weights=["one"])
    execute(stage, settings=ShotConfig(), weights=["two"])
    assert given_settings == [ShotConfig(), ShotConfig()]


def test_several_inputs_are_given_as_one_list(execute):
    three, four = given(3, key="three"), given(4, key="four")
    total = Stage(Artefact("total"), 1, lambda first, others, report: first + sum(others))
    assert execute(total, three, [four, three]).value == 10
    assert stage_key(total, [three, [four, three]]) == stage_key(total, [three, four, three])
