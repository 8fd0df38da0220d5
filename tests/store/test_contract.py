"""What a library needs of any store: one suite that every implementation passes.

A new store is one more line in `STORES_HERE`.
"""

import threading
from dataclasses import replace

import numpy as np
import pytest

from memory_store import MemoryStore
from passages import passages
from storyscope import Library
from storyscope.core import (
    Features,
    Film,
    Keyframes,
    Segmentation,
    Shot,
    Span,
    Transition,
    Video,
)
from storyscope.errors import LibraryError, VideoBusy
from storyscope.store import (
    OUTDATED,
    PASSAGES,
    SCAN,
    Artefact,
    PostgresStore,
    SqliteStore,
    TextQuery,
    VideoRecord,
)

AUDIO = Artefact("audio")
FILM = Video("film", "/films/film.mp4", "d1", 12.5, 300, 24.0, 640, 360, True)
RECORD = VideoRecord(FILM, "indexing", size=10, modified_ns=20)
STORES_HERE = {
    "sqlite": (SqliteStore, lambda store: SqliteStore(store.folder)),
    "memory": (MemoryStore, lambda store: MemoryStore(store.folder, store.memory)),
}
"""Functions that create a store in a folder, and that open it again as another user."""


@pytest.fixture(params=[*STORES_HERE, "postgres"])
def kind(request):
    if request.param in STORES_HERE:
        yield STORES_HERE[request.param]
        return
    address, opened = request.getfixturevalue("postgres").address, []

    def opened_at(place):
        opened.append(PostgresStore(place))
        return opened[-1]

    yield lambda folder: opened_at(address(folder)), lambda store: opened_at(store.place)
    for store in opened:
        store.close()


@pytest.fixture
def again(kind):
    return kind[1]


@pytest.fixture
def store(kind, tmp_path):
    store = kind[0](tmp_path / "library")
    store.put_record(RECORD)
    yield store
    store.close()


def test_a_file_that_is_known_is_no_new_video_and_a_name_that_is_taken_gets_a_number(store):
    assert store.add_record(replace(RECORD, state="ready")) == RECORD
    other = store.add_record(replace(RECORD, video=replace(FILM, path="/other/film.mp4")))
    assert other.video.id == "film-2"
    assert [record.video.id for record in store.records()] == ["film", "film-2"]
    assert store.record("film-3") is None


def test_a_newer_artefact_replaces_the_older(store):
    with pytest.raises(LibraryError, match="film has no audio yet"):
        store.load("film", AUDIO)
    store.save("film", AUDIO, "one", np.arange(3))
    store.save("film", AUDIO, "two", np.arange(5))
    assert store.key("film", AUDIO) == "two"
    assert store.load("film", AUDIO).tolist() == [0, 1, 2, 3, 4]


def test_a_value_that_cannot_be_kept_changes_nothing(store):
    store.save("film", AUDIO, "one", (1, 2))
    with pytest.raises(TypeError):
        store.save("film", AUDIO, "two", (object(),))
    assert (store.key("film", AUDIO), store.load("film", AUDIO)) == ("one", (1, 2))


def test_only_videos_that_are_ready_are_offered(store):
    store.save("film", AUDIO, "one", (1, 2))
    assert store.ready_keys(AUDIO) == {}
    store.put_record(RECORD.ready(FILM))
    assert store.ready_keys(AUDIO) == {"film": "one"}
    assert store.ready_keys(PASSAGES) == {}


def test_artefacts_and_documents_are_listed(store):
    assert (store.keys("film"), store.documents()) == ({}, [])
    store.save("film", PASSAGES, "two", passages("Whales"))
    store.save("film", AUDIO, "one", np.arange(3))
    store.put_document("settings.toml", b"one")
    assert list(store.keys("film").items()) == [("audio", "one"), ("passages", "two")]
    assert store.documents() == ["settings.toml"]


def test_outdated_artefacts_are_made_again_and_read_until_then(store):
    store.save("film", AUDIO, "one", (1, 2))
    store.put_annotation("film", "ann", "{}")
    store.outdate_artefacts("film")
    store.outdate_artefacts("film")
    assert store.key("film", AUDIO) == f"{OUTDATED}one"
    assert store.load("film", AUDIO) == (1, 2)
    assert store.record("film") == RECORD
    assert store.annotations("film") == {"ann": "{}"}


