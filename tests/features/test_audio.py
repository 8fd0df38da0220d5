"""Audio is turned into cepstra as it streams, and cepstra into features of shots."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from storyscope.config import FeatureConfig
from storyscope.core import Shot, Sound, SoundChunk, Span, Transition
from storyscope.errors import MediaError, ModelError
from storyscope.features import Material, Mixture, SoundListener, extract, fit_sound
from storyscope.features.audio import descriptors, spread
from storyscope.features.fisher import fisher_vector, fit_mixture, posteriors
from storyscope.features.mfcc import derivatives, mfcc

RATE = 16_000


def assert_same_windows(found, wanted):
    """Equal but for the last bit of a half-precision number.

    A matrix product adds up in another order when it has other rows, on some processors.
    """
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found.astype(float), wanted.astype(float), rtol=2e-3, atol=2e-3)


@given(st.lists(st.integers(1, 700), min_size=1, max_size=12))
def test_the_size_of_the_chunks_does_not_matter(sizes):
    samples = np.random.default_rng(0).normal(0, 0.1, sum(sizes)).astype(np.float32)
    whole, pieces = SoundListener(), SoundListener()
    whole.hear(SoundChunk(2.0, samples))
    start = 0
    for size in sizes:
        pieces.hear(SoundChunk(2.0 + start / RATE, samples[start : start + size]))
        start += size
    one, many = whole.close(), pieces.close()
    assert_same_windows(one.mfcc, many.mfcc)
    assert one.first_second == many.first_second == 2.0
    assert one.mfcc.shape == (-(-sum(sizes) // 160), 30)


def test_what_was_drained_and_what_is_left_are_the_whole_track():
    samples = np.random.default_rng(0).normal(0, 0.1, 5 * RATE + 77).astype(np.float32)
    whole, drained, parts = SoundListener(), SoundListener(), []
    whole.hear(SoundChunk(2.0, samples))
    for start in range(0, len(samples), RATE):
        drained.hear(SoundChunk(2.0 + start / RATE, samples[start : start + RATE]))
        parts.append(drained.drain())
    rest = drained.close()
    assert len(rest.mfcc) == 1
    assert_same_windows(np.concatenate([*parts, rest.mfcc]), whole.close().mfcc)


@pytest.mark.parametrize("count", [1, 7, 1000, 19_999, 20_000, 90_000])
def test_windows_spread_over_the_track_are_described_as_in_the_whole(count):
    mfcc = np.random.default_rng(1).normal(0, 5, (20_000, 30)).astype(np.float16)
    step = max(1, len(mfcc) // count)
    np.testing.assert_array_equal(spread(mfcc, count), descriptors(mfcc)[::step])


def test_a_file_of_a_few_sounds_is_not_days_of_silence(monkeypatch):
    monkeypatch.setattr("storyscope.features.mfcc.LONGEST_HOLE", 10.0)
    listener = SoundListener()
    for number in range(500):
        listener.hear(SoundChunk(9.0 * number, np.ones(160, np.float32)))
    assert 900 < len(listener.close().mfcc) < 2000


def test_a_hole_in_the_sound_is_filled_with_silence():
    tone = _tone(440, 1.0)
    listener = SoundListener()
    listener.hear(SoundChunk(0.0, tone))
    listener.hear(SoundChunk(3.0, tone))
    energy = listener.close().mfcc[:, 0]
    assert len(energy) == 400
    assert (energy[110:290] < -20).all()
    assert (energy[305:395] > -5).all()


def test_a_timestamp_that_is_years_off_does_not_fill_the_disk():
    listener = SoundListener()
    for second in (0.0, 1e9, 1.0, 2e9):
        listener.hear(SoundChunk(second, _tone(440, 1.0)))
    assert len(listener.close().mfcc) == 200


def test_overlapping_sound_is_used_once():
    tone = _tone(440, 1.0)
    listener = SoundListener()
    listener.hear(SoundChunk(0.0, tone))
    listener.hear(SoundChunk(0.5, tone))
    assert len(listener.close().mfcc) == 150


def test_no_sound_is_none():
    assert SoundListener().close() is None


def test_the_first_value_is_the_log_of_the_energy():
    windows = np.random.default_rng(1).normal(0, 0.1, (5, 160)).astype(np.float32)
    expected = [np.log(sum(float(x) ** 2 for x in window) / 160) for window in windows]
    np.testing.assert_allclose(mfcc(windows)[:, 0], expected, rtol=1e-4)


def test_loudness_moves_the_energy_and_leaves_the_cepstra():
    windows = np.random.default_rng(1).normal(0, 0.1, (20, 160)).astype(np.float32)
    quiet, loud = mfcc(windows), mfcc(3 * windows)
    np.testing.assert_allclose(loud[:, 0] - quiet[:, 0], 2 * np.log(3), atol=1e-3)
    np.testing.assert_allclose(loud[:, 1:], quiet[:, 1:], atol=2e-2)


def test_the_slope_of_a_ramp_is_its_step():
    ramp = np.outer(np.arange(20.0), [1.0, -2.0])
    np.testing.assert_allclose(derivatives(ramp)[2:-2], np.tile([1.0, -2.0], (16, 1)))


def test_a_window_has_ninety_descriptors():
    assert descriptors(np.zeros((7, 30), np.float16)).shape == (7, 90)


@pytest.mark.parametrize("kind", ["compact", "fisher"])
def test_silent_sound_is_described_by_finite_numbers(kind):
    listener = SoundListener()
    listener.hear(SoundChunk(0.0, np.zeros(3 * RATE, np.float32)))
    sound = listener.close()
    material = Material(_shots(3), sound=sound, mixture=fit_sound([sound]))
    features = extract("audio", material, FeatureConfig(audio=kind))
    assert np.isfinite(features.vectors).all()
    assert features.vectors.shape == (3, {"compact": 100, "fisher": 46_080}[kind])


def test_similar_sounding_shots_are_closer_than_others():
    chance = np.random.default_rng(7)
    noise = [chance.normal(0, 0.1, RATE).astype(np.float32) for _ in range(2)]
    listener = SoundListener()
    sound = np.concatenate([noise[0], _tone(300, 1.0), noise[1], _tone(300, 1.0)])
    listener.hear(SoundChunk(0.0, sound))
    features = extract("audio", Material(_shots(4), sound=listener.close()))
    gaps = np.linalg.norm(features.vectors[:, None] - features.vectors[None], axis=2)
    assert max(gaps[0, 2], gaps[1, 3]) < min(gaps[0, 1], gaps[1, 2])


def test_a_shot_after_the_sound_ended_is_silent():
    listener = SoundListener()
    listener.hear(SoundChunk(0.0, _tone(300, 1.0)))
    features = extract("audio", Material(_shots(3), sound=listener.close()))
    np.testing.assert_array_equal(features.vectors[1], features.vectors[2])
    assert features.vectors[1, 0] < -20 < features.vectors[0, 0]


def test_sound_that_starts_late_is_aligned():
    listener = SoundListener()
    listener.hear(SoundChunk(1.0, _tone(300, 1.0)))
    energy = extract("audio", Material(_shots(3), sound=listener.close())).vectors[:, 0]
    assert energy[1] > -5 > -20 > max(energy[0], energy[2])


def test_an_empty_track_is_absent():
    empty = Sound(np.zeros((0, 30), np.float16))
    assert extract("audio", Material(_shots(2), sound=empty)) is None


def test_a_mixture_finds_the_clusters_that_are_there():
    chance = np.random.default_rng(2)
    centres = np.array([[0, 0], [8, 0], [0, 8]])
    samples = np.concatenate([centre + chance.normal(0, 0.5, (400, 2)) for centre in centres])
    mixture = fit_mixture(samples, components=12)
    means = mixture.means @ np.linalg.inv(mixture.basis) + mixture.centre
    for centre in centres:
        near = np.linalg.norm(means - centre, axis=1) < 2
        assert mixture.shares[near].sum() == pytest.approx(1 / 3, abs=0.02)


def test_two_halves_of_a_film_share_a_space_under_the_mixture_of_their_collection():
    chance = np.random.default_rng(5)
    halves = [Sound(chance.normal(0, 5, (3000, 30)).astype(np.float16)) for _ in range(2)]
    shared = fit_sound(halves, components=8)
    apart = [fit_sound([half], components=8) for half in halves]
    shot = descriptors(halves[0].mfcc[:300])
    first, second = (fisher_vector(shot, mixture) for mixture in apart)
    assert first @ second < 0.9
    assert fisher_vector(shot, shared) @ fisher_vector(shot, shared) == pytest.approx(1.0)
    assert shared.digest not in {mixture.digest for mixture in apart}


def test_variables_of_a_mixture_are_uncorrelated_and_of_variance_one():
    chance = np.random.default_rng(6)
    samples = chance.normal(size=(5000, 3)) @ chance.normal(size=(3, 3)) + 4
    mixture = fit_mixture(samples, components=2)
    covariance = np.cov(mixture.variables(samples), rowvar=False)
    np.testing.assert_allclose(covariance, np.eye(3), atol=0.01)


def test_a_mixture_survives_its_file_and_a_damaged_one_is_refused(tmp_path):
    mixture = _mixture(np.random.default_rng(4))
    mixture.save(tmp_path / "sound.safetensors")
    assert Mixture.load(tmp_path / "sound.safetensors").digest == mixture.digest
    content = bytearray((tmp_path / "sound.safetensors").read_bytes())
    content[-3] ^= 1
    (tmp_path / "sound.safetensors").write_bytes(content)
    with pytest.raises(ModelError, match="damaged"):
        Mixture.load(tmp_path / "sound.safetensors")


def test_fisher_vectors_without_a_mixture_of_the_collection_are_refused():
    sound = Sound(np.zeros((300, 30), np.float16))
    with pytest.raises(ModelError, match="storyscope train --embedding triplet"):
        extract("audio", Material(_shots(3), sound=sound), FeatureConfig(audio="fisher"))
    with pytest.raises(MediaError, match="has sound"):
        fit_sound([])


def test_posteriors_are_those_of_bayes():
    chance = np.random.default_rng(4)
    mixture, data = _mixture(chance), chance.normal(size=(6, 3)).astype(np.float32)
    found = posteriors(data, mixture)
    for row, sample in enumerate(data):
        density = [
            share * np.prod(np.exp(-((sample - m) ** 2) / (2 * v)) / np.sqrt(2 * np.pi * v))
            for share, m, v in zip(mixture.shares, mixture.means, mixture.variances, strict=True)
        ]
        np.testing.assert_allclose(found[row], np.array(density) / sum(density), rtol=1e-4)


def test_a_fisher_vector_is_the_formula_summed_window_by_window():
    chance = np.random.default_rng(4)
    mixture, data = _mixture(chance), chance.normal(size=(9, 3)).astype(np.float32)
    claims = posteriors(data, mixture).astype(float)
    first, second = [], []
    for k, share in enumerate(mixture.shares.astype(float)):
        gap = (data - mixture.means[k]) / np.sqrt(mixture.variances[k])
        first.append((claims[:, k, None] * gap).sum(axis=0) / 9 / np.sqrt(share))
        second.append((claims[:, k, None] * (gap**2 - 1)).sum(axis=0) / 9 / np.sqrt(2 * share))
    expected = np.concatenate([np.ravel(first), np.ravel(second)])
    expected = np.sign(expected) * np.sqrt(np.abs(expected))
    found = fisher_vector(data, mixture)
    np.testing.assert_allclose(found, expected / np.linalg.norm(expected), atol=1e-4)


def _mixture(chance):
    return Mixture(
        np.zeros(3, np.float32),
        np.eye(3, dtype=np.float32),
        np.array([0.2, 0.5, 0.3], np.float32),
        chance.normal(size=(3, 3)).astype(np.float32),
        chance.uniform(0.5, 2, (3, 3)).astype(np.float32),
    )


def _tone(hertz, seconds):
    time = np.arange(int(RATE * seconds)) / RATE
    return (0.5 * np.sin(2 * np.pi * hertz * time)).astype(np.float32)


def _shots(count):
    """Shots of one second."""
    return tuple(
        Shot(
            Span(start, start + 1),
            range(10 * start, 10 * start + 10),
            Transition("cut" if start else "start", 10 * start, 10 * start),
        )
        for start in range(count)
    )
