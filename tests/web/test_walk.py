"""A walk through the page in a real browser: all that can be done there beside watching."""

import re
import shutil
import threading

import pytest
from playwright.sync_api import expect

from browsing import PATIENCE, starts, until, wait_for_stories
from films import make_film
from movie import FPS
from storyscope.library import training as styling
from storyscope.progress import Step
from storyscope.stories.fine_tuning import FineTuning
from storyscope.stories.model import default_model

pytestmark = pytest.mark.xdist_group("browser")
expect.set_options(timeout=PATIENCE)


@pytest.fixture
def marked(library):
    """Two people have marked the film."""
    library.annotate("film", library.version("film", "ann").split(2.0))
    library.annotate("film", library.version("film", "bob").merge(1))
    yield library
    for name in list(library.annotations("film")):
        library.discard_annotation("film", name)


def test_every_boundary_says_why_by_mouse_and_by_keyboard(open_page):
    page = open_page("/watch/film?t=6")
    expect(page.locator(".why")).to_contain_text("% sure")
    page.locator("main").press("w")
    expect(page.locator(".why .cues dt")).not_to_have_count(0)
    page.locator("main").press("w")
    expect(page.locator(".why .cues")).to_be_hidden()
    page.get_by_role("slider", name="Start of story 3").hover()
    expect(page.locator(".told-why.on")).to_contain_text("Why here, at 0:10?")
    page.mouse.move(5, 5)
    expect(page.locator(".told-why.on")).to_have_count(0)
    page.get_by_role("slider", name="Start of story 2").focus()
    expect(page.locator(".told-why.on")).to_contain_text("% sure")
    page.keyboard.press("ArrowRight")
    page.get_by_role("slider", name="Start of story 3").focus()
    page.get_by_role("slider", name="Start of story 2").focus()
    expect(page.locator(".told-why.on")).to_contain_text("Drawn by hand")


def test_a_film_that_the_browser_cannot_play_is_streamed_and_sought_in(
    open_page, library, tmp_path
):
    (record,) = library.videos()
    count = round(record.video.duration * FPS)
    old = make_film(tmp_path / "old.avi", frame_count=count, fps=FPS, codec="mpeg4")
    video = type(record.video)(**{**vars(record.video), "path": str(old)})
    changed = {"video": video, "size": old.stat().st_size}
    library.store.put_record(type(record)(**{**vars(record), **changed}))
    try:
        page = open_page("/watch/film")
        expect(page.locator(".note")).to_contain_text("mpeg4 in avi")
        until(page, "document.querySelector('.stage video')?.videoWidth > 0")
        page.locator("main").press("k")
        until(page, "document.querySelector('.stage video')?.currentTime > 0.1")
        strip = page.locator(".rail .strip").bounding_box()
        page.mouse.click(strip["x"] + 0.9 * strip["width"], strip["y"] + 10)
        expect(page.locator(".when")).to_contain_text("Story 3 of 3")
        until(page, "document.querySelector('.stage video')?.src.includes('start=13.')")
        until(page, "document.querySelector('.stage video')?.readyState > 1")
        old.write_bytes(b"gone")
        page.mouse.click(strip["x"] + 0.1 * strip["width"], strip["y"] + 10)
        expect(page.locator(".cover")).to_contain_text("cannot be played")
    finally:
        library.store.put_record(record)


def test_baselines_people_and_their_consensus_are_rows_with_their_agreement(open_page, marked):
    page = open_page("/watch/film")
    for name in ("machine", "ann", "bob", "consensus"):
        expect(page.locator(".row", has_text=name)).to_have_count(1)
    page.get_by_label("with baselines").check()
    expect(page.locator(".row", has_text="equal lengths")).to_have_count(1)
    expect(page.locator(".row", has_text="every shot")).to_have_count(1)
    page.reload()
    expect(page.locator(".row.baseline")).not_to_have_count(0)
    rows = page.locator(".row").count()
    expect(page.locator(".agreement tbody tr")).to_have_count(rows)
    page.get_by_role("link", name="bob").click()
    wait_for_stories(page, 2)


def lesson(after):
    return FineTuning(default_model(), {"film": 0.5}, {"film": after}, {"film": 0.3}, 0.25)


def test_learning_shows_its_score_and_is_used_only_when_asked(open_page, marked, monkeypatch):
    page = open_page("/watch/film")
    go_on = threading.Event()

    def slow(*_, report, **__):
        report(Step("train", 1, 4, note="without film"))
        go_on.wait(60)
        report(Step("train", 2, 4))
        return lesson(0.75)

    monkeypatch.setattr(styling, "learn_style", slow)
    panel = page.get_by_label("Learn from corrections")
    panel.get_by_label("everyone's").check()
    panel.get_by_role("button", name="Learn from my corrections").click()
    expect(panel).to_contain_text("without film")
    panel.get_by_role("button", name="Cancel").click()
    expect(panel).to_contain_text("nothing was changed")
    go_on.set()
    monkeypatch.setattr(styling, "learn_style", lambda *_, **__: lesson(0.4))
    panel.get_by_role("button", name="Learn again").click()
    expect(panel).to_contain_text("No better")
    for score in ("0.500", "0.400", "0.300"):
        expect(panel.locator(".scores")).to_contain_text(score)
    assert not marked.config.stories.model.endswith(styling.STYLE_FILE)
    panel.get_by_role("button", name="Use it anyway").click()
    expect(page.locator("#told")).to_contain_text("found anew")
    assert marked.config.stories.model.endswith(styling.STYLE_FILE)


