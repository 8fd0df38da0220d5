"""The embedding networks compared with their formulas."""

import subprocess
import sys

import numpy as np
import pytest

from storyscope.core import Features, Segmentation
from storyscope.embedding import Embedding, EmbeddingRecipe, Example, Layout, train_embedding
from storyscope.embedding.shrink import decay_outside_span, shrink
from storyscope.embedding.training import draw_triplets
from storyscope.errors import AnnotationError, InvalidFeatures, ModelError, UnknownName

SMALL = EmbeddingRecipe(layers=(12, 8, 5), batch=40, epochs=12, later_from=8, learning_rate=0.05)


def video(seed, *, stories=(0, 5, 9, 14), shots=20, columns=30):
    """Shots of each story are around one point."""
    random = np.random.default_rng(seed)
    truth = Segmentation(stories, shots)
    story = np.repeat(np.arange(len(truth)), [len(each) for each in truth])
    rows = random.normal(size=(len(truth), columns))[story] + 0.3 * random.normal(
        size=(shots, columns)
    )
    seconds = np.linspace(0, 120, shots)[:, None]
    return Example([Features("look", rows, "made"), Features("time", seconds, "made")], truth)


def test_shots_of_one_story_come_nearer_than_others():
    films = [video(seed) for seed in range(3)]
    recipe = EmbeddingRecipe(layers=(40, 20, 10), epochs=60, learning_rate=0.05)
    embedding = train_embedding(films, "triplet", recipe, seed=1)
    points = embedding.embed(films[0].features)
    anchor, positive, negative = draw_triplets(films[0].stories, 500, np.random.default_rng(0))
    near = ((points[anchor] - points[positive]) ** 2).sum(axis=1)
    far = ((points[anchor] - points[negative]) ** 2).sum(axis=1)
    assert (near < far).mean() > 0.9


@pytest.mark.parametrize("kind", ["triplet", "siamese"])
def test_shrinking_the_input_gives_the_same_network(kind):
    films = [video(seed, columns=200) for seed in range(2)]
    whole = train_embedding(films, kind, SMALL, seed=3, exact_shrink=False)
    shrunk = train_embedding(films, kind, SMALL, seed=3, exact_shrink=True)
    unseen = video(7, columns=200)
    assert set(whole.weights) == set(shrunk.weights)
    for name, value in whole.weights.items():
        np.testing.assert_allclose(shrunk.weights[name], value, atol=1e-6)
    np.testing.assert_allclose(
        shrunk.embed(unseen.features), whole.embed(unseen.features), atol=1e-6
    )


def test_the_factor_keeps_every_product_of_two_shots():
    rows = np.random.default_rng(0).normal(size=(6, 40))
    shrunk = shrink(rows)
    np.testing.assert_allclose(shrunk.rows @ shrunk.rows.T, rows @ rows.T, atol=1e-6)
    np.testing.assert_allclose(shrunk.basis @ shrunk.basis.T, np.eye(6), atol=1e-6)
    np.testing.assert_allclose(shrunk.rows @ shrunk.basis, rows, atol=1e-6)


def test_repeated_shots_can_be_shrunk():
    rows = np.repeat(np.random.default_rng(0).normal(size=(3, 40)), 2, axis=0)
    shrunk = shrink(rows)
    assert np.isfinite(shrunk.basis).all()
    np.testing.assert_allclose(shrunk.rows @ shrunk.rows.T, rows @ rows.T, atol=1e-6)


def test_decay_without_momentum_is_a_product():
    left = decay_outside_span([0.1] * 10, weight_decay=0.5, momentum=0.0)
    assert left == pytest.approx((1 - 0.05) ** 10)


def test_triplets_are_what_they_claim():
    truth = Segmentation((0, 1, 5, 9), 12)
    anchor, positive, negative = draw_triplets(truth, 2000, np.random.default_rng(0))
    story = np.repeat(np.arange(4), [1, 4, 4, 3])
    assert (story[anchor] == story[positive]).all()
    assert (anchor != positive).all()
    assert (story[anchor] != story[negative]).all()
    assert set(anchor) == set(range(1, 12))
    assert set(negative) == set(range(12))


def test_the_same_seed_gives_the_same_bytes_and_another_seed_does_not():
    films = [video(0)]
    first, again, other = (train_embedding(films, "triplet", SMALL, seed=s) for s in (5, 5, 6))
    assert first.digest == again.digest != other.digest


def test_an_embedding_survives_its_file(tmp_path):
    film = video(0)
    embedding = train_embedding([film], "lstm", SMALL, seed=0)
    embedding.save(tmp_path / "lstm.safetensors")
    back = Embedding.load(tmp_path / "lstm.safetensors")
    assert back.digest == embedding.digest
    assert back.layout == embedding.layout
    assert back.settings == embedding.settings
    np.testing.assert_array_equal(
        back.boundary_log_odds(film.features), embedding.boundary_log_odds(film.features)
    )


