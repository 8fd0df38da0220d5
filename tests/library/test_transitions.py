"""People reject gradual transitions, and the shot detector is trained on them."""

import numpy as np
import pytest

from memory_store import MemoryStore
from storyscope.core import Shot, Span, Transition
from storyscope.errors import AnnotationError, LibraryError, ModelError
from storyscope.library.transitions import (
    REJECTED,
    is_rejected,
    learn_transitions,
    reject_transition,
)
from storyscope.shots.adapt import adapt
from storyscope.shots.confirm import probability
from storyscope.shots.weights import load_weights


class FakeLibrary:
    """The part of a library that rejecting transitions needs."""

    def __init__(self, folder):
        self.store = MemoryStore(folder)

    def shots(self, video):
        kinds = ["start", "cut", "dissolve", "wipe"]
        return tuple(
            Shot(
                Span(4.0 * i, 4.0 * i + 4),
                range(100 * i, 100 * i + 100),
                Transition(kind, 100 * i, 100 * i + (0 if i < 2 else 20), 0.6),
            )
            for i, kind in enumerate(kinds)
        )


def test_rejected_transitions_are_kept_by_video_and_once(tmp_path):
    for number in (4, 3, 4):
        reject_transition(FakeLibrary(tmp_path), "film", number)
    reject_transition(FakeLibrary(tmp_path), "other", 3)
    assert REJECTED.read(MemoryStore(tmp_path)) == {
        "film": [(200, 220), (300, 320)],
        "other": [(200, 220)],
    }


def test_a_rejected_transition_can_be_taken_back(tmp_path):
    library = FakeLibrary(tmp_path)
    reject_transition(library, "film", 3)
    assert is_rejected(library, "film") == [False, False, True, False]
    reject_transition(library, "film", 3, rejected=False)
    assert is_rejected(library, "film") == [False, False, False, False]
    assert REJECTED.read(library.store) == {}


@pytest.mark.parametrize(
    ("number", "words"), [(1, "shots 1 to 4"), (2, "begins with a cut"), (5, "shots 1 to 4")]
)
def test_only_the_beginning_of_a_later_shot_that_is_gradual_can_be_rejected(
    tmp_path, number, words
):
    with pytest.raises(AnnotationError, match=words):
        reject_transition(FakeLibrary(tmp_path), "film", number)


def test_training_without_anything_rejected_says_how_to_reject(tmp_path):
    with pytest.raises(AnnotationError, match="--reject"):
        learn_transitions(FakeLibrary(tmp_path))


def examples(seed, count, real):
    """Features around the centre of training, pushed to one side."""
    rng = np.random.default_rng(seed)
    weights = load_weights()
    centre, spread = weights["confirm_centre"], weights["confirm_spread"]
    side = 0.7 if real else -0.7
    return [
        (centre + spread * (side + 0.3 * rng.normal(size=len(centre))), real) for _ in range(count)
    ]


def test_training_lowers_rejected_transitions_below_kept_ones():
    wrong, right = examples(1, 12, real=False), examples(2, 12, real=True)
    before, after = load_weights(), load_weights() | adapt([*wrong, *right])

    def mean(some, weights):
        return np.mean([probability(features, weights) for features, _ in some])

    assert mean(wrong, after) < mean(wrong, before)
    assert mean(right, after) - mean(wrong, after) > mean(right, before) - mean(wrong, before)
    assert mean(wrong, after) < 0.5 < mean(right, after)


def test_no_file_means_that_nothing_was_rejected(tmp_path):
    assert REJECTED.read(MemoryStore(tmp_path)) == {}


def test_a_file_of_something_else_is_refused(tmp_path):
    (tmp_path / "rejected-transitions.json").write_text('{"film": [1, 2]}')
    with pytest.raises(LibraryError, match="is damaged; run `storyscope check --repair`"):
        REJECTED.read(MemoryStore(tmp_path))


def test_a_model_that_is_gone_says_what_to_do(tmp_path):
    with pytest.raises(ModelError, match="train --shots"):
        load_weights(str(tmp_path / "gone.npz"))


def test_a_model_with_other_features_says_what_to_do(tmp_path):
    np.savez(tmp_path / "old.npz", confirm_centre=np.zeros(3, np.float32))
    with pytest.raises(ModelError, match="another version of Storyscope; run `storyscope train"):
        load_weights(str(tmp_path / "old.npz"))
