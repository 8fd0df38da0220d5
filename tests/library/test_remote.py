"""A library behind an address behaves like the library in the folder."""

import copy
import json
import os
import pickle
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from command_line import storyscope
from serving import served
from storyscope import Library
from storyscope.cli.main import build_app
from storyscope.core import StoryCount
from storyscope.errors import AnnotationError, LibraryError, UnknownVideo
from storyscope.library import LocalLibrary, RemoteLibrary, address_of
from storyscope.library import remote as remote_library
from storyscope.search import Filter
from storyscope.web import create_app


@pytest.fixture(scope="module")
def local(film, tmp_path_factory):
    return Library(tmp_path_factory.mktemp("library"))


@pytest.fixture(scope="module")
def address(local, film):
    app = create_app(local, token="secret", media_folders=(film.parent,))
    with served(app) as address:
        Library(f"{address}/?token=secret").add(film)
        yield address


@pytest.fixture
def remote(address):
    return Library(f"{address}/?token=secret")


def test_an_address_opens_the_library_that_is_served_there(remote, local):
    assert isinstance(remote, RemoteLibrary)
    # The server reveals the name of a file, but not its folder.
    kept = [replace(r.video, path=Path(r.video.path).name) for r in local.videos()]
    assert [record.video for record in remote.videos()] == kept
    assert remote.facts() == [facts | {"path": Path(facts["path"]).name} for facts in local.facts()]


def test_stories_and_hits_are_the_same(remote, local):
    assert remote.stories("film") == local.stories("film")
    assert remote.stories("film", count=2) == local.stories("film", count=2)
    assert remote.segmentation("film") == local.segmentation("film")
    assert remote.cues("film") == local.cues("film")
    stories = local.stories("film")
    remote_facts, known = (each.story_facts("film", stories) for each in (remote, local))
    known["video"]["path"] = Path(known["video"]["path"]).name
    assert remote_facts == known
    (here, *_), (there, *_) = local.search("camel"), remote.search("camel")
    assert (there.story, there.thumbnail.seconds) == (here.story, here.thumbnail.seconds)
    assert there.score == pytest.approx(here.score)
    shown = remote.picture("film", there.thumbnail.seconds)
    assert shown.read_bytes() == local.picture("film", here.thumbnail.seconds).read_bytes()
    again = remote.picture("film", there.thumbnail.seconds)
    assert again == shown


