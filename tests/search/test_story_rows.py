"""The rows that score a story in a database."""

import numpy as np
import pytest

from storyscope.search.story_rows import _runs


@pytest.mark.parametrize(
    ("owners", "starts", "count", "runs"),
    [
        ([], [], 0, {}),
        ([4], [0], 3, {4: slice(0, 3)}),
        ([0, 2], [0, 5], 7, {0: slice(0, 5), 2: slice(5, 7)}),
    ],
    ids=["a film without words", "one story", "a story without rows between two"],
)
def test_every_story_has_the_rows_that_begin_at_its_own(owners, starts, count, runs):
    assert _runs(np.array(owners, int), np.array(starts, int), count) == runs