def test_a_preferred_picture_is_there_again(open_page, library):
    page = open_page("/watch/film")
    page.locator(".star").nth(2).click()
    expect(page.locator("#told")).to_contain_text("stands for the story")
    page.reload()
    expect(page.locator(".star").nth(2)).to_have_attribute("aria-pressed", "true")


def test_an_upload_is_followed_stopped_and_resumed(open_page, library, film, tmp_path):
    page = open_page("/")
    page.wait_for_selector(".card")
    junk = tmp_path / "junk.mp4"
    junk.write_text("not a film")
    page.locator("#file").set_input_files(junk)
    expect(page.get_by_label("Being sent")).to_contain_text("is not a video")
    page.get_by_role("button", name="Dismiss").click()
    second = tmp_path / "second.mp4"
    shutil.copy(film, second)
    page.locator("#file").set_input_files(second)
    jobs = page.get_by_label("On their way in")
    jobs.get_by_role("button", name="Cancel").click()
    expect(jobs).to_contain_text("cancelled")
    jobs.get_by_role("button", name="Resume").click()
    expect(page.locator("a.card")).to_have_count(2)
    expect(jobs.locator(".job")).to_have_count(0)
    library.remove("second")


def test_the_transcript_is_searched_and_follows(open_page):
    page = open_page("/watch/film")
    page.get_by_label("Find in transcript").fill("dunes")
    expect(page.locator(".say mark")).to_have_text("dunes")
    page.get_by_label("Find in transcript").fill("")
    page.locator(".say", has_text="owl sleeps").click()
    expect(page.locator(".say.now")).to_contain_text("owl sleeps")
    expect(page.locator(".when")).to_contain_text("Story 3 of 3")


def test_one_turn_of_the_dial_is_one_step_and_stays_in_the_address(open_page):
    page = open_page("/watch/film")
    wait_for_stories(page, 3)
    before = starts(page)
    dial = page.get_by_label("Granularity")
    for value in ("0.8", "1"):
        dial.evaluate(f"d => {{ d.value = {value}; d.dispatchEvent(new Event('input')); }}")
    until(page, "document.querySelectorAll('.rail .strip button').length > 3")
    page.wait_for_url(re.compile("granularity=1"))
    many = len(starts(page))
    page.reload()
    wait_for_stories(page, many)
    page = open_page("/watch/film")
    wait_for_stories(page, 3)
    page.get_by_label("Granularity").evaluate(
        "d => { d.value = 1; d.dispatchEvent(new Event('input')); }"
    )
    wait_for_stories(page, many)
    page.get_by_role("button", name="Undo").click()
    assert starts(page) == before


def test_the_export_menu_holds_every_format_and_tells_a_refusal(open_page):
    page = open_page("/watch/film")
    menu = page.get_by_label("Export as")
    until(page, "document.querySelectorAll('[aria-label=\"Export as\"] option').length > 20")
    with page.expect_download() as taken:
        menu.select_option("csv")
    assert taken.value.suggested_filename == "film.csv"
    menu.select_option("youtube")
    expect(page.locator("#told")).to_contain_text("YouTube wants")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everyone_can_use_what_opens(open_page, marked, scheme):
    from axe_playwright_python.sync_playwright import Axe

    page = open_page("/watch/film?t=6&baselines=1", color_scheme=scheme)
    expect(page.locator(".why")).to_contain_text("% sure")
    expect(page.locator(".row.baseline")).not_to_have_count(0)
    page.locator("main").press("w")
    page.get_by_role("slider", name="Start of story 2").focus()
    expect(page.locator(".told-why.on")).to_contain_text("% sure")
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def test_a_found_story_plays_while_the_pointer_rests_on_it(open_page):
    page = open_page("/search?q=camel")
    page.locator(".hit").first.hover()
    until(page, "document.querySelector('.hit video.on')?.currentTime > 4.9")
    page.mouse.move(5, 5)
    expect(page.locator(".hit video")).to_have_count(0)


def test_scrubbing_shows_small_pictures_of_the_film(open_page):
    page = open_page("/watch/film")
    wait_for_stories(page, 3)
    strip = page.locator(".rail .strip").bounding_box()
    for part in (0.3, 0.5, 0.7):
        page.mouse.move(strip["x"] + part * strip["width"], strip["y"] + 10)
    frame = page.locator(".peek.on .frame")
    expect(frame).to_have_css("background-image", re.compile("sprites.jpg|picture"))
    page.mouse.down()
    page.mouse.up()
    expect(page.locator(".when")).to_contain_text("Story 3 of 3")
