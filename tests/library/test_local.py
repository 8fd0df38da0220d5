"""The library: adding, stories, removing, and errors."""

import json
import shutil
from dataclasses import replace

import pytest

from movie import story_seconds
from storyscope import Library, find_stories
from storyscope.core import Annotation, Segmentation
from storyscope.errors import (
    AnnotationError,
    LibraryError,
    MediaError,
    UnknownVideo,
)
from storyscope.stages import indexing as stages


@pytest.fixture(scope="module")
def library(indexed, tmp_path_factory):
    return Library(shutil.copytree(indexed, tmp_path_factory.mktemp("library") / "copy"))


def stages_run(library, film, **options):
    """Names of the stages that were executed."""
    steps = []
    library.add(film, report=steps.append, **options)
    return {step.stage for step in steps if step.done == 0}


def test_the_stories_of_a_plain_film_are_found(library):
    stories = library.stories("film")
    assert [round(story.span.start, 1) for story in stories] == pytest.approx(
        [0.0, story_seconds(), 2 * story_seconds()], abs=0.2
    )
    assert stories[0].span.end == stories[1].span.start
    assert len({story.title for story in stories}) == 3


def test_titles_come_from_what_is_said(library):
    titles = " ".join(story.title.lower() for story in library.stories("film"))
    assert "whale" in titles
    assert "camel" in titles
    assert "owl" in titles


def test_an_unchanged_video_is_not_touched_again(library, film):
    assert stages_run(library, film) == set()


def test_a_changed_setting_recomputes_only_what_depends_on_it(library, film):
    other = library.with_settings(["stories.method=cluster", "stories.penalty=0.5"])
    assert stages_run(other, film) == {"stories", "titles"}
    assert stages_run(library, film) == {"stories", "titles"}


def test_a_changed_transcript_does_not_decode_again(library, film, tmp_path):
    words = tmp_path / "other.srt"
    words.write_text("1\n00:00:00,000 --> 00:00:02,000\nA quite different lecture.\n")
    ran = stages_run(library, film, transcript=words)
    assert "transcript" in ran
    assert not ran & {"scan", "vision", "appearance", "audio"}
    stages_run(library, film, transcript=film.with_suffix(".srt"))


def test_two_files_of_one_name_get_two_ids(library, film, tmp_path):
    twin = tmp_path / "film.mp4"
    shutil.copy(film, twin)
    shutil.copy(film.with_suffix(".srt"), twin.with_suffix(".srt"))
    assert library.add(twin).id == "film-2"
    library.remove("film-2")
    assert [record.video.id for record in library.videos()] == ["film"]


def test_facts_have_the_shape_scripts_depend_on(library):
    (video,) = library.facts()
    assert {"id", "path", "duration", "stories", "state"} <= set(video)
    facts = library.story_facts("film", library.stories("film"))
    assert set(facts) == {"video", "stories"}
    assert {"start", "end", "title", "keywords", "shots"} <= set(facts["stories"][0])
    assert json.loads(json.dumps(facts)) == facts


def test_a_persons_version_is_kept_beside_the_automatic_one(library):
    duration = library.video("film").duration
    before = library.stories("film")
    library.annotate("film", Annotation("ann", (0.0, 5.0), duration, titles=("One", "")))
    assert library.stories("film") == before
    mine = library.stories("film", annotator="ann")
    assert [story.span.start for story in mine] == [0.0, 5.0]
    assert mine[0].title == "One"
    assert mine[1].title
    assert library.annotations("film")["ann"].titles == ("One", "")


def test_an_annotation_of_another_video_is_refused(library):
    with pytest.raises(AnnotationError, match="another video"):
        library.annotate("film", Annotation("bob", (0.0, 5.0), 999.0))
    with pytest.raises(AnnotationError, match="has not annotated"):
        library.stories("film", annotator="nobody")


def test_more_stories_when_asked_for(library):
    assert len(library.stories("film", count=2)) <= len(library.stories("film", count=6))
    coarse = library.stories("film", granularity=0.0)
    fine = library.stories("film", granularity=1.0)
    assert len(coarse) <= len(library.stories("film")) <= len(fine)


def test_the_machine_s_stories_are_a_segmentation_over_shots(library):
    found = library.segmentation("film")
    assert isinstance(found, Segmentation)
    assert found.end == len(library.shots("film"))


def test_a_picture_that_could_not_be_written_whole_is_written_again(library):
    resource = pytest.importorskip("resource")
    most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, most[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            library.picture("film", 1.0)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, most)
    picture = library.picture("film", 1.0)
    assert picture.read_bytes() == library.store.load_picture("film", 1.0)[1]
    assert list(picture.parent.iterdir()) == [picture]


def test_an_unknown_video_is_named_with_what_there_is(library):
    with pytest.raises(UnknownVideo, match=r"'flim'.*film"):
        library.stories("flim")


def test_a_file_that_is_no_video_leaves_no_trace(tmp_path):
    library = Library(tmp_path / "library")
    bad = tmp_path / "bad.mp4"
    bad.write_text("not a film")
    with pytest.raises(MediaError):
        library.add(bad)
    assert library.videos() == []


def test_a_failed_stage_is_remembered_and_can_be_finished(film, tmp_path, monkeypatch):
    library = Library(tmp_path / "library")

    def fail(*_, settings, report):
        raise LibraryError("no stories today")

    with monkeypatch.context() as patch:
        patch.setattr(stages, "FIND_STORIES", replace(stages.FIND_STORIES, run=fail))
        with pytest.raises(LibraryError, match="no stories today"):
            library.add(film)
    assert library.videos()[0].state == "failed"
    with pytest.raises(LibraryError, match="no stories today"):
        library.stories("film")
    assert "scan" not in stages_run(library, film)
    assert library.videos()[0].state == "ready"


def test_stories_of_a_file_are_found_without_a_library(film, library):
    found = find_stories(film)
    assert [story.span for story in found] == [story.span for story in library.stories("film")]
    assert len(find_stories(film, count=2)) == 2
