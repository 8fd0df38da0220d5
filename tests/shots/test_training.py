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
