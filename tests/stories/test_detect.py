"""The learned detector, part by part, each against something simpler."""

import itertools
import os
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save_file

from story_films import made_up_film, shots_of
from storyscope.config import StoryConfig
from storyscope.core import Features, Segmentation, StoryPath
from storyscope.cues import find_cue
from storyscope.errors import (
    InvalidFeatures,
    InvalidSegmentation,
    InvalidSetting,
    ModelError,
)
from storyscope.evaluate import mean_iou
from storyscope.experiments.shuffling import losses_when_shuffled
from storyscope.stories import (
    StoryModel,
    all_granularities,
    detect,
    explain,
    importance,
    segment,
)
from storyscope.stories import relations as relations_room
from storyscope.stories import similarity as similarity_room
from storyscope.stories.decode import best_segmentation, expected_overlaps
from storyscope.stories.detect import score_stories
from storyscope.stories.examples import StoryExample
from storyscope.stories.explain import boundary_scores
from storyscope.stories.hierarchy import order_changes, scatter_splits, score_splits
from storyscope.stories.model import usual
from storyscope.stories.posterior import posterior, story_probabilities
from storyscope.stories.relations import (
    CUT_COLUMNS,
    LONGEST,
    RUN_COLUMNS,
    Rhythm,
    relate,
)
from storyscope.stories.similarity import (
    View,
    comparable,
    compare_shots,
    cues_of,
    normal_scores,
    quantiles,
    similarities,
    whitened,
)
from storyscope.stories.training import Recipe, train

QUICK = Recipe(steps=40, hidden=12, batch=4, learning_rate=0.01, varied=False)


def example(seed):
    shots, features, truth = made_up_film(seed)
    return StoryExample(tuple(features), Rhythm.of(shots), truth)


@pytest.fixture(scope="module")
def model():
    pytest.importorskip("torch")
    return train([example(seed) for seed in range(6)], QUICK, seed=0)


def every_segmentation(shots):
    for size in range(shots):
        for cuts in itertools.combinations(range(1, shots), size):
            yield (0, *cuts, shots)


def random_scores(seed, shots, lengths):
    scores = np.random.default_rng(seed).normal(size=(shots, lengths))
    scores[np.arange(shots)[:, None] + np.arange(lengths) >= shots] = -np.inf
    return scores


def total(edges, scores):
    parts = itertools.pairwise(edges)
    return sum(scores[a, b - a - 1] if b - a <= scores.shape[1] else -np.inf for a, b in parts)


@given(st.integers(0, 999), st.integers(1, 7), st.integers(2, 7))
def test_the_posterior_sums_over_every_way_to_part_the_shots(seed, shots, lengths):
    scores = random_scores(seed, shots, min(lengths, shots))
    weights = {edges: np.exp(total(edges, scores)) for edges in every_segmentation(shots)}
    expected = np.zeros_like(scores)
    for edges, weight in weights.items():
        for a, b in itertools.pairwise(edges):
            if b - a <= scores.shape[1]:
                expected[a, b - a - 1] += weight / sum(weights.values())
    np.testing.assert_allclose(posterior(scores).stories, expected, atol=1e-9)


def test_videos_of_different_length_do_not_disturb_each_other():
    tables = [random_scores(seed, shots, min(shots, 5)) for seed, shots in enumerate((3, 9, 6))]
    for table, together in zip(tables, story_probabilities(tables), strict=True):
        np.testing.assert_allclose(together, posterior(table).stories, atol=1e-12)


