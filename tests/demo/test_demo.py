"""The demo film matches its annotation, and `storyscope demo` goes from the film to a report."""

import hashlib
import json
from itertools import pairwise

import av
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from typer.testing import CliRunner

from storyscope.cli.main import build_app
from storyscope.core import Segmentation
from storyscope.errors import MediaError
from storyscope.formats import on_one_scale, read_annotations
from storyscope_demo import find_demo, make_demo
from storyscope_demo.canvas import Size
from storyscope_demo.film import edit, frames
from storyscope_demo.narration import narrate
from storyscope_demo.script import FPS, SCRIPT
from storyscope_demo.soundscape import RATE, SOUNDS, soundscape

SMALL = Size(160, 90)


@pytest.fixture(scope="module")
def film(tmp_path_factory):
    return make_demo(tmp_path_factory.mktemp("demo"), scale=0.25, pace=0.4)


@pytest.fixture(scope="module")
def truth(film):
    return json.loads(film.truth.read_text())


@pytest.fixture(scope="module")
def pictures(film):
    with av.open(str(film.video)) as container:
        return [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]


@pytest.fixture(scope="module")
def run():
    app = build_app()

    def run(*words):
        result = CliRunner().invoke(app, ["demo", *map(str, words)], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return result

    return run


@pytest.fixture(scope="module")
def folder(film):
    """The folder of the small film, which the command reuses."""
    return film.video.parent


@pytest.fixture(scope="module")
def facts(run, folder):
    return json.loads(run("--folder", folder, "--json").stdout)


def test_both_files_of_truth_are_annotations_that_can_be_scored(film, truth):
    written = [each for file in (film.truth, film.stories) for each in read_annotations(file)]
    timed, counted = on_one_scale(written, fps=FPS).segmentations
    assert timed == counted
    assert list(counted.starts) == truth["segmentation"]["starts"]


@given(st.floats(0.2, 3.0))
def test_shots_and_stories_tile_the_film_at_any_pace(pace):
    cut = edit(pace=pace)
    edges = [0, *(shot.frames.stop for shot in cut.shots)]
    assert [shot.frames.start for shot in cut.shots] == edges[:-1]
    assert cut.frame_count == edges[-1]
    assert set(cut.stories.starts) <= set(edges)
    assert len(cut.stories) == len(SCRIPT)


@given(st.floats(0.2, 3.0))
def test_transitions_stay_inside_their_two_shots_and_never_meet(pace):
    shots = edit(pace=pace).shots
    for before, shot in pairwise(shots):
        change = shot.transition
        assert before.frames.start <= change.first_frame <= shot.frames.start
        assert shot.frames.start <= change.end_frame <= shot.frames.stop
        assert before.transition.end_frame <= change.first_frame
        if change.kind == "cut":
            assert change.first_frame == change.end_frame == shot.frames.start


def test_the_full_film_is_a_two_minute_documentary():
    cut = edit()
    kinds = {"inside": [], "between": []}
    for before, shot in pairwise(cut.shots):
        place = "inside" if shot.chapter == before.chapter else "between"
        kinds[place].append(shot.transition.kind)
    assert 110 <= cut.frame_count / FPS <= 140
    assert all(4 <= len(chapter.takes) <= 7 for chapter in SCRIPT)
    assert set(kinds["inside"]) == set(kinds["between"]) == {"cut", "dissolve", "fade"}


def test_one_story_returns_to_an_earlier_place():
    scenes = [[take.scene for take in chapter.takes] for chapter in SCRIPT]
    assert any(
        first == third != second
        for takes in scenes
        for first, second, third in zip(takes, takes[1:], takes[2:], strict=False)
    )


def test_the_file_holds_exactly_the_frames_of_its_truth(pictures, truth):
    assert len(pictures) == truth["frame_count"]
    assert pictures[0].shape == (truth["height"], truth["width"], 3)


def test_the_segmentation_file_is_the_truth_over_frames(film, truth):
    facts = json.loads(film.stories.read_text())
    stories = Segmentation(tuple(facts["starts"]), facts["end"])
    assert [(s.start, s.stop) for s in stories] == [
        (story["first_frame"], story["end_frame"]) for story in truth["stories"]
    ]
    assert facts == truth["segmentation"]


def test_every_true_cut_is_where_the_picture_changes_most(pictures, truth):
    small = [picture[::4, ::4].astype(int) for picture in pictures]
    change = [np.abs(b - a).mean() for a, b in pairwise(small)]
    for shot in truth["shots"]:
        if shot["transition"]["kind"] != "cut":
            continue
        cut = shot["first_frame"]
        around = change[max(0, cut - 6) : cut - 1] + change[cut : cut + 5]
        assert change[cut - 1] > 2.5 * np.median(around) + 4, shot["scene"]


def test_fades_pass_through_black_and_dissolves_do_not(pictures, truth):
    for shot in truth["shots"]:
        change = shot["transition"]
        if change["kind"] in ("dissolve", "fade"):
            middle = pictures[(change["first_frame"] + change["end_frame"]) // 2].mean()
            ends = [pictures[change["first_frame"] - 1], pictures[change["end_frame"]]]
            darkest = min(end.mean() for end in ends)
            assert (middle < 0.35 * darkest) == (change["kind"] == "fade"), shot["scene"]


def test_every_shot_moves(pictures, truth):
    for shot in truth["shots"]:
        first = max(shot["first_frame"], shot["transition"]["end_frame"])
        later = first + 8
        moved = np.abs(pictures[later].astype(int) - pictures[first].astype(int)).mean()
        assert moved > 0.5, shot["scene"]


def test_painting_twice_gives_the_same_frames():
    def digest():
        stream = frames(edit(pace=0.2), SMALL)
        return [hashlib.sha256(next(stream).tobytes()).hexdigest() for _ in range(30)]

    assert digest() == digest()


@given(st.floats(0.2, 2.0))
def test_narration_is_said_inside_its_story_one_line_at_a_time(pace):
    cut = edit(pace=pace)
    stories = list(cut.stories)
    cues = narrate(cut)
    for cue in cues:
        story = stories[cue.chapter]
        assert story.start / FPS < cue.span.start < cue.span.end < story.stop / FPS
    assert all(a.span.end <= b.span.start + 1e-9 for a, b in pairwise(cues))


def test_the_narrator_speaks_at_a_human_pace():
    cues = narrate(edit())
    words = sum(len(cue.text.split()) for cue in cues)
    assert 1.8 < words / sum(cue.span.length for cue in cues) < 2.9


def test_each_story_sounds_unlike_the_others():
    def spectrum(place):
        power = np.abs(np.fft.rfft(soundscape(place, 4.0))) ** 2
        bands = np.geomspace(4, len(power), 13).astype(int)
        share = np.array([power[a:b].sum() for a, b in pairwise(bands)])
        return np.log(share / share.sum() + 1e-6)

    heard = {place: spectrum(place) for place in SOUNDS}
    for place, sound in heard.items():
        for other, rival in heard.items():
            assert place == other or np.abs(sound - rival).mean() > 0.5, (place, other)


def test_the_sound_lasts_as_long_as_the_picture(film, truth):
    with av.open(str(film.video)) as container:
        samples = sum(frame.samples for frame in container.decode(audio=0))
    assert abs(samples / RATE - truth["frame_count"] / FPS) < 0.1


def test_a_folder_that_cannot_be_written_is_named_in_one_line(tmp_path):
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(MediaError, match=r"could not be written to .*taken"):
        make_demo(tmp_path / "taken", scale=0.1, pace=0.2)


def test_an_interrupted_film_leaves_no_file_behind(tmp_path):
    def stop(step):
        if step.done == 10:
            raise OSError(28, "No space left on device")

    with pytest.raises(MediaError, match="No space left"):
        make_demo(tmp_path, scale=0.1, pace=0.2, report=stop)
    assert list(tmp_path.iterdir()) == []


def test_the_stories_found_tile_the_film_and_are_compared_with_the_truth(facts):
    edges = [0.0, *(story["end"] for story in facts["stories"])]
    assert [story["start"] for story in facts["stories"]] == pytest.approx(edges[:-1])
    assert [story["title"] for story in facts["true_stories"]] == [c.title for c in SCRIPT]
    assert edges[-1] == pytest.approx(facts["true_stories"][-1]["end"], abs=0.05)
    assert 0 < facts["mean_iou"] <= 1


def test_a_contact_sheet_and_a_page_are_written(facts):
    with Image.open(facts["contact_sheet"]) as sheet:
        sheet.verify()
    with open(facts["report"], encoding="utf-8") as page:
        text = page.read()
    assert all(chapter.title in text for chapter in SCRIPT)
    assert f"{facts['mean_iou']:.3f}" in text


def test_the_demo_prints_table_timeline_search_and_next_steps(run, folder, facts):
    result = run("--folder", folder, "--search", "volcano")
    assert "mean IoU with the truth" in result.stdout
    assert "truth  |" in result.stdout
    assert "The coral reef" in result.stdout
    assert "search “volcano”" in result.stdout
    assert f"storyscope serve --library {folder / 'library'}" in result.stderr


def test_the_film_can_be_made_without_a_library(run, folder):
    files = json.loads(run("--folder", folder, "--film-only", "--json").stdout)
    assert files == {
        "film": str(folder / "demo.mp4"),
        "transcript": str(folder / "demo.srt"),
        "truth": str(folder / "demo.truth.json"),
        "segmentation": str(folder / "demo.stories.json"),
    }


def test_half_a_demo_is_no_demo(tmp_path, folder):
    assert find_demo(tmp_path) is None
    (tmp_path / "demo.mp4").write_bytes((folder / "demo.mp4").read_bytes())
    assert find_demo(tmp_path) is None
    assert find_demo(folder) is not None


def test_stories_are_drawn_across_the_terminal(folder, facts):
    words = ["stories", facts["video"]["id"], "--library", str(folder / "library")]
    drawn = CliRunner().invoke(build_app(), [*words, "--timeline"]).stdout.splitlines()
    plain = CliRunner().invoke(build_app(), words).stdout.splitlines()
    blocks = [line for line in drawn if line.startswith("|")]
    assert len(blocks) == 1
    assert not any(line.startswith("|") for line in plain)
