"""Videos are recognised by the rhythm of their cuts."""

import numpy as np

from storyscope.evaluate import fingerprint, same_video


def cuts(seed, shots=150):
    lengths = np.random.default_rng(seed).lognormal(1.2, 0.7, shots)
    return np.append(0.0, lengths.cumsum())


def test_another_detector_that_misses_cuts_and_places_some_elsewhere_finds_the_same_video():
    rng = np.random.default_rng(7)
    for seed in range(10):
        edges = cuts(seed)
        kept = edges[(rng.random(len(edges)) > 0.05) | np.isin(edges, edges[[0, -1]])]
        moved = kept + np.where(rng.random(len(kept)) < 0.3, rng.normal(0, 0.03, len(kept)), 0.0)
        assert same_video(fingerprint(edges.tolist()), fingerprint(moved.tolist()))


def test_different_videos_are_not_taken_for_each_other():
    prints = [fingerprint(cuts(seed).tolist()) for seed in range(30)]
    assert len({*prints}) == 30
    assert not any(same_video(a, b) for k, a in enumerate(prints) for b in prints[:k])


def test_short_videos_are_the_same_only_if_every_shot_is():
    assert same_video(fingerprint([0.0, 2.0, 5.0]), fingerprint([0.0, 2.0, 5.0]))
    assert not same_video(fingerprint([0.0, 2.0, 5.0]), fingerprint([0.0, 2.5, 5.0]))