def pairwise_agreement(found, truth, times):
    """Mean IoU with matches by the middle, as `decode` takes it; both as edges over shots."""

    def iou(a, b):
        shared = max(0, min(times[a[1]], times[b[1]]) - max(times[a[0]], times[b[0]]))
        return shared / (times[a[1]] - times[a[0]] + times[b[1]] - times[b[0]] - shared)

    def holds_middle(a, b):
        return times[a[0]] <= (times[b[0]] + times[b[1]]) / 2 < times[a[1]]

    ours, theirs = list(itertools.pairwise(found)), list(itertools.pairwise(truth))
    own = [iou(a, b) for a in ours for b in theirs if holds_middle(b, a)]
    other = [iou(a, b) for b in theirs for a in ours if holds_middle(a, b)]
    return sum(own) / len(ours), sum(other)


@settings(max_examples=25)
@given(st.integers(0, 999), st.integers(2, 6))
def test_expected_overlaps_are_expectations(seed, shots):
    scores = random_scores(seed, shots, shots)
    times = np.cumsum([0, *np.random.default_rng(seed).uniform(1, 5, shots)])
    chances = posterior(scores)
    own, others, places = expected_overlaps(chances, times)
    ways = list(every_segmentation(shots))
    weights = np.exp([total(edges, scores) for edges in ways])
    for found in ways:
        if not set(found) <= set(places.tolist()):
            continue
        rows = np.searchsorted(places, found)
        agreements = [pairwise_agreement(found, truth, times) for truth in ways]
        mine = np.average([a for a, _ in agreements], weights=weights)
        theirs = np.average([b for _, b in agreements], weights=weights)
        assert own[rows[:-1], rows[1:]].mean() == pytest.approx(mine, abs=0.02)
        assert others[rows[:-1], rows[1:]].sum() * chances.expected_count == pytest.approx(
            theirs, abs=0.02 * shots
        )


def test_the_answer_is_nearly_always_the_best_segmentation_of_all():
    short_of_best = []
    for seed, shots in itertools.product(range(60), (3, 5, 8)):
        chances = posterior(2 * random_scores(seed, shots, shots))
        own, others, places = expected_overlaps(chances, np.arange(shots + 1.0))

        def value(edges, own=own, others=others, places=places):
            rows = np.searchsorted(places, edges)
            return own[rows[:-1], rows[1:]].mean() + others[rows[:-1], rows[1:]].sum()

        found = best_segmentation(chances, np.arange(shots + 1.0))
        possible = set(places.tolist())
        rivals = [edges for edges in every_segmentation(shots) if set(edges) <= possible]
        short_of_best.append(max(value(edges) for edges in rivals) - value((*found, shots)))
    assert np.mean(np.array(short_of_best) < 1e-9) > 0.9
    assert np.mean(short_of_best) < 0.005


def test_a_sure_model_is_believed():
    scores = np.full((9, 9), -20.0)
    for start, stop in ((0, 4), (4, 5), (5, 9)):
        scores[start, stop - start - 1] = 20.0
    assert best_segmentation(posterior(scores), np.arange(10.0)) == (0, 4, 5)


@given(st.integers(0, 999), st.integers(1, 12), st.integers(2, 12))
def test_a_finer_granularity_keeps_every_boundary(seed, shots, lengths):
    scores = random_scores(seed, shots, min(lengths, shots))
    chances = posterior(scores)
    starts = best_segmentation(chances, np.arange(shots + 1.0))
    order = order_changes(starts, shots, score_splits(chances))
    path = StoryPath(order, len(starts), tuple(chances.begins))
    assert path.stories.starts == starts
    dial = [path.at(step / 20) for step in range(21)]
    assert len(dial[0]) == 1
    assert len(dial[-1]) == shots
    for coarse, fine in itertools.pairwise(dial):
        assert set(coarse.starts) <= set(fine.starts)
    assert [len(path.about(count)) for count in range(1, shots + 1)] == list(range(1, shots + 1))


def test_scatter_splits_are_what_a_cut_saves():
    rows = np.random.default_rng(0).normal(size=(7, 3))

    def scatter(part):
        return ((part - part.mean(axis=0)) ** 2).sum()

    saved = [scatter(rows[1:6]) - scatter(rows[1:c]) - scatter(rows[c:6]) for c in range(2, 6)]
    np.testing.assert_allclose(scatter_splits(rows)(1, 6), saved)