def test_pictures_of_a_served_library_leave_no_temporary_files(remote, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("STORYSCOPE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(remote_library, "MOST_PICTURES", 2)
    for seconds in (1.0, 6.0, 11.0):
        newest = remote.picture("film", seconds)
    assert [each.name for each in tmp_path.iterdir()] == ["cache"]
    assert len(list(newest.parent.iterdir())) == 2
    assert newest.exists()


def test_search_follows_the_number_of_stories_asked_for(remote, local, address):
    words = ("search", "camel", "--about", 1, "--json")
    result = json.loads(storyscope(*words, library=f"{address}/?token=secret").stdout)
    (hit,) = result["hits"]
    assert (hit["story"]["start"], hit["story"]["end"]) == (0.0, local.video("film").duration)
    for count in (StoryCount(about=2), StoryCount(granularity=1.0), StoryCount(minutes=0.1)):
        here, there = (each.with_story_count(count) for each in (local, remote))
        assert [hit.story for hit in there.search("camel")] == [
            h.story for h in here.search("camel")
        ]
    (as_found,) = remote.search("camel")
    assert as_found.story in local.stories("film")


def test_search_follows_the_number_of_stories_that_is_kept(remote, local):
    remote.keep_story_count("film", StoryCount(about=1))
    (hit,) = remote.search("camel")
    assert [hit.story] == remote.stories("film") == local.stories("film")
    remote.keep_story_count("film", None)
    assert len(remote.stories("film")) > 1


def test_a_picture_is_fetched_where_users_have_no_numbers(remote, local, monkeypatch):
    monkeypatch.delattr(os, "getuid", raising=False)
    assert remote.picture("film", 1.0).read_bytes() == local.picture("film", 1.0).read_bytes()


def test_a_person_s_version_travels(remote, local):
    mine = local.version("film", "ann/ü").split(2.0).retitle(1, "Waves")
    remote.annotate("film", mine)
    assert local.annotations("film")["ann/ü"].starts == mine.starts
    assert remote.annotations("film")["ann/ü"].titles[1] == "Waves"
    remote.discard_annotation("film", "ann/ü")
    assert local.annotations("film") == {}


def test_refusals_keep_their_class(remote, address, tmp_path):
    with pytest.raises(UnknownVideo, match="no video called"):
        remote.stories("nothing")
    with pytest.raises(AnnotationError):
        remote.stories("film", annotator="nobody")
    with pytest.raises(LibraryError, match="open the address"):
        Library(f"{address}/?token=wrong").videos()
    with pytest.raises(LibraryError, match="storyscope serve"):
        Library("http://127.0.0.1:9").videos()
    with pytest.raises(LibraryError, match="run it where the folder is"):
        remote.keep_settings([])
    with pytest.raises(LibraryError, match="its own settings"):
        remote.with_settings(["stories.penalty=0.2"])
    with pytest.raises(LibraryError, match="add --again"):
        remote.add(tmp_path / "film.mp4", again=True)


def test_reasons_and_preferred_pictures_travel(remote, local):
    assert remote.explain("film") == local.explain("film")
    compared = remote.comparison("film", baselines=True)
    assert compared == local.comparison("film", baselines=True)
    story = local.stories("film")[0]
    taken = remote.prefer_thumbnail(story, story.span.end - 0.1)
    assert local.thumbnail("film", story).seconds == taken


def test_a_film_that_the_server_cannot_see_is_sent_to_it(address, local, film, tmp_path):
    elsewhere = tmp_path / "Élan vital.mp4"
    elsewhere.write_bytes(film.read_bytes())
    words = tmp_path / "words.srt"
    words.write_text("1\n00:00:01,000 --> 00:00:02,000\nA heron waits.\n", encoding="utf-8")
    result = CliRunner().invoke(
        build_app(),
        [
            "add",
            str(elsewhere),
            "--transcript",
            str(words),
            "--library",
            f"{address}/?token=secret",
        ],
    )
    assert (result.exit_code, result.exception) == (0, None)
    (sent,) = (record for record in local.videos() if record.video.id != "film")
    assert Path(sent.video.path).read_bytes() == film.read_bytes()
    assert [word.text for word in local.transcript(sent.video.id).words] == ["A", "heron", "waits."]
    local.remove(sent.video.id)


def test_commands_take_an_address(address, monkeypatch):
    monkeypatch.setenv("STORYSCOPE_TOKEN", "secret")
    result = CliRunner().invoke(build_app(), ["stories", "film", "--library", address, "--json"])
    assert result.exit_code == 0
    assert len(json.loads(result.stdout)["stories"]) == 3


@pytest.mark.parametrize(
    "words",
    [
        ("shots", "film", "--json"),
        ("explain", "film", "--json"),
        ("export", "film", "--format", "webvtt"),
        ("export", "film", "--format", "json", "--level", "nested"),
        ("export", "film", "--format", "webvtt", "--level", "shots"),
    ],
)
def test_a_command_says_the_same_of_a_folder_and_of_its_address(words, address, local):
    here = CliRunner().invoke(build_app(), [*words, "--library", str(local.folder)])
    there = CliRunner().invoke(build_app(), [*words, "--library", f"{address}/?token=secret"])
    assert (there.exception, there.stdout) == (None, here.stdout)


def test_pages_travel(local, remote):
    everything = local.search("whale camel owl")
    pages = [remote.search("whale camel owl", limit=2, offset=offset) for offset in (0, 2)]
    assert [hit.story.id for page in pages for hit in page] == [h.story.id for h in everything]
    assert [len(page) for page in pages] == [2, 1]


def test_filters_travel(address, local, remote):
    found = local.search("camel")
    longest = found[0].story.span.length
    for only in (Filter(video="film", longest=longest), Filter(after=1e3), Filter(language="xx")):
        result = [hit.story.id for hit in remote.search("camel", only=only)]
        assert result == [hit.story.id for hit in local.search("camel", only=only)]
    words = [
        "search",
        "camel",
        "--video",
        "film",
        "--json",
        "--library",
        f"{address}/?token=secret",
    ]
    hits = json.loads(CliRunner().invoke(build_app(), words).stdout)["hits"]
    assert [hit["story"]["id"] for hit in hits] == [hit.story.id for hit in found]
    assert [hit["thumbnail"]["because"] for hit in hits] == [h.thumbnail.because for h in found]


def test_corrections_and_files_travel(address, local, tmp_path):
    place = ["--library", f"{address}/?token=secret"]
    words = ["edit", "film", "--annotator", "zoe", "--split", "2.0", "--title", "1=Dawn"]
    assert CliRunner().invoke(build_app(), [*words, *place]).exception is None
    mine = local.annotations("film")["zoe"]
    assert (2.0 in mine.starts, mine.titles[0]) == (True, "Dawn")
    file = tmp_path / "film.json"
    file.write_text(json.dumps({"starts": [0, 1], "end": len(local.shots("film"))}))
    words = ["import", str(file), "--video", "film", "--annotator", "mia"]
    assert CliRunner().invoke(build_app(), [*words, *place]).exception is None
    assert local.annotations("film")["mia"].starts == (0, local.shots("film")[1].span.start)
    for name in ("zoe", "mia"):
        words = ["edit", "film", "--annotator", name, "--discard"]
        assert CliRunner().invoke(build_app(), [*words, *place]).exception is None
    assert local.annotations("film") == {}


@pytest.mark.parametrize(
    "words",
    [
        ("search", "--image", "beach.jpg"),
        ("search", "--like", "film/1"),
        ("thumbnails", "film"),
        ("train",),
        ("config",),
        ("serve",),
    ],
)
def test_what_needs_the_folder_says_so_in_a_line(words, address, remote):
    remote.annotate("film", remote.version("film", "ann"))
    result = CliRunner().invoke(build_app(), [*words, "--library", f"{address}/?token=secret"])
    remote.discard_annotation("film", "ann")
    assert isinstance(result.exception, LibraryError)
    assert "\n" not in str(result.exception)


@pytest.mark.parametrize("place", ["http://", "https:", "http:///x", "http://[1", "http://a:b"])
def test_an_address_without_a_host_is_no_folder(place, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(build_app(), ["list", "--library", place])
    assert isinstance(result.exception, LibraryError)
    assert [*tmp_path.iterdir()] == []


def test_a_path_that_lost_a_slash_is_an_address_still():
    assert address_of(Path("http://host:80/x")) == ("http", "http://host:80/x")
    assert address_of("films") == ("file", "films")
    assert isinstance(Library(Path("http://host:80/x")), RemoteLibrary)


def test_an_address_and_a_folder_are_both_libraries(remote, local):
    assert isinstance(remote, Library)
    assert isinstance(local, Library)
    assert isinstance(local, LocalLibrary)
    for opened in (remote, local):
        for again in (copy.copy(opened), pickle.loads(pickle.dumps(opened))):
            assert type(again) is type(opened)
            assert again.facts() == opened.facts()


def test_a_library_has_the_attributes_that_it_has(remote):
    assert not hasattr(remote, "folder")
    assert not hasattr(remote, "_repr_html_")
    with pytest.raises(AttributeError, match="no_such_verb"):
        remote.no_such_verb()


@pytest.mark.parametrize("command", [("config",), ("concepts", "list"), ("train",)])
def test_a_command_that_needs_the_folder_says_so(command, address):
    result = CliRunner().invoke(build_app(), [*command, "--library", f"{address}/?token=secret"])
    assert isinstance(result.exception, LibraryError)
    assert "run it on the machine that has it" in str(result.exception)
