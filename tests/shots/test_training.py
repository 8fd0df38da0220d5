"""The weights that ship are those their card describes, and the program that makes them runs."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from storyscope.shots.weights import CARD, WEIGHTS, digest

ROOT = Path(__file__).parents[2]


def test_the_card_names_the_digest_of_the_weights_that_ship():
    with np.load(WEIGHTS) as stored:
        weights = dict(stored)
    card = json.loads(CARD.read_text())
    assert card["digest"] == digest(weights)
    assert card["numbers"] == sum(value.size for value in weights.values())


@pytest.mark.slow
def test_quick_training_gives_the_same_weights_twice_in_the_shape_that_ships(tmp_path):
    pytest.importorskip("torch")
    pytest.importorskip("cv2")
    made = []
    for name in ("one", "two"):
        path = tmp_path / f"{name}.npz"
        command = [sys.executable, "-m", "training.train_shots", "--quick"]
        command += ["--cache", str(tmp_path / name), "--out", str(path)]
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=600)
        with np.load(path) as stored:
            made.append(dict(stored))
    assert digest(made[0]) == digest(made[1])
    with np.load(WEIGHTS) as shipped:
        assert {name: made[0][name].shape for name in made[0]} == {
            name: shipped[name].shape for name in shipped.files
        }


def test_one_seed_draws_one_clip_that_shows_a_change():
    pytest.importorskip("torch")
    pytest.importorskip("cv2")
    from storyscope.shots.describe import AFTER, BEFORE, SAMPLES
    from training.shot_clips import Stock, clip

    rng = np.random.default_rng(0)
    stretches = [rng.integers(0, 256, (60, 27, 48, 3)).astype(np.uint8) for _ in range(2)]
    stock = Stock(stretches, rng.random((4, 3, 90, 160), np.float32))
    for number in range(30):
        real = number % 2 == 0
        (one, length), (two, _) = (clip(stock, [1, number], real=real) for _ in range(2))
        assert np.array_equal(one, two)
        assert one.shape == (SAMPLES, 27, 48, 3)
        assert 5 <= length <= 60
        assert not real or np.abs(one[BEFORE].astype(int) - one[AFTER]).max() > 3
