"""`Library(place)` opens whatever kind of library is there."""

import gc
import weakref

import pytest

from storyscope import Library
from storyscope.errors import LibraryError
from storyscope.library import LocalLibrary, RemoteLibrary, open_library
from storyscope.stages.executor import LocalExecutor


@pytest.mark.parametrize(
    ("place", "kind"),
    [
        ("folder", LocalLibrary),
        ("./ftp:/films", LocalLibrary),
        ("c:/films", LocalLibrary),
        ("http://host:8000", RemoteLibrary),
        ("https://host", RemoteLibrary),
    ],
)
def test_the_scheme_of_a_place_says_which_kind_of_library_it_is(place, kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert type(open_library(place)) is type(Library(place)) is kind


def test_an_unknown_scheme_creates_no_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LibraryError, match=r"cannot open a library at ftp://films; .*https://"):
        Library("ftp://films")
    assert [*tmp_path.iterdir()] == []


def test_a_library_runs_stages_by_the_executor_it_was_given(film, tmp_path):
    ran = []

    class Watched(LocalExecutor):
        def __call__(self, stage, *inputs, **given):
            ran.append(stage.name)
            return super().__call__(stage, *inputs, **given)

    library = Library(tmp_path, executor=Watched).with_settings(["stories.method=ours"])
    video = library.add(film)
    assert ran[0] == "scan"
    assert ran[-1] == "titles"
    assert library.stories(video.id)


def test_the_caches_of_a_library_are_freed_with_it(indexed):
    library = Library(indexed)
    first = library.explain("film"), library.comparison("film", baselines=True)
    assert (library.explain("film"), library.comparison("film", baselines=True)) == first
    gone = weakref.ref(library)
    del library
    gc.collect()
    assert gone() is None