def test_the_paper_s_clustering_has_a_nested_path_too():
    shots, features, _ = made_up_film(6)
    path = all_granularities(shots, features, StoryConfig(method="cluster"))
    assert segment(shots, features, StoryConfig(method="cluster")) == path.stories
    for coarse, fine in itertools.pairwise(path.levels(0.2, 0.5, 0.8)):
        assert set(coarse.starts) <= set(fine.starts)
    with pytest.raises(InvalidSetting, match="ours or cluster"):
        segment(shots, features, StoryConfig(method="magic"))


def test_a_path_is_a_list_of_every_change():
    with pytest.raises(InvalidSegmentation):
        StoryPath((1, 1), 1, (1.0, 0.5, 0.5))
    path = StoryPath((2, 1), 2, (1.0, 0.2, 0.9))
    assert path.levels(1.0, 0.0) == (Segmentation((0,), 3), Segmentation((0, 1, 2), 3))
    assert len(path.about(50)) == 3
    with pytest.raises(InvalidSetting):
        path.at(1.5)
    with pytest.raises(InvalidSetting):
        path.about(0)


@given(st.integers(0, 999))
def test_normal_scores_forget_the_scale_of_a_network(seed):
    rows = np.random.default_rng(seed).normal(size=(12, 5))
    plain = similarities(rows, rows)[np.triu_indices(12, 1)]
    other = 3 * plain - 1
    scores = normal_scores(plain, quantiles(plain))
    np.testing.assert_allclose(scores, normal_scores(other, quantiles(other)), atol=1e-9)
    assert np.abs(scores).max() <= 3.0


def test_equal_shots_say_nothing():
    off_diagonal = View.of([comparable(np.ones((5, 4)))]).among(range(5))[~np.eye(5, dtype=bool)]
    assert (off_diagonal == 0).all()


def test_histograms_are_compared_by_their_roots():
    histograms = np.array([[1.0, 0, 0], [0.25, 0.75, 0], [0, 0, 1.0]])
    rows = comparable(histograms)
    assert similarities(rows, rows)[0, 1] == pytest.approx(0.5)


def test_relations_match_their_definitions():
    shots, features, _ = made_up_film(3, stories=4)
    relations = relate(features, Rhythm.of(shots))
    view = compare_shots(cues_of(features))["appearance"].among(range(len(shots)))
    cuts, runs = relations.cuts["appearance"], relations.runs["appearance"]
    assert cuts.shape == (len(shots), CUT_COLUMNS)
    assert runs.shape == (len(shots), len(shots), RUN_COLUMNS)
    cut, window = 7, 2
    block = view[cut - window : cut, cut : cut + window]
    assert cuts[cut, 2:4] == pytest.approx([block.mean(), block.max()], abs=1e-5)
    run = view[5:9, 5:9][~np.eye(4, dtype=bool)].reshape(4, 3)
    assert runs[5, 3, 0] == pytest.approx(run.mean(), abs=1e-5)
    assert runs[5, 3, 8:10] == pytest.approx([run.max(1).mean(), run.max(1).min()], abs=1e-5)


def test_a_film_played_slowly_looks_the_same():
    shots, features, _ = made_up_film(4)
    rhythm = Rhythm.of(shots)
    quick, slow = (
        relate(features, Rhythm(times * rhythm.edges, rhythm.transitions)) for times in (1, 30)
    )
    np.testing.assert_allclose(quick.cut_timing, slow.cut_timing, atol=1e-4)
    np.testing.assert_allclose(quick.run_timing, slow.run_timing, atol=1e-4)
    np.testing.assert_allclose(quick.cuts["colour"], slow.cuts["colour"], atol=1e-4)