def test_removing_a_video_leaves_nothing_of_it(store):
    store.save("film", AUDIO, "one", np.arange(3))
    store.put_annotation("film", "ann", "{}")
    store.remove("film")
    assert store.records() == []
    assert store.annotations("film") == {}
    assert store.key("film", AUDIO) is None


def test_jobs_are_kept_in_order_and_a_number_is_never_given_twice(store):
    first, second = store.jobs.add("1"), store.jobs.add("2")
    store.jobs.put(first, "changed")
    assert list(store.jobs.all().items()) == [(first, "changed"), (second, "2")]
    assert (store.jobs.get(first), store.jobs.get(second + 1)) == ("changed", None)
    store.jobs.put(second, None)
    store.jobs.put(second, "too late")
    assert store.jobs.all() == {first: "changed"}
    assert store.jobs.add("3") > second


def test_annotations_are_kept_by_person_and_forgotten_one_by_one(store):
    for person, facts in [("ben", "1"), ("ann", "2"), ("ben", "3")]:
        store.put_annotation("film", person, facts)
    assert store.annotations("film") == {"ann": "2", "ben": "3"}
    store.put_annotation("film", "ann", None)
    assert store.annotations("film") == {"ben": "3"}


def test_one_at_a_time_indexes_a_video(store, again):
    with (
        store.busy("film"),
        pytest.raises(VideoBusy, match="film is being indexed"),
        again(store).busy("film", patience=0),
    ):
        pass
    with again(store).busy("film", patience=0), store.busy("other", patience=0):
        pass


def test_a_lock_is_waited_for(store, again):
    order = []

    def wait():
        with again(store).lock("learning"):
            order.append("second")

    with store.lock("learning"):
        waiting = threading.Thread(target=wait)
        waiting.start()
        waiting.join(0.1)
        order.append("first")
    waiting.join()
    assert order == ["first", "second"]


def test_documents_are_seen_by_everybody(store, again):
    assert not store.document("settings.toml").exists()
    store.put_document("settings.toml", b"one")
    store.put_document("settings.toml", b"two")
    assert again(store).document("settings.toml").read_bytes() == b"two"
    store.put_document("settings.toml", None)
    assert not again(store).document("settings.toml").exists()
    assert store.documents() == []


def test_the_version_changes_when_anybody_writes_and_only_then(store, again):
    before = store.version()
    assert store.version() == before
    again(store).put_annotation("film", "ann", "{}")
    assert store.version() != before


def test_a_library_indexes_searches_and_learns_in_any_store(kind, film, tmp_path):
    """Uploads, thumbnails, corrections and search need only the methods of the protocol."""
    library = Library(tmp_path / "library", store=kind[0](tmp_path / "library"))
    video = library.add(film)
    assert library.add(film) == video
    stories = library.stories("film")
    (best, *_) = library.search("camel")
    assert best.story in stories
    taken = library.prefer_thumbnail(stories[0], stories[0].span.end - 0.1)
    assert library.thumbnail("film", stories[0]).seconds == taken
    assert library.picture("film", taken).read_bytes().startswith(b"\xff\xd8")
    library.annotate("film", library.version("film", "ann").split(2.0))
    assert len(library.stories("film", annotator="ann")) == len(stories) + 1
    library.keep_settings(["stories.method=cluster"])
    again = Library(tmp_path / "library", store=kind[1](library.store))
    assert again.config.stories.method == "cluster"
    assert again.search("camel")[0].story == best.story
    again.remove("film")
    assert library.search("camel") == []


def test_records_with_arrays_and_pictures_come_back_as_they_were(store):
    shots = (Shot(Span(0.0, 1.5), range(0, 36), Transition("start", 0, 0)),)
    keyframes = Keyframes(np.array([0, 0]), np.array([3, 9]), np.array([0.1, 0.3]), (b"ab", b"c"))
    features = Features("appearance", np.ones((1, 4)), "made up")
    store.save("film", SCAN, "key", (shots, keyframes, features, Segmentation((0, 2), 5)))
    got_shots, got_keyframes, got_features, got_stories = store.load("film", SCAN)
    assert got_shots == shots
    assert tuple(got_keyframes.pictures) == keyframes.pictures
    assert got_keyframes.frames.tolist() == [3, 9]
    assert np.array_equal(got_features.vectors, features.vectors)
    assert got_stories == Segmentation((0, 2), 5)


def test_a_snapshot_shows_one_state_until_its_end(store, again):
    other = again(store)
    with store.snapshot():
        before = store.version()
        other.save("film", AUDIO, "one", (1, 2))
        assert store.key("film", AUDIO) is None
        assert store.version() == before
    assert store.key("film", AUDIO) == "one"
    assert store.version() != before


