"""The thumbnail of a story is relevant, attractive, and never of poor quality."""

import io
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFilter

from storyscope.config import ThumbnailConfig
from storyscope.core import Keyframes, Ratings, Shot, Span, Story, Transition, VisionOutput
from storyscope.models import class_names
from storyscope.thumbnails import (
    choose_thumbnail,
    load_ranker,
    measure_quality,
    rank_thumbnails,
    rate_keyframes,
)
from storyscope.thumbnails.degrade import DEGRADATIONS, degrade

STORY = Story("film/0", "film", range(0, 2), Span(0, 10))


def test_blur_takes_sharpness():
    picture = _painted()
    blurred = picture.filter(ImageFilter.GaussianBlur(4))
    assert _quality(blurred).sharpness < 0.5 * _quality(picture).sharpness


@pytest.mark.parametrize("angle", [0, 90])
def test_a_smear_takes_sharpness_whichever_way_it_runs(angle):
    chance = np.random.default_rng(0)
    picture = np.asarray(_painted().rotate(angle, expand=True))
    smeared = degrade(picture, picture, "motion smear", chance)
    assert measure_quality(smeared).sharpness < 0.6 * measure_quality(picture).sharpness


@pytest.mark.parametrize("grey", [0, 5, 128, 250, 255])
def test_a_blank_is_neither_sharp_nor_lit_nor_varied(grey):
    blank = measure_quality(np.full((90, 160, 3), grey, np.uint8))
    assert blank.sharpness == blank.exposure == blank.variety == 0
    assert blank.entropy == pytest.approx(0)


@pytest.mark.parametrize("kind", ["darkness", "over-exposure"])
def test_too_little_and_too_much_light_lower_the_exposure(kind):
    chance = np.random.default_rng(1)
    picture = np.asarray(_painted())
    worse = degrade(picture, picture, kind, chance)
    assert measure_quality(worse).exposure < 0.7 * measure_quality(picture).exposure


def test_text_on_a_ground_has_little_variety():
    card = Image.new("RGB", (320, 180), (10, 10, 40))
    ImageDraw.Draw(card).text((90, 80), "directed by somebody", fill=(255, 255, 255))
    assert _quality(card).variety < 0.12 < _quality(_painted()).variety


@given(st.integers(1, 40), st.integers(1, 40))
def test_every_picture_can_be_measured(height, width):
    picture = np.random.default_rng(height).integers(0, 256, (height, width, 3), dtype=np.uint8)
    for value in vars(measure_quality(picture)).values():
        assert -1e-9 <= value <= 1 + 1e-9


@pytest.mark.parametrize("kind", DEGRADATIONS)
def test_degrading_changes_a_picture_and_keeps_its_size(kind):
    picture, other = np.asarray(_painted(seed=1)), np.asarray(_painted(seed=2))
    worse = degrade(picture, other, kind, np.random.default_rng(0))
    assert worse.shape == picture.shape
    assert worse.dtype == np.uint8
    assert np.abs(worse.astype(int) - picture).mean() > 2
    same = degrade(picture, other, kind, np.random.default_rng(0))
    np.testing.assert_array_equal(worse, same)


def test_without_a_query_the_most_beautiful_frame_is_chosen():
    ratings = _ratings(beauty=[0.2, 0.9, 0.4])
    chosen = choose_thumbnail(STORY, _keyframes(3), ratings)
    assert (chosen.story, chosen.seconds) == ("film/0", 1.0)
    assert chosen.parts["beauty"] == pytest.approx(0.9)


def test_a_query_draws_the_choice_to_what_it_asks_for():
    ratings = _ratings(beauty=[0.2, 0.9, 0.4])
    relevance = np.array([0.9, 0.1, 0.1], np.float32)
    chosen = choose_thumbnail(STORY, _keyframes(3), ratings, relevance)
    assert chosen.seconds == 0.0
    assert chosen.parts["relevance"] == pytest.approx(0.9)
    beauty_only = ThumbnailConfig(beauty=1.0)
    assert choose_thumbnail(STORY, _keyframes(3), ratings, relevance, beauty_only).seconds == 1.0