def test_a_changed_file_is_refused(tmp_path):
    from safetensors.numpy import save_file

    embedding = train_embedding([video(0)], "triplet", SMALL, seed=0)
    path = tmp_path / "e.safetensors"
    facts = {
        "format": "storyscope embedding 1",
        "kind": "triplet",
        "digest": "0",
        "layout": embedding.layout.to_json(),
        "settings": "{}",
    }
    save_file(dict(embedding.weights), path, metadata=facts)
    with pytest.raises(ModelError, match="damaged"):
        Embedding.load(path)
    save_file(dict(embedding.weights), path)
    with pytest.raises(ModelError, match="not an embedding"):
        Embedding.load(path)
    del facts["layout"]
    save_file(dict(embedding.weights), path, metadata=facts)
    with pytest.raises(ModelError, match="its layout is missing"):
        Embedding.load(path)


def test_features_of_another_layout_are_refused_by_name():
    film = video(0)
    embedding = train_embedding([film], "triplet", SMALL, seed=0)
    look, seconds = film.features
    with pytest.raises(InvalidFeatures, match="time"):
        embedding.embed([look])
    with pytest.raises(InvalidFeatures, match=r"look made by 'made', got 30 by 'other'"):
        embedding.embed([Features("look", look.vectors, "other"), seconds])
    with pytest.raises(InvalidFeatures, match="30 numbers of look"):
        embedding.embed([Features("look", look.vectors[:, :9], "made"), seconds])


def test_importance_is_the_gradient_of_a_linear_network():
    layout = Layout((("a", "p", 2), ("b", "p", 3)))
    weight = np.array([[1.0, 0.0], [3.0, 0.0], [0.0, 1.0], [0.0, 1.0], [0.0, 4.0]])
    always_on = np.full(2, 100.0)
    embedding = Embedding("triplet", layout, {"weight_1": weight, "bias_1": always_on})
    features = [Features("a", np.ones((4, 2)), "p"), Features("b", -np.ones((4, 3)), "p")]
    assert embedding.importance(features) == pytest.approx({"a": 0.5, "b": 0.5})


def test_the_lstm_reads_in_order_as_torch_does():
    torch = pytest.importorskip("torch")
    film = video(0)
    embedding = train_embedding([film], "lstm", SMALL, seed=0)
    w = {name: torch.tensor(value) for name, value in embedding.weights.items()}
    lstm = torch.nn.LSTM(5, 10)
    with torch.no_grad():
        lstm.weight_ih_l0.copy_(w["lstm_input"].T)
        lstm.weight_hh_l0.copy_(w["lstm_hidden"].T)
        lstm.bias_ih_l0.copy_(w["lstm_bias"])
        lstm.bias_hh_l0.zero_()
        points = torch.tensor(embedding.embed(film.features), dtype=torch.float32)
        answers = lstm(points[:, None])[0][:, 0] @ w["out_weight"] + w["out_bias"]
    np.testing.assert_allclose(
        embedding.boundary_log_odds(film.features), answers[:, 0].numpy(), atol=1e-5
    )


def test_the_lstm_learns_where_stories_begin():
    """Each story opens with a shot of the same look, as a presenter would open it."""

    def film(seed):
        truth = Segmentation((0, 5, 9, 14), 20)
        rows = np.random.default_rng(seed).normal(size=(20, 30))
        rows[list(truth.starts), :3] += 4.0
        return Example([Features("look", rows, "made")], truth)

    recipe = EmbeddingRecipe(layers=(40, 20, 10), epochs=120, later_from=100)
    embedding = train_embedding([film(seed) for seed in range(6)], "lstm", recipe, seed=0)
    for seed in range(20, 24):
        odds = embedding.boundary_log_odds(film(seed).features)
        assert set(np.argsort(odds)[-4:]) == {0, 5, 9, 14}


def test_an_lstm_of_many_columns_learns_on_few_and_reads_them_all():
    films = [video(seed, columns=200) for seed in range(2)]
    network = train_embedding(films, "lstm", SMALL, seed=3)
    assert network.weights["weight_1"].shape == (201, 12)
    assert np.isfinite(network.boundary_log_odds(video(7, columns=200).features)).all()


def test_what_cannot_be_trained_is_reported():
    with pytest.raises(UnknownName, match="siamese"):
        train_embedding([video(0)], "quadruplet")
    with pytest.raises(AnnotationError, match="two stories"):
        train_embedding([video(0, stories=(0,))])


def test_embedding_loads_no_torch():
    code = "import sys, storyscope.embedding; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