def test_what_is_read_in_advance_is_what_is_read_one_by_one(store):
    store.save("film", AUDIO, "one", (1, 2))
    store.save("film", PASSAGES, "two", passages("A quiet desert"))
    with store.snapshot():
        store.prefetch(["film", "unknown"], [PASSAGES])
        assert store.keys("film") == {"audio": "one", "passages": "two"}
        assert store.load("film", PASSAGES).texts == ("A quiet desert",)
        assert store.load("film", AUDIO) == (1, 2)
        assert store.keys("unknown") == {}
        with pytest.raises(LibraryError, match="no passages yet"):
            store.load("unknown", PASSAGES)
    store.save("film", PASSAGES, "three", passages("A whale"))
    assert store.keys("film")["passages"] == "three"
    assert store.load("film", PASSAGES).texts == ("A whale",)


def test_words_are_found_by_their_stem_as_soon_as_they_are_saved(store):
    store.save("film", PASSAGES, "one", passages("The whales were singing", "A quiet desert"))
    (found,) = store.text.find(TextQuery(("whale",)))
    assert store.text.addresses() == {"film": range(found, found + 3)}
    assert store.text.at(found) == "The whales were singing"
    assert store.text.find(TextQuery(("exit",))).tolist() == [found + 2]
    assert store.text.vocabulary("wh") == ["whale"]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        (TextQuery(("whale", "desert")), [0, 1]),
        (TextQuery(("Whale singing",)), []),
        (TextQuery(("whales were",)), [0]),
        (TextQuery(("des",)), []),
        (TextQuery(("des",), prefix=True), [1]),
        (TextQuery(("des", "whale"), prefix=True), [0]),
        (TextQuery(()), []),
        (TextQuery((), prefix=True), []),
        (TextQuery(("...",)), []),
        (TextQuery(('whale" OR "desert',)), []),
        (TextQuery(("whale* NEAR(desert) \0",)), []),
        (TextQuery(("-quiet",)), [1]),
    ],
)
def test_a_text_query_has_no_syntax_of_its_own(store, query, found):
    store.save("film", PASSAGES, "one", passages("The whales were singing", "A quiet désert"))
    first = store.text.addresses()["film"].start
    assert (store.text.find(query) - first).tolist() == found


def test_words_of_an_older_filing_and_of_a_removed_video_are_gone(store):
    other = replace(FILM, id="other", path="/films/other.mp4")
    store.put_record(replace(RECORD, video=other))
    store.save("film", PASSAGES, "one", passages("The whales were singing"))
    store.save("other", PASSAGES, "one", passages("A kind whale"))
    store.save("film", PASSAGES, "two", passages("Nothing of the kind"))
    assert [store.text.at(a) for a in store.text.find(TextQuery(("whale",)))] == ["A kind whale"]
    assert len(store.text.find(TextQuery(("kind",)))) == 2
    store.remove("film")
    assert [store.text.at(a) for a in store.text.find(TextQuery(("kind",)))] == ["A kind whale"]
    assert list(store.text.addresses()) == ["other"]


def test_addresses_rise_and_end_where_the_limit_is(store):
    store.save("film", PASSAGES, "one", passages(*["whale"] * 9))
    found = store.text.find(TextQuery(("whale",)), limit=5)
    assert found.tolist() == sorted(found.tolist())
    assert len(found) == 5


def test_one_picture_is_read_alone(store):
    pictures = tuple(bytes([n]) * (n + 1) for n in range(5))
    frames, seconds = np.arange(5) * 10, np.arange(5) * 0.4
    film = Film((), Keyframes(np.zeros(5, np.int32), frames, seconds, pictures), None)
    store.save("film", SCAN, "one", film)
    for asked, number in [(-1.0, 0), (0.0, 0), (0.5, 1), (1.19, 3), (99.0, 4)]:
        assert store.load_picture("film", asked) == (10 * number, pictures[number], "one")


def test_a_video_without_pictures_says_so(store):
    with pytest.raises(LibraryError, match="film has no scan yet"):
        store.load_picture("film", 1.0)
    nothing = np.zeros(0)
    store.save("film", SCAN, "one", Film((), Keyframes(nothing, nothing, nothing, ()), None))
    with pytest.raises(LibraryError, match="no keyframes"):
        store.load_picture("film", 1.0)
