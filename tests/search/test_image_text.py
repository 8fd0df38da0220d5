"""A network that knows pictures and words takes the place of ConSE where a person names one.

The one here is made up, with the files and the interface of a CLIP in ONNX: it sees the mean colour
of a picture and knows the words for it.
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
from storyscope.search.image_text import (
    CONSE,
    best_name_similarity,
    image_text_digest,
    load_image_text,
    match_probability,
)
from storyscope.search.index import Index
from storyscope.search.query import QueryVectors
from storyscope.store import PASSAGES

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


def test_a_text_describes_a_picture_when_it_fits_as_well_as_the_best_name(tiny_clip):
    clip = load_image_text(str(tiny_clip))
    names = clip.encode_texts(["red", "green"])
    looks = clip.encode_images([plain("red"), plain("blue")])
    best = best_name_similarity(looks, names)
    assert best.tolist() == pytest.approx([1.0, 0.0])
    red, blue = clip.encode_texts(["red", "blue"])
    assert match_probability(looks @ red, best)[0] == pytest.approx(0.5)
    assert match_probability(looks @ blue, best)[0] < 0.01
    assert match_probability(looks @ blue, best)[1] > 0.99


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
        best_rivals=np.full(4, 0.6, np.float32),
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


def test_a_video_filed_without_the_network_is_described_by_nothing(tiny_clip, film, tmp_path):
    library = Library(tmp_path)
    library.add(film)
    colours = library.with_settings([f"search.image_text={tiny_clip}"])
    assert colours.search("grey") == []
    colours.add(film)
    filed = colours.store.load("film", PASSAGES)
    assert filed.looks.shape == (len(filed.seconds), 3)
    assert str(tiny_clip) in filed.producer
    hits = [hit for colour in COLOURS for hit in colours.search(colour)]
    assert any(
        hit.evidence.startswith("Possible match, ") and "matches the text" in hit.evidence
        for hit in hits
    )
    assert colours.search("whale")[0].evidence.startswith("Spoken, ")


def test_what_is_no_such_network_is_named(tmp_path, tiny_clip, monkeypatch):
    with pytest.raises(UnknownName, match="no model called 'klip'"):
        load_image_text("klip")
    with pytest.raises(ModelError, match=r"no vision_model\.onnx"):
        load_image_text(str(tmp_path))
    monkeypatch.setitem(__import__("sys").modules, "huggingface_hub", None)
    with pytest.raises(MissingDependency, match=r"someone/clip is a model on a hub.*pip install"):
        load_image_text("someone/clip")
    assert image_text_digest(CONSE) == CONSE
