"""An image-text model finds pictures by text.

Most tests use a made-up one, with the files and the interface of a CLIP in ONNX: it sees the mean
colour of a picture and knows the words for it. Where the image half of CLIP was fetched, the real
one is tested too.
"""

import json

import numpy as np
import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from storyscope import Library
from storyscope.core import Passages, Span, Story
from storyscope.errors import MissingDependency, ModelError, UnknownName
from storyscope.features.onnx_graph import Graph, Tensor
from storyscope.search.image_match import NOT_ENCODED, background, match_probability
from storyscope.search.image_text import (
    chosen_image_text,
    image_text_digest,
    load_image_text,
    name_vectors,
)
from storyscope.search.index import Index
from storyscope.search.opinions import second_opinion
from storyscope.search.query import QueryVectors
from storyscope.search.text_head import TextHead
from storyscope.store import LOOKS, PASSAGES

COLOURS = {"red": [1, 0, 0], "green": [0, 1, 0], "blue": [0, 0, 1], "grey": [1, 1, 1]}
F4, I8 = np.dtype("f4"), np.dtype("i8")


@pytest.fixture(scope="module")
def tiny_clip(tmp_path_factory):
    folder = tmp_path_factory.mktemp("clip")
    (folder / "onnx").mkdir()
    vision = Graph("vision")
    vision.node("ReduceMean", "pixel_values", output="image_embeds", axes=[2, 3], keepdims=0)
    vision.inputs = [Tensor("pixel_values", F4, ["n", 3, 8, 8])]
    vision.outputs = [Tensor("image_embeds", F4, ["n", 3])]
    (folder / "onnx/vision_model.onnx").write_bytes(vision.model())
    text, table = Graph("text"), np.array([*COLOURS.values(), [0.3, 0.3, 0.3]], np.float32)
    words = text.node("Gather", text.constant(table), "input_ids")
    text.node("ReduceMean", words, output="text_embeds", axes=[1], keepdims=0)
    text.inputs = [Tensor("input_ids", I8, ["n", "words"])]
    text.outputs = [Tensor("text_embeds", F4, ["n", 3])]
    (folder / "onnx/text_model.onnx").write_bytes(text.model())
    numbers = {word: number for number, word in enumerate([*COLOURS, "[UNK]"])}
    tokenizer = Tokenizer(WordLevel(numbers, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    wanted = {"crop_size": {"height": 8, "width": 8}, "image_mean": [0] * 3, "image_std": [1] * 3}
    (folder / "preprocessor_config.json").write_text(json.dumps(wanted))
    return folder


def plain(colour):
    return np.full((36, 64, 3), 255 * np.array(COLOURS[colour]), np.uint8)


def test_a_picture_is_nearest_to_its_own_word(tiny_clip):
    clip = load_image_text(str(tiny_clip))
    pictures = clip.encode_images([plain(colour) for colour in COLOURS] * 3)
    words = clip.encode_texts(list(COLOURS))
    assert np.allclose(np.linalg.norm(pictures, axis=1), 1)
    assert (pictures @ words.T).argmax(axis=1).tolist() == [0, 1, 2, 3] * 3
    assert clip.producer.endswith(image_text_digest(str(tiny_clip))[:12])


def test_a_text_must_stand_out_from_other_names(tiny_clip):
    clip = load_image_text(str(tiny_clip))
    names = clip.encode_texts(["red", "green", "blue"])
    looks = np.vstack([clip.encode_images([plain("red")]), np.zeros((1, 3))])
    around = background(looks, names)
    assert around[0].tolist() == pytest.approx([1 / 3, np.sqrt(2) / 3])
    red, blue = (
        match_probability(looks @ word, around) for word in clip.encode_texts(["red", "blue"])
    )
    assert red[0] > 0.9
    assert blue[0] < 0.01
    assert red[1] == blue[1] == NOT_ENCODED, "nobody looked at the second"


def test_agreement_of_the_classes_raises_the_chance():
    around = np.array([[0.0, 0.1]])
    chances = [
        match_probability(np.array([0.25]), around, agreed)[0] for agreed in (-0.2, 0.0, 0.4)
    ]
    assert chances == sorted(chances)
    assert chances[0] < chances[-1]


def test_the_index_finds_the_story_that_shows_it(tiny_clip):
    clip = load_image_text(str(tiny_clip))
    looks = clip.encode_images([plain(c) for c in ("red", "red", "blue", "green")])
    passages = Passages(
        texts=(),
        spans=np.zeros((0, 2)),
        text_vectors=np.zeros((0, 16), np.float16),
        seconds=np.arange(4.0),
        shots=np.array([0, 0, 1, 2], np.int32),
        classes=np.zeros((4, 10), np.uint16),
        shares=np.zeros((4, 10), np.float16),
        looks=looks.astype(np.float16),
        backgrounds=np.full((4, 2), 0.3, np.float32),
    )
    stories = [
        Story("v/1", "v", range(0, 1), Span(0, 2)),
        Story("v/2", "v", range(1, 3), Span(2, 4)),
    ]
    index = Index(np.zeros((30, 16), np.float32), image_dimensions=3)
    index.add("v", stories, passages)
    for word, story in [("red", 0), ("blue", 1), ("green", 1)]:
        (vector,) = clip.encode_texts([word])
        probability = index.score(QueryVectors(image_text=vector)).image_text
        assert probability.argmax() == story
        assert probability[story] > 0.9
        assert probability[1 - story] < 0.1


def test_a_video_filed_without_the_network_is_found_by_its_classes(tiny_clip, film, tmp_path):
    library = Library(tmp_path).with_settings(["search.image_text=off"])
    library.add(film)
    colours = library.with_settings([f"search.image_text={tiny_clip}"])
    before = {hit.story.id: hit.parts["seen"] for hit in library.search("whale")}
    assert {hit.story.id: hit.parts["seen"] for hit in colours.search("whale")} == before
    colours.add(film)
    filed = colours.store.load("film", PASSAGES)
    assert filed.looks.shape == (len(filed.seconds), 3)
    assert str(tiny_clip) in filed.producer
    assert colours.search("whale")[0].parts["said"] == 1.0


def test_pictures_are_looked_at_once_however_the_words_change(tiny_clip, film, tmp_path):
    library = Library(tmp_path).with_settings([f"search.image_text={tiny_clip}"])
    library.add(film)
    looks = library.store.key("film", LOOKS)
    assert len(library.store.load("film", LOOKS).rows) == len(library.shots("film"))
    words = tmp_path / "other.srt"
    words.write_text("1\n00:00:01,000 --> 00:00:02,000\nSomething else is said.\n")
    library.add(film, transcript=words)
    assert library.store.key("film", LOOKS) == looks


def test_what_is_no_such_network_is_named(tmp_path, tiny_clip):
    with pytest.raises(UnknownName, match="no model called 'klip'"):
        load_image_text("klip")
    with pytest.raises(ModelError, match=r"no vision_model\.onnx"):
        load_image_text(str(tmp_path))
    with pytest.raises(ModelError, match=r"someone/clip is a model on a hub.*models get someone"):
        load_image_text("someone/clip")
    assert image_text_digest(chosen_image_text("conse")) == "off"


def test_auto_is_clip_only_where_it_was_fetched(tmp_path, monkeypatch):
    monkeypatch.setenv("STORYSCOPE_MODELS", str(tmp_path))
    assert chosen_image_text("auto") == "off"
    load_image_text.cache_clear()
    with pytest.raises(MissingDependency, match="storyscope models get clip"):
        load_image_text("clip")
    fetched = {"clip": tmp_path / "clip.onnx"}
    monkeypatch.setattr("storyscope.search.image_text.downloaded_file", fetched.get)
    assert chosen_image_text("auto") == "clip"
    assert chosen_image_text("off") == "off"


def test_the_real_image_half_and_our_head_know_simple_things(fetched_clip):
    load_image_text.cache_clear()
    clip = load_image_text("clip")
    height, width = np.mgrid[0:240, 0:320]
    disc = (height - 120) ** 2 + (width - 160) ** 2 < 80**2
    sky = np.zeros((240, 320, 3), np.uint8)
    sky[:150], sky[150:] = (110, 170, 235), (60, 150, 50)
    ball = np.where(disc[..., None], [220, 30, 30], [245, 245, 245]).astype(np.uint8)
    pictures = clip.comparable(clip.encode_images([sky, ball]))
    texts = clip.encode_texts(["a green field under a blue sky", "a red ball"])
    assert (pictures @ texts.T).argmax(axis=1).tolist() == [0, 1]
    assert np.allclose(np.linalg.norm(pictures, axis=1), 1, atol=1e-4)
    assert (background(pictures, name_vectors(clip))[:, 1] > 0).all()


def test_half_of_what_the_pictures_of_a_film_share_is_taken_from_them():
    mean, style = np.eye(4, dtype=np.float32)[:2]
    things = np.eye(4, dtype=np.float32)[2:]
    head = TextHead(*(np.zeros((1, 1, 1), np.float32),) * 3, picture_mean=mean, digest="")
    pictures = np.stack([mean + style + thing for thing in things])
    apart = head.centre(pictures, film_share=1.0)
    assert np.allclose(apart @ style, 0, atol=1e-6)
    assert np.allclose(apart @ things.T, [[0.7071, -0.7071], [-0.7071, 0.7071]], atol=1e-4)
    kept = head.centre(pictures) @ style
    assert ((head.centre(pictures, film_share=0.5) @ style < kept) & (kept > 0)).all()


def test_a_second_opinion_is_how_far_a_name_stands_out_in_a_story(monkeypatch):
    class Network:
        def encode_texts(self, texts):
            return np.array([[1.0, 0.0] if text == "rabbit" else [0.0, 1.0] for text in texts])

    monkeypatch.setattr("storyscope.search.opinions.load_image_text", lambda _: Network())
    empty = np.zeros((3, 0))
    passages = Passages(
        texts=(),
        spans=np.zeros((0, 2)),
        text_vectors=np.zeros((0, 2)),
        seconds=np.arange(3.0),
        shots=np.arange(3),
        classes=empty,
        shares=empty,
        looks=np.array([[0.8, 0.6], [0.6, 0.8], [0.0, 0.0]]),
        backgrounds=np.array([[0.2, 0.2], [0.2, 0.2], [0.0, 0.0]]),
    )
    ask = second_opinion(passages, "clip")
    both, unseen = (Story("f/1", "f", shots, Span(0, 1)) for shots in (range(2), range(2, 3)))
    assert ask(both, ["rabbit", "dog"]) == pytest.approx([2.5, 2.5])
    assert ask(Story("f/1", "f", range(1), Span(0, 1)), ["rabbit"]) == pytest.approx([3.0])
    assert ask(unseen, ["rabbit"]) is None
    assert second_opinion(passages, "off") is None