def test_every_cue_has_a_view_of_its_own_and_appearance_two():
    _, (looks, hue), _ = made_up_film(5)
    sound = Features("audio", looks.vectors[:, :6], "made up")
    assert [*compare_shots(cues_of([looks]))] == ["appearance", "whitened"]
    assert set(compare_shots(cues_of([looks, hue, sound]))) == {
        "appearance", "whitened", "colour", "audio",
    }  # fmt: skip


def test_loud_columns_of_sound_do_not_drown_the_others():
    rng = np.random.default_rng(0)
    quiet = rng.normal(size=(30, 4))
    loud = np.hstack([1000 + 300 * rng.normal(size=(30, 1)), quiet])
    scaled = np.hstack([loud[:, :1] / 300, quiet])
    views = [
        compare_shots(cues_of([Features("audio", rows, "x")]))["audio"] for rows in (loud, scaled)
    ]
    np.testing.assert_allclose(*(view.among(range(30)) for view in views), atol=0.05)


def test_a_film_looked_at_in_parts_is_the_film_as_a_whole(monkeypatch):
    shots, features, _ = made_up_film(6, stories=60)
    rhythm, longest = Rhythm.of(shots), 20
    whole = relate(features, rhythm, longest)
    monkeypatch.setattr(relations_room, "PART", 17)
    monkeypatch.setattr(similarity_room, "BAND", 13)
    parts = relate(features, rhythm, longest)
    assert len(shots) > 2 * (longest + 2 * relations_room.AROUND)
    for view in whole.cuts:
        np.testing.assert_allclose(parts.cuts[view], whole.cuts[view], atol=1e-5)
        np.testing.assert_allclose(parts.runs[view], whole.runs[view], atol=1e-5)


@pytest.mark.parametrize("shape", [(9, 6), (6, 9), (5, 1)])
def test_a_view_is_whitened_by_the_films_own_axes(shape):
    rows = np.random.default_rng(3).normal(size=shape) * np.arange(1, shape[1] + 1)
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    centred = unit - unit.mean(axis=0)
    _, strengths, axes = np.linalg.svd(centred, full_matrices=False)
    variance = strengths**2 / len(rows)
    white = centred @ axes.T / np.sqrt(variance + variance.sum() / min(shape))
    white /= np.linalg.norm(white, axis=1, keepdims=True)
    found = whitened(rows)
    np.testing.assert_allclose(similarities(found, found), white @ white.T, atol=1e-6)


def test_weights_of_views_are_shared_among_those_there_are(model):
    assert sum(model.view_weights(["appearance", "colour", "audio"]).values()) == pytest.approx(1)
    assert model.view_weights(["colour"]) == {"colour": 1.0}
    both = model.view_weights(["colour", "audio"])
    assert both["audio"] / both["colour"] == pytest.approx(find_cue("audio").vote)


def test_a_cue_without_a_weight_changes_nothing(model):
    shots, features, _ = made_up_film(5)
    spoken = Features("speech", np.random.default_rng(0).normal(size=(len(shots), 2)), "made up")
    assert "speech" not in cues_of([spoken])
    assert detect(shots, [*features, spoken], model) == detect(shots, features, model)
    assert detect(shots, [spoken], model) == detect(shots, [], model)


def test_a_pause_speaks_for_a_boundary_and_is_named_in_its_explanation(model):
    shots, features, _ = made_up_film(5)
    plain = detect(shots, features, model)
    quiet = np.zeros((len(shots), 1))
    loudest = int(np.argmin(np.abs(np.array(plain.confidence[1:]) - 0.3))) + 1
    quiet[loudest] = 1.0
    pauses = Features("pauses", quiet, "made up")
    paused = detect(shots, [*features, pauses], model)
    assert paused.confidence[loudest] > plain.confidence[loudest] + 0.1
    stories = Segmentation((0, loudest), len(shots))
    (reason,) = explain(shots, [*features, pauses], model, stories=stories)
    assert reason.cues["pauses"] > 0
    everywhere = Features("pauses", np.ones((len(shots), 1)), "made up")
    assert detect(shots, [*features, everywhere], model) == plain


