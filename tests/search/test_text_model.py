"""Texts are encoded in batches with little padding, and with the same result in any batch."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from storyscope.search.text_model import BATCH, FEW_LETTERS, batches, load_text_model


@given(st.lists(st.integers(0, 600), max_size=100))
def test_every_text_is_in_one_batch_with_others_of_its_length(lengths):
    parts = list(batches(lengths))
    assert sorted(row for rows in parts for row in rows) == list(range(len(lengths)))
    for rows in parts:
        inside = [lengths[row] for row in rows]
        assert 0 < len(rows) <= BATCH
        assert max(inside) <= 2 * min(inside) + FEW_LETTERS


def test_a_text_has_the_vector_it_has_alone():
    model = load_text_model("minilm")
    texts = ["dunes", "the open sea", " ".join(["camels walk over the sand"] * 12), "a red bus"]
    alone = np.concatenate([model.encode([text]) for text in texts])
    np.testing.assert_allclose(model.encode(texts), alone, atol=1e-5)
