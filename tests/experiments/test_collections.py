"""Checks on the real collections; `make benchmark` runs them."""

import os
from pathlib import Path

import numpy as np
import pytest

from storyscope.evaluate import judge, load_collection
from storyscope.evaluate.trivial import trivial_scores
from storyscope.experiments.detector import Ours

DATA = Path(
    os.environ.get("STORYSCOPE_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data"
)
pytestmark = [
    pytest.mark.benchmark,
    pytest.mark.skipif(not DATA.is_dir(), reason=f"no collections at {DATA}"),
]


@pytest.fixture(scope="module")
def ovsd():
    return load_collection(DATA / "ovsd")


@pytest.mark.parametrize(("name", "videos"), [("bbc", 11), ("ovsd", 8)])
def test_every_video_of_a_collection_is_read(name, videos):
    collection = load_collection(DATA / name)
    assert len(collection) == videos
    for video in collection:
        assert video.features
        assert 1 < len(video.truth) < len(video.shots)
        assert video.edges[-1] == video.frame_count


def test_the_shipped_detector_finds_stories_in_films_it_never_saw(ovsd):
    scores = [score.mean_iou for score in judge(ovsd, Ours().pretrained())]
    # The bar was set against equal numbers of shots; equal times are in the model card.
    uniform = [score.mean_iou for score in trivial_scores(ovsd)["uniform-shots"]]
    assert np.mean(scores) >= 0.62
    assert min(ours - cuts for ours, cuts in zip(scores, uniform, strict=True)) >= -0.05
