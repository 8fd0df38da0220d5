"""Everyday use of the command line."""

import json
import shutil

import av
import pytest

from command_line import storyscope
from storyscope import Library
from storyscope.cli.show import time_left
from storyscope.config import FeatureConfig, MediaConfig, ShotConfig
from storyscope.core import Annotation, Span, StoryPath, counted
from storyscope.errors import MediaError
from storyscope.library.video_settings import settings_of
from storyscope.stages.scan import scan_film


@pytest.fixture(scope="module")
def folder(library):
    return library.folder


@pytest.fixture
def copied(indexed, tmp_path):
    return shutil.copytree(indexed, tmp_path / "library")


def starts(words, folder):
    facts = json.loads(storyscope(*words, "--json", library=folder).stdout)
    return [story["start"] for story in facts["stories"]]


def test_the_number_of_stories_is_one_option_of_every_command(folder, tmp_path):
    wanted = starts(("stories", "film", "--about", 2), folder)
    assert len(wanted) == 2
    table = storyscope("export", "film", "--format", "csv", "--about", 2, library=folder).stdout
    assert len(table.splitlines()) == 1 + 2
    page = storyscope("export", "film", "--format", "html", "--about", 2, library=folder).stdout
    assert page.count('<li class="story"') == 2
    hits = storyscope("search", "camel", "--about", 2, "--json", library=folder).stdout
    assert {hit["story"]["start"] for hit in json.loads(hits)["hits"]} <= set(wanted)
    assert len(starts(("stories", "film", "--minutes", 10), folder)) == 1
    for command in (("stories", "film"), ("search", "sea"), ("export", "film", "-f", "csv")):
        both = storyscope(*command, "--about", 3, "--granularity", 0.2, library=folder, code=1)
        assert "give only one of granularity, about and minutes" in both.stderr


def test_a_number_is_kept_for_a_video_and_for_the_library(copied):
    found = starts(("stories", "film"), copied)
    said = storyscope("stories", "film", "--about", 1, "--keep", library=copied).stderr
    assert "about 1 story, kept" in said
    assert len(starts(("stories", "film"), copied)) == 1
    assert (
        json.loads(storyscope("list", "--json", library=copied).stdout)["videos"][0]["stories"] == 1
    )
    shown = storyscope("config", "--video", "film", library=copied).stdout
    assert shown == "stories.about=1\n"
    storyscope("config", "stories.about=2", library=copied)
    assert len(starts(("stories", "film"), copied)) == 1
    storyscope("config", "--video", "film", "--reset", library=copied)
    assert len(starts(("stories", "film"), copied)) == 2
    storyscope("config", "stories.about=0", library=copied)
    assert starts(("stories", "film"), copied) == found
    assert (
        "no number to keep"
        in storyscope("stories", "film", "--keep", library=copied, code=1).stderr
    )
    refused = storyscope("config", "--video", "film", "stories.model=x", library=copied, code=1)
    assert "setting of the whole library" in refused.stderr


def test_times_are_written_as_people_write_them(folder, film):
    parts = [
        json.loads(
            storyscope(
                "shots", video, "--start", "0:05", "--end", "0:10.5", "--json", library=folder
            ).stdout
        )["shots"]
        for video in ("film", film)
    ]
    assert all(shot["end"] > 5 and shot["start"] < 10.5 for shots in parts for shot in shots)
    assert parts[1][0]["start"] == pytest.approx(5.0, abs=0.05)
    assert parts[1][0]["first_frame"] == 5 * 12
    hits = storyscope("search", "camel", "--after", "0:05", "--longest", "1:00:00", library=folder)
    assert "0:0" in hits.stdout
    wrong = storyscope("search", "camel", "--after", "noon", library=folder, code=1)
    assert "a time is written as 95.5, 1:35 or 1:02:33, got 'noon'" in wrong.stderr


