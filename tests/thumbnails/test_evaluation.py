"""The benchmark counts swapped pairs on sources that were held out of training."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from storyscope import Library
from storyscope.cli.main import build_app
from storyscope.core import VisionOutput
from storyscope.errors import MediaError
from storyscope.experiments.thumbnails import judge_thumbnails
from storyscope.thumbnails import load_ranker
from storyscope.thumbnails.degrade import DEGRADATIONS
from storyscope.thumbnails.evaluation import (
    benchmark_rankers,
    compare_rankers,
    good_frames,
    see_degraded,
)


def _see(pictures):
    """A fake backbone: ten numbers that describe the light and detail of a picture."""
    rows = []
    for picture in pictures:
        values = picture.astype(float)
        detail = np.abs(np.diff(values, axis=1)).mean()
        rows.append([values.mean(), detail, *np.percentile(values, range(10, 90, 10))])
    columns = np.array(rows, np.float32)
    layers = np.concatenate([columns, np.sqrt(columns)], axis=1)
    return VisionOutput(layers, np.zeros((len(rows), 1000)), columns, "test")


def test_every_source_is_held_out_once():
    table = compare_rankers(_sources(), load_ranker())
    assert [row.source for row in table] == ["a", "b", "c"]
    for row in table:
        assert row.pairs == 4 * len(DEGRADATIONS)
        assert set(row.by_degradation) == set(DEGRADATIONS)
        for percent in (row.ranking_cnn, row.hypercolumns, row.shipped):
            assert 0 <= percent <= 100
        assert row.hypercolumns == np.mean(list(row.by_degradation.values()))


def test_what_can_be_seen_is_learnt():
    table = compare_rankers(_sources(), load_ranker(), cost=1.0)
    assert np.mean([row.by_degradation["blur"] for row in table]) < 20


def test_the_same_pictures_give_the_same_table():
    first, second = (compare_rankers(_sources(), load_ranker()) for _ in range(2))
    assert first == second


def test_a_single_film_is_held_out_by_quarters():
    chance = np.random.default_rng(1)
    film = [chance.integers(30, 220, (48, 64, 3), dtype=np.uint8) for _ in range(9)]
    table = benchmark_rankers({"film": film}, _see, load_ranker())
    assert [row.source for row in table] == [f"film, part {number}" for number in (1, 2, 3, 4)]
    assert sum(row.pairs for row in table) == 9 * len(DEGRADATIONS)


def test_only_lit_and_sharp_pictures_are_good_ones():
    chance = np.random.default_rng(2)
    sound = [chance.integers(30, 220, (48, 64, 3), dtype=np.uint8) for _ in range(3)]
    black, plain = np.zeros((48, 64, 3), np.uint8), np.full((48, 64, 3), 120, np.uint8)
    good = good_frames([*sound, black, plain])
    assert [picture.tobytes() for picture in good] == [picture.tobytes() for picture in sound]
    assert good_frames([]) == []


def test_the_command_line_judges_a_library(film, tmp_path):
    Library(tmp_path).add(film)
    words = ["ranking", "--library", str(tmp_path), "--json", "--quiet"]
    facts = json.loads(CliRunner().invoke(build_app(), words).stdout)
    assert set(facts["swapped_pairs"]) == {"ranking_cnn", "hypercolumns", "shipped"}
    assert [row["source"] for row in facts["sources"]] == [f"film, part {n}" for n in (1, 2, 3, 4)]
    of_sources = [row["hypercolumns"] for row in facts["sources"]]
    assert facts["swapped_pairs"]["hypercolumns"] == np.mean(of_sources)


def test_a_folder_without_films_is_refused(tmp_path):
    with pytest.raises(MediaError, match="no film with lit and sharp pictures"):
        judge_thumbnails(tmp_path)


def _sources():
    chance = np.random.default_rng(0)
    return {
        name: see_degraded(
            [chance.integers(30, 220, (48, 64, 3), dtype=np.uint8) for _ in range(4)], _see
        )
        for name in "abc"
    }