def test_no_story_is_too_long_to_be_found(model):
    shots = shots_of([50] * (2 * LONGEST + 20))
    weights = {**model.weights, "cut_3_bias": model.weights["cut_3_bias"] - 60.0}
    path = detect(shots, [], replace(model, weights=weights))
    assert path.natural == 1
    assert max(path.confidence[1:]) < 0.01


def test_training_finds_the_stories_of_films_it_has_not_seen(model):
    found, trivial = [], []
    for seed in range(20, 26):
        shots, features, truth = made_up_film(seed)
        found.append(mean_iou(detect(shots, features, model).stories, truth))
        uniform = np.linspace(0, len(shots), len(truth), endpoint=False).astype(int)
        trivial.append(mean_iou(Segmentation(tuple(uniform), len(shots)), truth))
    assert np.mean(found) > np.mean(trivial) + 0.15


def test_training_is_the_same_for_a_seed_and_another_for_another():
    pytest.importorskip("torch")
    recipe = Recipe(steps=4, hidden=4)
    first, again, other = (train([example(0)], recipe, seed=seed).digest for seed in (1, 1, 2))
    assert first == again != other


def test_training_from_a_base_stays_near_it(model):
    near = train([example(9)], Recipe(steps=3, learning_rate=1e-4), base=model)
    for name, value in model.weights.items():
        assert np.abs(near.weights[name] - value).max() < 0.01
    assert near.digest != model.digest


def test_another_network_sees_the_same_stories(model):
    shots, (looks, hue), _ = made_up_film(31)
    turn, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(24, 24)))
    turned = Features("appearance:resnet", 7 * looks.vectors @ turn, "another network")
    assert detect(shots, [turned, hue], model).stories == detect(shots, [looks, hue], model).stories


@pytest.mark.parametrize("count", [1, 2, 3])
def test_the_shortest_films_have_stories_too(model, count):
    shots = shots_of([50] * count)
    features = [Features("appearance", np.eye(3)[:count], "made up")]
    assert detect(shots, features, model).shots == count
    assert detect(shots, [], model).shots == count


def test_a_film_of_equal_shots_can_be_parted(model):
    shots = shots_of([40] * 30)
    path = detect(shots, [Features("appearance", np.ones((30, 8)), "made up")], model)
    assert path.shots == 30


def test_features_of_other_shots_are_refused(model):
    shots, features, _ = made_up_film(1)
    with pytest.raises(InvalidFeatures, match=f"the video has {len(shots) - 1}"):
        detect(shots[:-1], features, model)


def test_models_that_find_other_stories_have_other_digests(model):
    louder = {**model.weights, "views": model.weights["views"] + np.eye(3)[0]}
    assert replace(model, weights=louder).digest != model.digest
    assert replace(model, card={"made by": "somebody else"}).digest == model.digest


def test_a_model_survives_its_file(model, tmp_path):
    model = replace(model, trained_on={"reef": "1f"})
    model.save(tmp_path / "m.safetensors")
    back = StoryModel.load(tmp_path / "m.safetensors")
    assert back.digest == model.digest
    assert back.trained_on == {"reef": "1f"}
    shots, features, _ = made_up_film(2)
    config = StoryConfig(model=str(tmp_path / "m.safetensors"))
    assert segment(shots, features, config) == detect(shots, features, model).stories
    assert len(segment(shots, features, config, count=4)) == 4


def test_what_is_no_model_is_refused(model, tmp_path):
    (tmp_path / "m.safetensors").write_bytes(b"nonsense")
    with pytest.raises(ModelError, match="cannot be read"):
        StoryModel.load(tmp_path / "m.safetensors")
    with pytest.raises(ModelError, match="train it again"):
        StoryModel({**model.weights, "cut_mean": np.zeros(3)})
    save_file({"a": np.zeros(3)}, tmp_path / "m.safetensors", metadata={"format": "another"})
    with pytest.raises(ModelError, match="its format is another, expected storyscope stories 2"):
        StoryModel.load(tmp_path / "m.safetensors")


