"""A person's version can become the one that search, export and the list use."""

import shutil

import pytest

from storyscope import Library
from storyscope.errors import AnnotationError


@pytest.fixture
def library(indexed, tmp_path):
    return Library(shutil.copytree(indexed, tmp_path / "library"))


def starts(stories):
    return [story.span.start for story in stories]


def test_list_export_and_search_follow_the_version_that_was_chosen(library):
    found = library.stories("film")
    library.annotate("film", library.version("film", "ann").split(7.0).retitle(2, "Dunes at noon"))
    library.choose_own_version("film", "ann")
    assert library.own_version("film") == "ann"
    assert library.facts()[0]["stories"] == len(library.stories("film")) == 4
    assert [entry.title for entry in library.timeline("film").entries][2] == "Dunes at noon"
    hits = library.search("camel")
    assert {hit.story.span.start for hit in hits} <= set(starts(library.stories("film")))
    assert hits[0].story in library.stories("film")
    assert library.stories("film", annotator="automatic") == found


def test_it_follows_later_changes_and_stays_when_the_video_is_indexed_again(library, film):
    library.annotate("film", library.version("film", "ann").split(7.0))
    library.choose_own_version("film", "ann")
    library.annotate("film", library.version("film", "ann").split(8.0))
    assert 8.0 in starts(library.stories("film"))
    library.add(film)
    assert 8.0 in starts(Library(library.folder).stories("film"))
    assert 8.0 not in starts(library.stories("film", annotator="automatic"))


def test_the_automatic_version_comes_back(library):
    found = library.stories("film")
    library.annotate("film", library.version("film", "ann").split(7.0))
    library.choose_own_version("film", "ann")
    library.choose_own_version("film", None)
    assert library.stories("film") == found
    library.choose_own_version("film", "ann")
    library.discard_annotation("film", "ann")
    assert library.own_version("film") is None
    assert library.stories("film") == found


def test_only_a_version_that_is_there_can_be_chosen(library):
    with pytest.raises(AnnotationError, match="no version"):
        library.choose_own_version("film", "nobody")
