"""`storyscope shots` prints, exports and shows shots."""

import csv
import json
from itertools import pairwise

import pytest
from PIL import Image
from typer.testing import CliRunner

from storyscope.cli.main import build_app
from storyscope.cli.pictures import picture_codes, terminal_protocol
from storyscope.errors import FormatError, MediaError

run = CliRunner().invoke


@pytest.fixture(scope="module")
def app():
    return build_app()


def test_json_tiles_the_film_and_is_alone_on_standard_output(app, film):
    done = run(app, ["shots", str(film), "--json"])
    shots = json.loads(done.stdout)["shots"]
    assert shots[0]["first_frame"] == 0
    assert shots[0]["transition"] == {"kind": "start", "first_frame": 0, "end_frame": 0}
    for shot in shots:
        assert 0 < shot["confidence"] <= 1
        least = 0.6 if shot["transition"]["kind"] == "cut" else 0.98
        assert shot["uncertain"] == (shot["confidence"] < least)
    for before, after in pairwise(shots):
        assert before["end_frame"] == after["first_frame"]
        assert before["end"] == after["start"]
    assert shots[-1]["end_frame"] == 180


def test_the_cuts_between_stories_are_found(app, film):
    shots = json.loads(run(app, ["shots", str(film), "--json"]).stdout)["shots"]
    assert {60, 120} <= {shot["first_frame"] for shot in shots}


def test_table_and_strip_hold_every_shot(app, film, tmp_path):
    table, strip = tmp_path / "shots.csv", tmp_path / "shots.png"
    done = run(app, ["shots", str(film), "--csv", str(table), "--strip", str(strip)])
    assert done.exit_code == 0
    rows = list(csv.DictReader(table.open(encoding="utf-8")))
    assert len(rows) == done.stdout.strip().count("\n")
    assert rows[0]["transition"] == "start"
    assert rows[0]["uncertain"] == "False"
    with Image.open(strip) as picture:
        assert picture.width == 160 * min(8, len(rows))


@pytest.mark.parametrize("option", ["--csv", "--strip"])
def test_a_missing_folder_is_refused_before_the_film_is_read(
    app, film, tmp_path, monkeypatch, option
):
    monkeypatch.setattr("storyscope.media.scan", lambda *_, **__: pytest.fail("read the film"))
    done = run(app, ["shots", str(film), option, str(tmp_path / "nowhere" / "shots")])
    assert isinstance(done.exception, FormatError)
    assert "nowhere" in str(done.exception)


def test_a_film_that_does_not_exist_is_refused_by_its_path(app, tmp_path):
    done = run(app, ["shots", str(tmp_path / "gone.mp4")])
    assert isinstance(done.exception, MediaError)
    assert "gone.mp4 does not exist" in str(done.exception)


def test_shots_of_a_video_in_the_library_are_the_kept_ones(app, film, library):
    kept = run(app, ["shots", "film", "--library", str(library.folder), "--json"])
    assert json.loads(kept.stdout) == json.loads(run(app, ["shots", str(film), "--json"]).stdout)


def test_where_the_terminal_shows_no_pictures_a_file_is_written(app, film, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(app, ["shots", str(film), "--show"]).exit_code == 0
    assert (tmp_path / f"{film.stem}-shots.png").exists()


@pytest.mark.parametrize(
    ("environment", "protocol"),
    [
        ({"TERM": "xterm-kitty"}, "kitty"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, "iterm"),
        ({"TERM": "foot"}, "sixel"),
        ({"TERM": "xterm-256color"}, None),
        ({}, None),
    ],
)
def test_terminals_are_known_by_their_names(environment, protocol):
    assert terminal_protocol(environment) == protocol


def test_a_sixel_picture_holds_every_pixel():
    picture = Image.new("RGB", (3, 8), "red")
    codes = picture_codes(picture, "sixel")
    assert codes.startswith('\033Pq"1;1;3;8')
    assert "#0~~~$-" in codes  # six rows of three pixels, all of one colour
    assert "#0BBB$-" in codes  # the two rows that are left
    assert codes.endswith("\033\\\n")


@pytest.mark.parametrize("protocol", ["kitty", "iterm"])
def test_a_png_travels_between_its_marks(protocol):
    codes = picture_codes(Image.effect_noise((200, 200), 90).convert("RGB"), protocol)
    assert codes.startswith("\033_Ga=T" if protocol == "kitty" else "\033]1337;File=inline=1")
    assert codes.count("m=0") == (1 if protocol == "kitty" else 0)