def test_a_model_half_written_leaves_the_one_before(model, tmp_path, monkeypatch):
    path = tmp_path / "m.safetensors"
    model.save(path)

    def full_disk(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="No space left"):
        replace(model, card={"made by": "another"}).save(path)
    assert StoryModel.load(path).digest == model.digest
    assert [*tmp_path.iterdir()] == [path]


def test_explanations_name_the_cue_that_changed(model):
    """Where only colour changes between two stories, colour speaks for the boundary."""
    shots, (_, hue), truth = made_up_film(40, stories=6)
    blank = Features("appearance", np.ones((len(shots), 4)), "made up")
    reasons = explain(shots, [blank, hue], model, stories=truth)
    assert [reason.shot for reason in reasons] == list(truth.cuts)
    assert all(set(reason.cues) == {"colour", "time"} for reason in reasons)
    colour = np.mean([reason.cues["colour"] for reason in reasons])
    assert colour > np.mean([abs(reason.cues["time"]) for reason in reasons])
    assert all(0 <= reason.confidence <= 1 for reason in reasons)


def test_a_cue_counts_as_much_as_the_score_loses_without_it(model):
    model = replace(model, use_priors=False)
    shots, (look_of, hue), truth = made_up_film(50)
    whole = explain(shots, [look_of, hue], model, stories=truth)
    relations = relate([look_of, hue], Rhythm.of(shots))
    without = boundary_scores(score_stories(relations, model, without="colour"), truth)
    for full, less in zip(whole, without, strict=True):
        assert full.cues["colour"] == pytest.approx(full.score - less)
        assert sum(map(abs, full.shares.values())) == pytest.approx(1.0)


def test_what_is_usual_is_the_mean_over_runs_of_the_same_length_inside_the_video():
    runs = np.random.default_rng(0).normal(size=(5, 3, 2))
    expected = [runs[: 5 - step, step].mean(axis=0) for step in range(3)]
    np.testing.assert_allclose(usual(runs), expected)
    np.testing.assert_allclose(usual(runs[:, 0]), runs[1:, 0].mean(axis=0))


def test_shuffling_the_strongest_cue_costs_the_boundary_most(model):
    """More often than chance, which names one of three cues."""
    held = []
    for seed in range(50, 54):
        shots, features, truth = made_up_film(seed)
        reasons = explain(shots, features, model, stories=truth)
        losses = losses_when_shuffled(Rhythm.of(shots), features, model, stories=truth)
        most = [max(losses, key=lambda cue: losses[cue][k]) for k in range(len(reasons))]
        held += [reason.strongest == cue for reason, cue in zip(reasons, most, strict=True)]
    assert np.mean(held) > 0.5


def test_importance_is_the_mean_slope(model):
    """Against differences, for the relations of a made-up film."""
    shots, features, _ = made_up_film(60)
    cuts, runs = model.inputs(relate(features, Rhythm.of(shots)))
    _, of_runs = model.slopes(cuts, runs)
    column, step = 0, 1e-3
    moved = runs.copy()
    moved[..., column] += step
    possible = np.isfinite(model.scores(cuts, runs))
    change = model.scores(cuts, moved)[possible] - model.scores(cuts, runs)[possible]
    assert np.abs(change / step).mean() == pytest.approx(of_runs[column], rel=0.3)


def test_importance_sums_to_one_over_the_cues_there_are(model):
    shots, features, _ = made_up_film(61)
    shares = importance(shots, features, model)
    assert set(shares) == {"appearance", "colour", "time"}
    assert sum(shares.values()) == pytest.approx(1.0)
    assert min(shares.values()) > 0