@pytest.mark.parametrize(
    ("part", "value"),
    [("exposure", 0.02), ("sharpness", 0.1), ("variety", 0.05), ("lettering", 0.6), ("clear", 0)],
)
def test_a_spoilt_frame_is_not_chosen_however_fitting(part, value):
    ratings = _ratings(beauty=[0.3, 0.99, 0.2])
    spoilt = getattr(ratings, part).copy()
    spoilt[1] = value
    ratings = replace(ratings, **{part: spoilt})
    relevance = np.array([0.0, 1.0, 0.0], np.float32)
    chosen = choose_thumbnail(STORY, _keyframes(3), ratings, relevance)
    assert chosen.seconds != 1.0
    assert chosen.parts["usable"] == 1


def test_a_story_of_spoilt_frames_still_has_a_thumbnail_that_says_so():
    ratings = replace(_ratings(beauty=[0.3, 0.4]), exposure=np.zeros(2, np.float32))
    assert choose_thumbnail(STORY, _keyframes(2), ratings).parts["usable"] == 0


def test_only_frames_of_the_story_are_candidates():
    keyframes = _keyframes(3, shots=[0, 1, 2])
    ratings = _ratings(beauty=[0.2, 0.3, 0.9])
    assert [t.seconds for t in rank_thumbnails(STORY, keyframes, ratings)] == [1.0, 0.0]


def test_a_story_without_keyframes_has_no_thumbnail():
    empty = _keyframes(0)
    assert choose_thumbnail(STORY, empty, _ratings(beauty=[])) is None


def test_ratings_see_lettering_transitions_and_light():
    pictures = [_painted(), _painted(), Image.new("RGB", (160, 90))]
    keyframes = Keyframes(
        np.zeros(3, np.int32),
        np.array([5, 22, 40]),
        np.array([0.5, 2.2, 4.0]),
        tuple(_jpeg(picture) for picture in pictures),
    )
    posteriors = np.zeros((3, 1000), np.float16)
    posteriors[0, class_names().index("menu")] = 0.75
    ranker = load_ranker()
    vision = VisionOutput(
        np.zeros((3, 1280), np.float16),
        posteriors,
        np.tile(ranker.centre, (3, 1)).astype(np.float32),
        f"{ranker.backbone}@0",
    )
    shots = [
        Shot(Span(0, 2.5), range(25), Transition("start", 0, 0)),
        Shot(Span(2.5, 5), range(25, 50), Transition("dissolve", 20, 30)),
    ]
    ratings = rate_keyframes(keyframes, vision, shots, ranker)
    assert ratings.lettering.tolist() == [0.75, 0, 0]
    assert ratings.clear.tolist() == [1, 0, 1]
    assert ratings.exposure[2] == 0 < ratings.exposure[0]
    np.testing.assert_allclose(ratings.beauty, 0.5, atol=1e-6)


def test_a_ranker_for_another_backbone_has_no_opinion():
    ranker = load_ranker()
    vision = VisionOutput(
        np.zeros((1, 512), np.float16),
        np.zeros((1, 1000), np.float16),
        np.full((1, 10), 9, np.float32),
        "timm/vgg16.tv_in1k@0",
    )
    keyframes = Keyframes(
        np.zeros(1, np.int32), np.zeros(1, np.int64), np.zeros(1), (_jpeg(_painted()),)
    )
    assert rate_keyframes(keyframes, vision, [], ranker).beauty.tolist() == [0.5]


def _painted(seed=0):
    chance = np.random.default_rng(seed)
    image = Image.new("RGB", (160, 90), (70, 120, 190))
    draw = ImageDraw.Draw(image)
    for _ in range(60):
        left, top = chance.integers(0, 150), chance.integers(0, 80)
        colour = tuple(int(value) for value in chance.integers(30, 225, 3))
        draw.ellipse((left, top, left + 12, top + 9), fill=colour)
    return image


def _quality(image):
    return measure_quality(np.asarray(image))


def _jpeg(image):
    out = io.BytesIO()
    image.save(out, "JPEG", quality=90)
    return out.getvalue()


def _keyframes(count, shots=None):
    return Keyframes(
        np.array(shots or [0] * count, np.int32),
        np.arange(count),
        np.arange(count, dtype=float),
        (b"",) * count,
    )


def _ratings(*, beauty):
    count = len(beauty)
    fine = np.full(count, 0.8, np.float32)
    return Ratings(
        beauty=np.array(beauty, np.float32),
        sharpness=fine,
        exposure=fine,
        entropy=fine,
        variety=fine,
        lettering=np.zeros(count, np.float32),
        clear=np.ones(count, np.float32),
        producer="test",
    )