def test_list_never_cuts_an_id(copied, monkeypatch):
    name = "a-long-id-" * 6
    library = Library(copied)
    (record,) = library.store.records()
    from dataclasses import replace

    library.store.add_record(replace(record, video=replace(record.video, id=name, path="/x/y.mp4")))
    monkeypatch.setenv("COLUMNS", "40")
    assert name in storyscope("list", library=copied).stdout.splitlines()[1].split()


def test_cues_used_are_those_that_stories_were_found_by(folder):
    shown = storyscope("stories", "film", library=folder).stderr
    used = shown.strip().removeprefix("cues used: ").split(", ")
    assert "appearance" in used
    assert "speech" not in used
    assert "speech" in [cue.name for cue in Library(folder).features("film")]


def test_a_persons_version_claims_no_cues(copied):
    Library(copied).annotate(
        "film", Annotation("ann", (0.0,), Library(copied).video("film").duration)
    )
    assert storyscope("stories", "film", "--annotator", "ann", library=copied).stderr == ""
    Library(copied).choose_own_version("film", "ann")
    assert "ann's version" in storyscope("stories", "film", library=copied).stderr
    assert "has 1 story" not in storyscope("stories", "film", library=copied).stderr


def test_an_explanation_shows_what_is_around_each_boundary(folder, tmp_path):
    sheet = tmp_path / "boundaries.png"
    done = storyscope("explain", "film", "--json", "--sheet", sheet, library=folder)
    for boundary in json.loads(done.stdout)["boundaries"]:
        before, after = boundary["frames"]
        assert before < boundary["start"] <= after
        assert all(boundary["words"])
    assert sheet.read_bytes().startswith(b"\x89PNG")
    explained = storyscope("explain", "film", library=folder)
    assert "time: editing rhythm, the lengths of the shots" in explained.stderr


def test_a_bad_transcript_or_model_is_refused_before_decoding(film, tmp_path):
    bad = tmp_path / "film.srt"
    bad.write_text("no times here")
    words = ("add", film, "--jobs", 1, "--transcript", bad)
    refused = storyscope(*words, library=tmp_path / "library", code=1)
    assert "is not a subtitle file" in refused.stderr
    assert "reading the video" not in refused.stderr
    names = ("concepts.vectors=nowhere.txt", "concepts.pipeline=xx_none", "features.backbone=none")
    for setting in names:
        words = ("add", film, "--jobs", 1, "--set", setting)
        done = storyscope(*words, library=tmp_path / "library", code=1)
        assert setting.partition("=")[2] in done.stderr
        assert "reading the video" not in done.stderr


def test_versions_are_compared_by_the_names_of_videos(copied):
    library = Library(copied)
    mine = library.version("film", "ann")
    library.annotate("film", mine)
    perfect = json.loads(storyscope("score", "film", "--json", library=copied).stdout)
    assert perfect["mean_iou"] == 1.0
    library.annotate("film", library.version("film", "bob").split(7.0))
    several = storyscope("score", "film", library=copied, code=1).stderr
    assert "film has 2 versions (ann, bob)" in several
    facts = json.loads(storyscope("score", "film:ann", "film:bob", "--json", library=copied).stdout)
    assert 0 < facts["mean_iou"] < 1
    agreed = json.loads(
        storyscope("agree", "film", "--cuts", "film", "--json", library=copied).stdout
    )
    assert agreed["starts"][0] == 0
    assert agreed["exact"]
    unknown = storyscope("score", "flim", library=copied, code=1).stderr
    assert "flim is neither a file nor a video" in unknown
    assert (
        "'eve' has not annotated film"
        in storyscope("agree", "film:eve", library=copied, code=1).stderr
    )


