"""Footage of pure motion: drawn alike from one seed, and counted per hour."""

import numpy as np
import pytest

cv2 = pytest.importorskip("cv2")

from benchmarks.shots.motion import SLOW_DETECTOR, kind_of, sees, table  # noqa: E402
from benchmarks.shots.motion_camera import World  # noqa: E402
from benchmarks.shots.motion_footage import (  # noqa: E402
    LOOKED_AT_ONCE,
    RANDOM_KINDS,
    TRAINING_KINDS,
    UNSEEN_KINDS,
)

KINDS = TRAINING_KINDS | RANDOM_KINDS | UNSEEN_KINDS


def test_no_kind_is_both_trained_on_and_unseen():
    assert not set(TRAINING_KINDS | RANDOM_KINDS) & set(UNSEEN_KINDS)
    assert set(LOOKED_AT_ONCE) < set(UNSEEN_KINDS)
    assert len(KINDS) >= 40


@pytest.mark.parametrize("kind", KINDS)
def test_one_seed_gives_one_take_and_something_in_it_moves(kind):
    one, two = (KINDS[kind](World(()), 30, np.random.default_rng(1)) for _ in range(2))
    assert one.shape == (30, 144, 256, 3)
    assert one.dtype == np.uint8
    assert np.array_equal(one, two)
    assert np.abs(one[-1].astype(int) - one[0]).max() > 3


def row(minutes, joins, found, false, sure, uncertain):
    """What was counted of one kind; `found` and `false` by detector."""
    detectors = {
        name: {"minutes": minutes, "joins": joins, "found": found[name], "false": false[name]}
        for name in found
    }
    graduals = {"sure": sure, "uncertain": uncertain}
    return {"minutes": minutes, "joins": joins, "graduals": graduals, "detectors": detectors}


def test_alarms_are_counted_per_hour_of_each_kind_and_of_all():
    kinds = {
        "pan": row(30.0, 10, {"ours": 10, "theirs": 5}, {"ours": 1, "theirs": 4}, 0, 1),
        "room": row(30.0, 10, {"ours": 9, "theirs": 10}, {"ours": 0, "theirs": 2}, 0, 0),
    }
    lines = table(kinds, ["ours", "theirs"]).splitlines()
    assert "| pan | 30.0 | 2.0 | 0.0 | 2.0 | 8.0 |" in lines
    assert "| **all** | 60.0 | 1.0 | 0.0 | 1.0 | 6.0 |" in lines
    assert "| **never trained on** | 30.0 | 0.0 | 0.0 | 0.0 | 4.0 |" in lines
    assert "| joins found | 20 | | | 0.950 | 0.750 |" in lines


def test_a_detector_that_saw_too_little_has_no_figure_there():
    kinds = {
        "pan": row(30.0, 10, {"ours": 10}, {"ours": 1}, 0, 0),
        "room": row(30.0, 10, {"ours": 10, "slow": 8}, {"ours": 0, "slow": 3}, 0, 0),
    }
    lines = table(kinds, ["ours", "slow"]).splitlines()
    assert "| pan | 30.0 | 0.0 | 0.0 | 2.0 |  |" in lines
    assert "| **never trained on** | 30.0 | 0.0 | 0.0 | 0.0 | 6.0 |" in lines
    assert "| joins found | 20 | | | 1.000 | 0.800 |" in lines


def test_the_slow_detector_sees_one_film_of_each_unseen_kind_and_the_real_film():
    films = ["pan-0.mp4", "room-0.mp4", "room-1.mp4", "real-film.mp4"]
    assert [film for film in films if sees(SLOW_DETECTOR, film)] == ["room-0.mp4", "real-film.mp4"]
    assert all(sees("Storyscope fast", film) for film in films)


def test_a_film_is_named_after_its_kind():
    assert kind_of("whip-pan-1.mp4") == "whip pan"
    assert kind_of("hand-held-0.mp4") == "hand-held"
    assert kind_of("real-film.mp4") == "real film"
