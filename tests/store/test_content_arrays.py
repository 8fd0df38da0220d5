"""Arrays shared by many machines, in a folder and in a bucket behind a real HTTP server."""

import os
import shutil
import time

import numpy as np
import pytest

from benchmarks.scale.s3_server import bucket_environment, s3_server
from storyscope.errors import LibraryError
from storyscope.store.arrays import DamagedArrays
from storyscope.store.content_arrays import open_content_arrays

pytest.importorskip("obstore")


@pytest.fixture
def bucket():
    with s3_server() as server, bucket_environment(server):
        yield server


@pytest.fixture(params=["folder", "bucket"])
def arrays(request, tmp_path):
    if request.param == "folder":
        return open_content_arrays(str(tmp_path / "shared"), tmp_path / "cache")
    request.getfixturevalue("bucket")
    return open_content_arrays("s3://films/some/prefix", tmp_path / "cache")


def test_equal_arrays_have_one_name_and_come_back(arrays):
    name = arrays.put({"a": np.arange(5.0)})
    assert arrays.put({"a": np.arange(5.0)}) == name != arrays.put({"a": np.arange(6.0)})
    assert np.asarray(arrays.open(name)["a"]).tolist() == [0, 1, 2, 3, 4]
    arrays.verify(name)
    assert len(list(arrays.names())) == 2
    assert all(age < 60 for found, age in arrays.names() if found == name)


def test_what_is_deleted_is_gone(arrays):
    name = arrays.put({"a": np.arange(5.0)})
    arrays.delete(name)
    assert not arrays.has(name)
    with pytest.raises(OSError, match=name):
        arrays.open(name)


def test_another_machine_reads_the_bucket_and_sees_damage(bucket, tmp_path):
    name = open_content_arrays("s3://films/some", tmp_path / "one").put({"a": np.arange(5.0)})
    other = open_content_arrays("s3://films/some", tmp_path / "two")
    assert np.asarray(other.open(name)["a"]).tolist() == [0, 1, 2, 3, 4]
    ((key, (body, when)),) = bucket.objects.items()
    assert key == f"some/{name[:2]}/{name}.safetensors"
    bucket.objects[key] = (body[:-1] + b"x", when)
    with pytest.raises(DamagedArrays):
        other.verify(name)
    third = open_content_arrays("s3://films/some", tmp_path / "three")
    with pytest.raises(DamagedArrays):
        third.open(name)


def test_a_damaged_copy_on_this_machine_is_fetched_again(bucket, tmp_path):
    arrays = open_content_arrays("s3://films", tmp_path / "cache")
    name = arrays.put({"a": np.arange(5.0)})
    path = tmp_path / "cache" / name[:2] / f"{name}.safetensors"
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    os.utime(path, (1, 1))
    assert np.asarray(arrays.open(name)["a"]).tolist() == [0, 1, 2, 3, 4]
    shutil.rmtree(path.parent)
    assert np.asarray(arrays.open(name)["a"]).tolist() == [0, 1, 2, 3, 4]


def test_a_bucket_that_cannot_be_used_says_which(tmp_path, monkeypatch):
    with pytest.raises(LibraryError, match="nonsense://films cannot be opened as a bucket"):
        open_content_arrays("nonsense://films", tmp_path)


def test_files_age(tmp_path):
    arrays = open_content_arrays(str(tmp_path), tmp_path)
    name = arrays.put({"a": np.arange(5.0)})
    path = tmp_path / name[:2] / f"{name}.safetensors"
    os.utime(path, (time.time() - 1000,) * 2)
    ((_, age),) = arrays.names()
    assert 990 < age < 1100
    arrays.put({"a": np.arange(5.0)})
    ((_, age),) = arrays.names()
    assert age < 100
