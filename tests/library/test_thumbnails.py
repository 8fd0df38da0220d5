"""A person's choice of frame is kept, trains the ranker, and is written as pictures."""

import json
import re
import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from PIL import Image
from typer.testing import CliRunner

from storyscope import Library
from storyscope.cli.main import build_app
from storyscope.config import MediaConfig
from storyscope.errors import LibraryError
from storyscope.library import thumbnails as thumbnailing
from storyscope.library.pictures import SMALL_HEIGHT, stills
from storyscope.library.thumbnails import (
    CHOICES,
    forget_choices,
)
from storyscope.stages.rankers import ranker_of
from storyscope.store import PASSAGES, RATINGS, SqliteStore


@pytest.fixture(scope="module")
def library(indexed, tmp_path_factory):
    return Library(shutil.copytree(indexed, tmp_path_factory.mktemp("library") / "copy"))


def test_every_story_is_written_at_two_sizes_with_sprites(library):
    shown = library.write_thumbnails("film")
    assert len(shown) == len(library.stories("film"))
    film = library.video("film")
    for _, (large, small) in shown:
        with Image.open(large) as big, Image.open(small) as little:
            assert little.height == SMALL_HEIGHT
            assert big.size == (film.width, film.height)
    folder = library.folder / "pictures" / "film"
    cues = re.findall(r"#xywh=(\d+),(\d+),(\d+),(\d+)", (folder / "sprites.vtt").read_text())
    assert len(cues) == len(library.shots("film"))
    with Image.open(folder / "sprites.jpg") as sheet:
        for x, y, width, height in (map(int, cue) for cue in cues):
            assert x + width <= sheet.width
            assert y + height <= sheet.height


def test_without_the_film_a_thumbnail_is_as_large_as_its_keyframe(library, tmp_path):
    (thumbnail, _), *_ = library.write_thumbnails("film")
    assert stills(str(tmp_path / "gone.mp4"), [thumbnail], MediaConfig()) == {}


def test_a_preferred_frame_is_used_and_trains_the_ranker(library):
    story = library.stories("film")[0]
    before = library.store.load("film", RATINGS)
    seconds = library.store.load("film", PASSAGES).seconds
    worst = min(
        (n for n, second in enumerate(seconds) if second in story.span),
        key=lambda n: before.beauty[n],
    )
    taken = library.prefer_thumbnail(story, float(seconds[worst]))
    assert library.thumbnail("film", story).seconds == taken == seconds[worst]
    assert library.thumbnail("film", story).parts == {"preferred": 1.0}
    after = library.store.load("film", RATINGS)
    others = [n for n, second in enumerate(seconds) if second in story.span and n != worst]
    lead = [r.beauty[worst] - r.beauty[others].mean() for r in (before, after)]
    assert lead[1] > lead[0]
    assert (library.folder / "ranker.json").exists()


def test_a_preferred_frame_is_used_everywhere_and_says_why(library):
    story = library.stories("film")[1]
    seconds = library.store.load("film", PASSAGES).seconds
    inside = [float(second) for second in seconds if second in story.span]
    (usual,) = (hit.thumbnail for hit in library.search("camels") if hit.story == story)
    assert usual.because.startswith("relevance")
    other = next(second for second in inside if second != usual.seconds)
    taken = library.prefer_thumbnail(story, other)
    answers = [*library.search("camels"), *library.more_like(library.stories("film")[0])]
    shown = [hit.thumbnail for hit in answers if hit.story == story]
    assert {thumbnail.seconds for thumbnail in shown} == {taken}
    assert {thumbnail.because for thumbnail in shown} == {"a person prefers it"}
    assert library.thumbnail("film", story).because == "a person prefers it"


def test_choices_made_at_once_are_all_kept(tmp_path):
    store = SqliteStore(tmp_path)

    def choose(video):
        with CHOICES.change(store) as choices:
            time.sleep(0.005)
            choices.append({"video": video, "start": 0.0, "end": 9.0, "seconds": 1.0})

    videos = [f"film-{number}" for number in range(12)]
    with ThreadPoolExecutor(6) as people:
        list(people.map(choose, videos))
    kept = json.loads((tmp_path / CHOICES.name).read_text())
    assert sorted(choice["video"] for choice in kept) == sorted(videos)
    forget_choices(store, "film-3")
    kept = json.loads((tmp_path / CHOICES.name).read_text())
    assert sorted(choice["video"] for choice in kept) == sorted({*videos} - {"film-3"})