def test_a_library_becomes_a_benchmark(copied, tmp_path):
    from storyscope.evaluate.dataset import load_collection
    from storyscope.library.benchmark_folder import stories_in_frames, write_benchmark

    library = Library(copied)
    library.annotate("film", library.version("film", "ann"))
    words = ("benchmark", tmp_path / "mine", "--protocol", "pretrained", "--methods", "ours")
    words += ("--json", "--quiet")
    facts = json.loads(storyscope(*words, library=copied).stdout)
    (judged,) = facts["videos"]
    assert (judged["name"], judged["true"]) == ("film", len(library.stories("film")))
    (video,) = load_collection(tmp_path / "mine")
    shots = library.shots("film")
    assert video.truth.starts == tuple(
        shots[s].frames.start for s in library.segmentation("film").starts
    )
    assert set(video.features) == {cue.name for cue in library.features("film")}
    assert stories_in_frames(library.version("film", "ann"), shots) == video.truth
    assert write_benchmark(library, tmp_path / "again") == ["film"]
    nobody = storyscope(*words, "--annotator", "eve", library=copied, code=1).stderr
    assert "is annotated by eve" in nobody


def test_chapters_of_a_file_become_a_version(copied, tmp_path):
    library = Library(copied)
    made = tmp_path / "chaptered.mkv"
    storyscope("export", "film", "--format", "mkv", "--output", made, library=copied)
    storyscope("import", made, "--video", "film", "--name", "editor", library=copied)
    assert len(library.annotations("film")["editor"].starts) == len(library.stories("film"))
    without = storyscope("import", "film", "--chapters", library=copied, code=1).stderr
    assert "has no chapters inside" in without
    with av.open(str(made)) as container:
        assert container.chapters()


def test_formats_and_ids_complete(folder):
    from typer.main import get_command

    from storyscope.cli.main import build_app

    export = get_command(build_app()).commands["export"]
    with export.make_context(
        "export", ["--library", str(folder)], resilient_parsing=True
    ) as context:
        completions = {
            param.name: [item.value for item in param.shell_complete(context, "f")]
            for param in export.params
        }
    assert completions["video"] == ["film"]
    assert set(completions["format"]) >= {"fcpxml", "fcp7", "ffmetadata"}


def test_words_follow_their_number():
    assert [counted(1, "story", "stories"), counted(2, "shot")] == ["1 story", "2 shots"]
    assert time_left(10.0, 0.5, 0.5) == "about 0:10 left"
    assert time_left(1.0, 0.5, 0.5) == time_left(10.0, 0.0, 1.0) == ""


def test_a_part_of_a_film_is_scanned_after_one_shot_of_what_comes_before(film):
    settings = ShotConfig(), FeatureConfig()
    part = scan_film(str(film), MediaConfig(start=5.0, end=11.0), settings)
    lead, *shots = part.shots
    assert (lead.span, lead.frames) == (Span(0.0, 5.0), range(60))
    assert (shots[0].span.start, shots[0].transition.kind) == (5.0, "cut")
    assert shots[-1].span.end == pytest.approx(11.0)
    assert set(part.keyframes.shots) == set(range(len(part.shots)))
    with pytest.raises(MediaError, match="has no frames after 20 s"):
        scan_film(str(film), MediaConfig(start=20.0), settings)


def test_what_comes_before_a_part_is_a_story_of_its_own():
    path = StoryPath((2, 1), 2, (1.0, 0.2, 0.9)).with_lead()
    assert path.stories.starts == (0, 1, 3)
    assert path.about(2).starts == (0, 1)


def test_the_part_of_a_film_is_kept_as_its_own_setting(copied, film):
    said = storyscope("config", "--video", "film", "media.start=5", "media.end=11", library=copied)
    assert said.stdout.split() == ["media.start=5", "media.end=11"]
    assert "to index that part" in said.stderr
    config = settings_of(Library(copied).store, Library(copied).config, "film")
    assert (config.media.start, config.media.end) == (5.0, 11.0)
    wrong = storyscope("add", film, "--start", "9", "--end", "3", library=copied, code=1)
    assert "must end after it starts" in wrong.stderr
