"""The requested number of stories: of the library, of a video, or of one call."""

import shutil

import pytest

from storyscope import Library
from storyscope.core import StoryCount, StoryPath
from storyscope.errors import InvalidSetting, LibraryError
from storyscope.library.video_settings import own_settings


@pytest.fixture
def library(indexed, tmp_path):
    return Library(shutil.copytree(indexed, tmp_path / "library"))


def starts(stories):
    return [story.span.start for story in stories]


def everywhere(library):
    """How many stories each reader of the library finds in the film."""
    shots = [hit.story.shots for hit in library.search("camel dunes", limit=50)]
    edges = {story.shots for story in library.stories("film")}
    assert shots
    assert set(shots) <= edges
    return {
        len(library.stories("film")),
        library.facts()[0]["stories"],
        len(library.timeline("film").entries),
        len(library.findings("film").stories),
        len(library.segmentation("film")),
    }


def test_the_number_of_stories_is_given_in_one_of_three_ways():
    path = StoryPath((3, 1, 2), 2, (1.0, 0.2, 0.1, 0.9))
    assert len(StoryCount(about=3).of(path, 60.0)) == 3
    assert len(StoryCount(minutes=0.25).of(path, 60.0)) == 4
    assert len(StoryCount(granularity=0.0).of(path, 60.0)) == 1
    assert StoryCount().of(path, 60.0) == path.stories
    with pytest.raises(InvalidSetting, match="only one of"):
        StoryCount(about=3, granularity=0.2)


def test_a_number_of_stories_has_its_granularity():
    path = StoryPath((3, 1, 2, 4, 5), 2, (1.0, 0.2, 0.1, 0.9, 0.1, 0.1))
    for count in range(1, 7):
        assert len(path.at(path.granularity_of(count))) == count
    assert path.granularity_of(2) == 0.5
    assert StoryPath((), 1, (1.0,)).granularity_of(1) == 0.5


def test_the_setting_of_the_library_holds_everywhere_at_once(library, film):
    found = library.stories("film")
    library.keep_settings(["stories.about=2"])
    assert everywhere(library) == {2}
    again = Library(library.folder)
    assert everywhere(again) == {2}
    again.add(film)
    assert everywhere(again) == {2}
    again.keep_settings(["stories.granularity=1"])
    assert again.config.stories.about == 0
    assert everywhere(again) == {len(again.shots("film"))}
    again.keep_settings(["stories.granularity=0.5"])
    assert again.stories("film") == found


def test_a_video_has_its_own_number_until_it_is_taken_back(library, film):
    library.keep_settings(["stories.about=4"])
    library.keep_story_count("film", StoryCount(about=2))
    assert everywhere(library) == {2}
    library.add(film)
    assert library.story_count("film") == StoryCount(about=2)
    assert everywhere(Library(library.folder)) == {2}
    library.keep_story_count("film", None)
    assert everywhere(library) == {4}
    library.keep_story_count("film", StoryCount(granularity=0.5))
    library.remove("film")
    assert own_settings(library.store, "film") == {}


def test_a_persons_own_version_stays_whatever_number_is_wanted(library):
    library.annotate("film", library.version("film", "ann").split(7.0))
    library.choose_own_version("film", "ann")
    mine = starts(library.stories("film"))
    library.keep_story_count("film", StoryCount(about=1))
    assert starts(library.stories("film")) == mine
    assert len(library.stories("film", annotator="automatic")) == 1
    library.choose_own_version("film", None)
    assert len(library.stories("film")) == 1


def test_another_number_for_one_question_changes_nothing_that_is_kept(library):
    found = library.stories("film")
    seen = library.with_story_count(StoryCount(about=len(found) + 1))
    assert everywhere(seen) == {len(found) + 1}
    assert all(hit.story.title for hit in seen.search("camel dunes"))
    assert {hit.story for hit in seen.search("camel")} <= set(seen.stories("film"))
    assert library.stories("film") == found == Library(library.folder).stories("film")


def test_two_numbers_at_once_and_a_setting_that_is_the_librarys_are_refused(library):
    with pytest.raises(InvalidSetting, match="only one of"):
        library.keep_settings(["stories.about=3", "stories.minutes=5"])
    with pytest.raises(InvalidSetting, match="only one of"):
        library.stories("film", granularity=0.3, count=2)
    with pytest.raises(InvalidSetting, match="whole library"):
        library.keep_settings_of("film", {"stories": {"method": "cluster"}})
    with pytest.raises(InvalidSetting, match="ann's version"):
        library.stories("film", annotator="ann", count=2)
    with pytest.raises(InvalidSetting, match="at most 1"):
        library.keep_settings(["stories.granularity=1.5"])
    assert library.config.stories.count == StoryCount()


def test_damaged_settings_of_videos_are_named(library):
    library.keep_story_count("film", StoryCount(about=2))
    (library.folder / "video_settings.json").write_text("{")
    with pytest.raises(LibraryError, match="check --repair"):
        library.story_count("film")
