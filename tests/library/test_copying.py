"""Copying a library to another place and back, and checking both kinds."""

import json
import shutil

import numpy as np
import pytest

from storyscope import Library
from storyscope.core import Annotation
from storyscope.errors import LibraryError
from storyscope.library.checking import check_library
from storyscope.library.copying import artefact_digest, copy_library
from storyscope.store import Artefact


@pytest.fixture(scope="module")
def folder(indexed, tmp_path_factory):
    place = shutil.copytree(indexed, tmp_path_factory.mktemp("copying") / "library")
    library = Library(place)
    library.annotate("film", Annotation("ann", (0.0, 2.0), library.video("film").duration))
    library.keep_settings(["stories.method=cluster"])
    return library


@pytest.fixture(scope="module")
def copy(folder, postgres, tmp_path_factory):
    library = Library(postgres.address(tmp_path_factory.mktemp("shared")))
    copied = copy_library(folder, library)
    assert (copied.videos, copied.there, copied.refused) == (["film"], [], {})
    assert copied.artefacts == len(folder.store.keys("film"))
    assert copied.annotations == 1
    assert copied.documents == ["storyscope.toml"]
    yield library
    library.store.close()


def hits_of(library, text):
    return [(hit.story, hit.score, hit.parts, hit.thumbnail) for hit in library.search(text)]


def test_a_copy_answers_as_the_original_and_copies_nothing_twice(folder, copy):
    again = copy_library(folder, copy)
    assert (again.videos, again.there, again.artefacts) == ([], ["film"], 0)
    assert copy.stories("film") == folder.stories("film")
    assert copy.annotations("film") == folder.annotations("film")
    for text in ["camel", "camle", '"the desert"', "sea", "snow on a mountain", "des", "nothing"]:
        assert hits_of(copy, text) == hits_of(folder, text), text


def test_a_copy_of_the_copy_is_the_original(folder, copy, tmp_path):
    back = Library(tmp_path / "back")
    copy_library(copy, back)
    assert back.store.keys("film") == folder.store.keys("film")
    assert back.video("film") == folder.video("film")
    for stage in folder.store.keys("film"):
        ours, theirs = (each.store.load("film", Artefact(stage)) for each in (back, folder))
        assert artefact_digest(ours) == artefact_digest(theirs), stage


def test_a_stopped_copy_resumes(folder, copy):
    stages = list(folder.store.keys("film"))
    copy.store.drop("film", stages[0])
    copied = copy_library(folder, copy)
    assert (copied.videos, copied.artefacts) == (["film"], 1)


def test_another_video_of_the_same_name_is_refused_and_kept(folder, tmp_path):
    from dataclasses import replace

    other = Library(tmp_path / "other")
    record = folder.store.record("film")
    other.store.put_record(replace(record, video=replace(record.video, digest="another")))
    copied = copy_library(folder, other)
    assert "another video called film" in copied.refused["film"]
    assert other.store.keys("film") == {}


def test_a_library_is_not_copied_to_itself(folder):
    with pytest.raises(LibraryError, match="to itself"):
        copy_library(folder, Library(folder.folder))


def test_a_database_is_checked_and_repaired(copy):
    assert check_library(copy) == []
    file = copy.store.files("film")["passages"]
    path = copy.store.arrays._path(file)
    content = path.read_bytes()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    (problem,) = check_library(copy)
    assert "passages" in problem.what
    path.unlink()
    (problem,) = check_library(copy)
    assert problem.what == "film has damaged artefacts: passages"
    path.write_bytes(content)
    copy.store.save("film", Artefact("extra"), "one", np.arange(9))
    copy.store.drop("film", "extra")
    assert check_library(copy) == []
    assert json.dumps([problem.what for problem in check_library(copy, repair=True)]) == "[]"
