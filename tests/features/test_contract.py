"""The contract that every extractor fulfils."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from storyscope.config import FeatureConfig
from storyscope.core import (
    Keyframes,
    Picture,
    Shot,
    Sound,
    SoundChunk,
    Span,
    Transcript,
    Transition,
    Word,
)
from storyscope.errors import InvalidSetting, UnknownName
from storyscope.features import (
    EXTRACTORS,
    Material,
    SoundListener,
    VisionOutput,
    extract,
    extract_all,
    pick_keyframes,
)
from storyscope.features.sampling import most_different, sample_keyframes
from storyscope.features.speech import LONGEST_PAUSE

FPS = 10
SOURCES = {
    "appearance": ("keyframes", "vision"),
    "hue": ("keyframes",),
    "colour": ("keyframes",),
    "audio": ("sound",),
    "speech": ("transcript",),
    "pauses": ("transcript",),
    "time": (),
}


def test_the_contract_covers_every_extractor():
    assert set(SOURCES) == set(EXTRACTORS)


@pytest.mark.parametrize("name", EXTRACTORS)
def test_there_is_one_finite_row_a_shot(name):
    features = extract(name, _material(shot_frames=(30, 1, 55, 20)))
    assert features is not None
    assert features.name == name
    assert len(features) == 4
    assert features.vectors.dtype == np.float32
    assert np.isfinite(features.vectors).all()
    assert features.producer


@pytest.mark.parametrize("name", EXTRACTORS)
def test_the_same_material_gives_the_same_bytes(name):
    first, second = (extract(name, _material(shot_frames=(30, 25))) for _ in range(2))
    assert first is not None
    assert second is not None
    assert first.vectors.tobytes() == second.vectors.tobytes()
    assert first.producer == second.producer


@pytest.mark.parametrize("name", [name for name, sources in SOURCES.items() if sources])
def test_what_a_video_lacks_is_absent_and_not_zero(name):
    whole = _material(shot_frames=(30, 25))
    for source in SOURCES[name]:
        fields = {**whole.__dict__, source: None}
        assert extract(name, Material(**fields)) is None


@pytest.mark.parametrize("name", EXTRACTORS)
def test_no_shots_give_no_rows(name):
    features = extract(name, _material(shot_frames=()))
    assert features is None or len(features) == 0


@pytest.mark.parametrize("name", EXTRACTORS)
def test_every_feature_has_the_same_width_for_any_video(name):
    widths = {
        extract(name, _material(shot_frames=frames)).vectors.shape[1]
        for frames in [(30, 25), (7,), (1, 1, 40)]
    }
    assert len(widths) == 1


def test_all_features_of_a_silent_film_without_words():
    whole = _material(shot_frames=(30, 25))
    found = extract_all(Material(whole.shots, whole.keyframes, whole.vision))
    assert set(found) == {"appearance", "hue", "colour", "time"}


def test_an_unknown_extractor_lists_the_known():
    with pytest.raises(UnknownName, match="appearance"):
        extract("smell", _material(shot_frames=(5,)))


@pytest.mark.parametrize(
    ("name", "setting"), [("appearance", "pooling"), ("appearance", "sampling"), ("audio", "audio")]
)
def test_a_wrong_setting_names_itself(name, setting):
    with pytest.raises(InvalidSetting, match=f"features.{setting}"):
        extract(name, _material(shot_frames=(30,)), FeatureConfig(**{setting: "wrong"}))


@given(st.lists(st.integers(1, 60), min_size=1, max_size=5))
def test_appearance_is_the_largest_value_of_the_sampled_keyframes(shot_frames):
    material = _material(shot_frames=tuple(shot_frames))
    features = extract("appearance", material)
    rows = sample_keyframes(material.shots, material.keyframes, FeatureConfig())
    for vector, chosen in zip(features.vectors, rows, strict=True):
        assert 1 <= len(chosen) <= 3
        largest = [max(column) for column in zip(*material.vision.maps[chosen], strict=True)]
        np.testing.assert_array_equal(vector, np.array(largest, np.float32))


def test_mean_pooling_averages():
    material = _material(shot_frames=(30,))
    features = extract("appearance", material, FeatureConfig(pooling="mean"))
    (rows,) = sample_keyframes(material.shots, material.keyframes, FeatureConfig())
    expected = material.vision.maps[rows].astype(np.float32).mean(axis=0)
    np.testing.assert_allclose(features.vectors[0], expected, rtol=1e-6)


def test_the_most_different_pictures_are_found():
    near = np.eye(4)[[0, 0, 1, 0, 2]] + 0.01 * np.arange(5)[:, None]
    assert most_different(near, 3).tolist() == [0, 2, 4]


def test_different_sampling_takes_the_odd_picture_out():
    grey, red = np.full((32, 48, 3), 120, np.uint8), np.zeros((32, 48, 3), np.uint8)
    red[..., 0] = 200
    red[::2, :, 1] = 60
    shots = _shots((100,))
    pictures = [Picture(frame, frame / FPS, red if frame == 16 else grey) for frame in range(100)]
    keyframes = pick_keyframes(pictures[::4], shots)
    odd = int(np.flatnonzero(keyframes.frames == 16)[0])
    (rows,) = sample_keyframes(shots, keyframes, FeatureConfig(sampling="different"))
    assert odd in rows


def test_hue_and_colour_are_shares_of_the_pixels():
    material = _material(shot_frames=(30, 25))
    for name, width in (("hue", 180), ("colour", 256)):
        vectors = extract(name, material).vectors
        assert vectors.shape == (2, width)
        np.testing.assert_allclose(vectors.sum(axis=1), 1, atol=1e-5)


@pytest.mark.parametrize(
    ("rgb", "degrees"), [((200, 0, 0), 0), ((0, 200, 0), 120), ((0, 0, 200), 240), ((9, 9, 9), 0)]
)
def test_a_plain_colour_has_its_hue(rgb, degrees):
    picture = np.broadcast_to(np.uint8(rgb), (64, 64, 3))
    shots = _shots((10,))
    keyframes = pick_keyframes([Picture(5, 0.5, picture)], shots)
    vector = extract("hue", Material(shots, keyframes)).vectors[0]
    assert abs(int(vector.argmax()) * 2 - degrees) <= 4
    assert vector.max() > 0.95


def test_quantity_of_speech_counts_words_against_the_wordiest_shot():
    words = tuple(
        Word("word", Span(second, second + 0.2)) for second in (0.1, 0.5, 1.1, 1.2, 1.3, 1.4)
    )
    features = extract("speech", Material(_shots((10, 10, 10)), transcript=Transcript(words)))
    assert features.vectors[:, 0].tolist() == [0.5, 1.0, 0.0]


def test_a_transcript_without_words_is_silence_and_not_absence():
    features = extract("speech", Material(_shots((10, 10)), transcript=Transcript(())))
    assert features.vectors.tolist() == [[0.0], [0.0]]


def test_a_pause_is_the_silence_from_the_last_word_to_the_next_around_a_change():
    spans = ((0.2, 0.5), (1.5, 1.7), (1.9, 2.1), (2.2, 2.4))
    words = tuple(Word("word", Span(*span)) for span in spans)
    shots = _shots((10, 10, 10, 10))
    seconds = np.expm1(extract("pauses", Material(shots, transcript=Transcript(words))).vectors)
    assert seconds[:, 0].tolist() == pytest.approx([0.0, 1.0, 0.0, LONGEST_PAUSE], abs=1e-5)
    assert extract("pauses", Material(shots, transcript=Transcript(()))) is None


def test_pauses_come_from_the_voice_where_no_words_are_known():
    voice = (Span(0.2, 0.5), Span(1.5, 3.4))
    shots = _shots((10, 10, 10, 10))
    for transcript in (None, Transcript(())):
        found = extract("pauses", Material(shots, transcript=transcript, voice=voice))
        seconds = np.expm1(found.vectors)
        assert seconds[:, 0].tolist() == pytest.approx([0.0, 1.0, 0.0, 0.0], abs=1e-5)
    words = Transcript((Word("word", Span(0.9, 1.1)),))
    pauses = extract("pauses", Material(shots, transcript=words, voice=voice))
    assert pauses.vectors[1, 0] == 0.0


def test_a_film_in_which_hardly_anybody_speaks_has_no_pauses():
    shots = _shots((30,) * 40)
    assert extract("pauses", Material(shots, voice=(Span(58.0, 62.0),))) is None
    assert extract("pauses", Material(shots, voice=tuple(Span(t, t + 1) for t in range(0, 120, 6))))


def test_words_outside_the_film_are_not_counted():
    words = (Word("early", Span(-3, -2)), Word("late", Span(50, 51)))
    features = extract("speech", Material(_shots((10,)), transcript=Transcript(words)))
    assert features.vectors.tolist() == [[0.0]]


def test_time_is_the_middle_and_the_length_in_seconds():
    features = extract("time", Material(_shots((10, 30))))
    np.testing.assert_allclose(features.vectors, [[0.5, 1.0], [2.5, 3.0]])


def _shots(shot_frames):
    shots, start = [], 0
    for number, count in enumerate(shot_frames):
        kind = "cut" if number else "start"
        span = Span(start / FPS, (start + count) / FPS)
        transition = Transition(kind, start, start)
        shots.append(Shot(span, range(start, start + count), transition))
        start += count
    return tuple(shots)


def _material(*, shot_frames) -> Material:
    """A film at ten frames a second, with picture, sound and words."""
    shots = _shots(shot_frames)
    chance = np.random.default_rng(sum(shot_frames))
    frames = range(0, sum(shot_frames), 2)
    pictures = [
        Picture(frame, frame / FPS, chance.integers(0, 256, (32, 48, 3), dtype=np.uint8))
        for frame in frames
    ]
    keyframes: Keyframes = pick_keyframes(pictures, shots)
    count = len(keyframes)
    vision = VisionOutput(
        chance.random((count, 20)).astype(np.float16),
        np.full((count, 1000), 1e-3, np.float16),
        chance.random((count, 10)).astype(np.float32),
        "test",
    )
    words = tuple(
        Word("word", Span(second, second + 0.1)) for second in np.arange(0, len(frames) / 5, 0.3)
    )
    listener = SoundListener()
    samples = chance.normal(0, 0.1, 1600 * max(1, sum(shot_frames))).astype(np.float32)
    listener.hear(SoundChunk(0.0, samples))
    sound: Sound | None = listener.close()
    return Material(shots, keyframes, vision, sound, Transcript(words))