def test_a_frame_chosen_in_ones_own_version_trains_the_ranker_too(film, tmp_path):
    library = Library(tmp_path)
    library.add(film)
    version = library.version("film", "ann")
    library.annotate("film", version)
    assert not (tmp_path / "ranker.json").exists()
    story = library.stories("film")[0]
    seconds = library.store.load("film", PASSAGES).seconds
    before = library.store.load("film", RATINGS).beauty
    inside = [n for n, second in enumerate(seconds) if second in story.span]
    worst = min(inside, key=lambda n: before[n])
    chosen = (float(seconds[worst]), *[None] * (len(version.starts) - 1))
    library.annotate("film", replace(version, thumbnails=chosen))
    after = library.store.load("film", RATINGS).beauty
    others = [n for n in inside if n != worst]
    assert after[worst] - after[others].mean() > before[worst] - before[others].mean()
    assert library.thumbnail("film", story).because != "a person prefers it"


@pytest.fixture
def trainable(film, tmp_path):
    """A library, and a function that chooses the least beautiful frame of a story."""
    library = Library(tmp_path)
    library.add(film)

    def choose_worst(number):
        story = library.stories("film")[number]
        seconds = library.store.load("film", PASSAGES).seconds
        beauty = library.store.load("film", RATINGS).beauty
        inside = [n for n, second in enumerate(seconds) if second in story.span]
        library.prefer_thumbnail(story, float(seconds[min(inside, key=lambda n: beauty[n])]))

    return library, choose_worst


def test_a_running_server_sees_a_new_ranker_at_once(trainable):
    library, choose_worst = trainable
    server = Library(library.folder)
    story = server.stories("film")[1]
    before = server.thumbnail("film", story).parts["beauty"]
    choose_worst(0)
    after = server.thumbnail("film", story).parts["beauty"]
    assert after == Library(library.folder).thumbnail("film", story).parts["beauty"]
    assert after != before


def test_updated_ratings_equal_those_of_indexing_again(trainable, film):
    library, choose_worst = trainable
    choose_worst(0)
    learned = library.store.load("film", RATINGS), library.store.key("film", RATINGS)
    made = []
    library.add(film, report=lambda step: made.append(step.stage) if step.done == 0 else None)
    assert made == []
    library.add(film, again=True)
    again = library.store.load("film", RATINGS), library.store.key("film", RATINGS)
    assert again[0].beauty.tolist() == learned[0].beauty.tolist()
    assert again[0].producer == learned[0].producer
    assert again[1] == learned[1]


def test_parallel_training_uses_all_choices(trainable, monkeypatch):
    library, choose_worst = trainable
    original, other = thumbnailing._examples, threading.Thread(target=choose_worst, args=(1,))

    def meanwhile(*given):
        found = original(*given)
        monkeypatch.setattr(thumbnailing, "_examples", original)
        other.start()
        other.join(1)
        return found

    monkeypatch.setattr(thumbnailing, "_examples", meanwhile)
    choose_worst(0)
    other.join()
    learned = ranker_of(library.store).digest
    thumbnailing.learn(library.store)
    assert ranker_of(library.store).digest == learned
    assert f"ranker {learned[:12]}" in library.store.load("film", RATINGS).producer


def test_a_video_that_is_being_indexed_is_left_alone(trainable, film):
    library, choose_worst = trainable
    before = library.store.key("film", RATINGS)
    with library.store.busy("film"):
        choose_worst(0)
    assert library.store.key("film", RATINGS) == before
    library.add(film)
    producer = library.store.load("film", RATINGS).producer
    assert f"ranker {ranker_of(library.store).digest[:12]}" in producer


def test_a_frame_of_another_story_cannot_be_the_thumbnail(library):
    with pytest.raises(LibraryError, match="choose a frame in it"):
        library.prefer_thumbnail(library.stories("film")[0], 999.0)


def test_the_command_line_shows_and_prefers(library):
    run = CliRunner().invoke
    folder = ["--library", str(library.folder), "--json"]
    app = build_app()
    done = run(app, ["thumbnails", "film", *folder])
    assert len(json.loads(done.stdout)["thumbnails"]) == len(library.stories("film"))
    second = library.stories("film")[1]
    done = run(app, ["thumbnails", "prefer", "film", "2", str(second.span.middle), *folder])
    assert json.loads(done.stdout)["seconds"] in second.span
