"""Arrays as long as a film are written, stored and read without loading them completely."""

import json
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from safetensors.numpy import load, save

from storyscope.core import Film, Keyframes, Sound, Video, in_batches
from storyscope.errors import LibraryError
from storyscope.store import SCAN, Artefact, Spool, SqliteStore, VideoRecord
from storyscope.store.arrays import KINDS, DamagedArrays, open_arrays, serialized

SPOOLED, PLAIN, AGAIN = Artefact("spooled"), Artefact("plain"), Artefact("again")

LITTLE = 8 << 20
"""Maximum memory in bytes; the arrays below are many times larger."""

arrays = hnp.arrays(
    st.sampled_from(list(KINDS)), hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=5)
)


@pytest.fixture
def store(tmp_path):
    film = Video("film", "/films/film.mp4", "d1", 12.5, 300, 24.0, 640, 360, True)
    store = SqliteStore(tmp_path / "library")
    store.put_record(VideoRecord(film, "indexing", size=10, modified_ns=20))
    yield store
    store.close()


@given(st.lists(arrays, min_size=1, max_size=12))
def test_the_file_is_the_one_that_safetensors_would_write(given_arrays):
    named = {f"a{number}": array for number, array in enumerate(given_arrays)}
    written = b"".join(serialized(named))
    assert written == save(named)
    assert load(written).keys() == named.keys()


@given(arrays, st.data())
def test_a_part_of_a_stored_array_is_what_the_array_has_there(tmp_path_factory, array, data):
    path = tmp_path_factory.mktemp("arrays") / "one.safetensors"
    path.write_bytes(b"".join(serialized({"before": np.arange(3), "one": array})))
    stored = open_arrays(path)["one"]
    assert (stored.shape, stored.dtype, len(stored)) == (array.shape, array.dtype, len(array))
    np.testing.assert_array_equal(np.asarray(stored), array)
    part = data.draw(st.slices(len(array)))
    np.testing.assert_array_equal(stored[part], array[part])
    if len(array):
        rows = np.array(data.draw(st.lists(st.integers(-len(array), len(array) - 1))), int)
        np.testing.assert_array_equal(stored[rows], array[rows])
        mask = data.draw(hnp.arrays(bool, len(array)))
        np.testing.assert_array_equal(stored[mask], array[mask])
        number = data.draw(st.integers(-len(array), len(array) - 1))
        np.testing.assert_array_equal(stored[number], array[number])


@pytest.mark.parametrize("length", [0, 4, 8, 40, 200])
def test_a_file_that_was_cut_off_is_refused(tmp_path, length):
    whole = b"".join(serialized({"one": np.arange(30), "two": np.zeros((4, 4))}))
    path = tmp_path / "cut.safetensors"
    path.write_bytes(whole[:length])
    with pytest.raises(DamagedArrays):
        open_arrays(path)


@pytest.mark.parametrize("shape", [[2**70], [float("inf")], [None], 5])
def test_a_header_that_no_array_could_have_is_refused(tmp_path, shape):
    facts = {"a": {"dtype": "F32", "shape": shape, "data_offsets": [0, 0]}}
    header = json.dumps(facts).encode()
    path = tmp_path / "strange.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header)
    with pytest.raises(DamagedArrays, match="is damaged"):
        open_arrays(path)


@given(st.lists(st.binary(max_size=9), max_size=9), st.data())
def test_byte_strings_come_back_one_by_one(strings, data):
    spool = Spool()
    for string in strings:
        spool.append(string)
    blobs = spool.blobs()
    assert list(blobs) == strings
    part = data.draw(st.slices(len(strings)))
    assert blobs[part] == tuple(strings[part])
    with pytest.raises(IndexError):
        blobs[len(strings)]


@given(st.lists(st.integers(0, 7), max_size=9), st.integers(1, 5))
def test_what_is_appended_is_one_array(sizes, batch):
    spool = Spool()
    whole = np.arange(3 * sum(sizes), dtype=np.float16).reshape(-1, 3)
    start = 0
    for size in sizes:
        spool.append(whole[start : start + size])
        start += size
    if sizes:
        np.testing.assert_array_equal(spool.rows(), whole)
        np.testing.assert_array_equal(np.concatenate(list(in_batches(spool.rows(), batch))), whole)


def test_a_spool_has_no_file_that_a_killed_process_could_leave(store):
    spool = Spool(store.folder)
    spool.append(np.arange(1000))
    assert [path for path in store.folder.rglob("*") if "library.sqlite" not in path.name] == [
        store.folder / "arrays"
    ]


def test_a_film_is_saved_and_opened_without_its_pictures_and_sound_in_memory(store):
    pictures, sound = Spool(store.folder), Spool(store.folder)
    for second in range(400):
        pictures.append(bytes([second % 251]) * 100_000)
        sound.append(np.full((1000, 30), second, np.float16))
    tracemalloc.start()
    try:
        store.save("film", SCAN, "key", _film(pictures.blobs(), sound.rows()))
        film = store.load("film", SCAN)
        assert film.keyframes.pictures[399] == bytes([399 % 251]) * 100_000
        assert film.sound.mfcc[7000:7001].tolist() == [[7.0] * 30]
        assert store.load_picture("film", 12.2) == (12, bytes([12]) * 100_000, "key")
        assert tracemalloc.get_traced_memory()[1] < LITTLE
    finally:
        tracemalloc.stop()


def test_a_spooled_film_is_kept_as_one_that_was_in_memory(store):
    pictures, sound = Spool(store.folder), Spool(store.folder)
    strings = tuple(bytes([n]) * n for n in range(9))
    for string in strings:
        pictures.append(string)
        sound.append(np.full((3, 30), len(string), np.float16))
    store.save("film", SPOOLED, "key", _film(pictures.blobs(), sound.rows()))
    store.save("film", PLAIN, "key", _film(strings, np.asarray(sound.rows())))
    spooled, plain = sorted((store.folder / "arrays/film").iterdir(), reverse=True)
    assert spooled.read_bytes() == plain.read_bytes()
    again = store.load("film", SPOOLED)
    store.save("film", AGAIN, "key", again)
    (again,) = (store.folder / "arrays/film").glob("again-key-*.safetensors")
    assert again.read_bytes() == plain.read_bytes()


def test_an_open_film_outlives_its_file(store):
    store.save("film", SCAN, "one", _film((b"old",), np.zeros((0, 30), np.float16)))
    old = store.load("film", SCAN)
    store.save("film", SCAN, "two", replace(old, damaged="now"))
    assert old.keyframes.pictures[0] == b"old"


def test_a_full_disk_is_named_while_a_film_is_scanned(store, monkeypatch):
    spool = Spool(store.folder)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(spool._file, "append", full)
    with pytest.raises(LibraryError, match="is full; finished stages are kept"):
        spool.append(b"picture")


def _film(pictures, mfcc):
    numbers = np.arange(len(pictures))
    keyframes = Keyframes(numbers.astype(np.int32), numbers, numbers.astype(float), pictures)
    return Film((), keyframes, Sound(mfcc))
