"""The page in a real browser, over a small film: what a person sees and does."""

import re

import pytest

from browsing import starts, until, wait_for_stories
from movie import story_seconds

pytestmark = pytest.mark.xdist_group("browser")


@pytest.fixture
def unmarked(library):
    """Nobody has marked the film, before or after."""
    yield library
    for name in list(library.annotations("film")):
        library.discard_annotation("film", name)


def shown_picture(page):
    until(page, "document.querySelector('.hit img')?.naturalWidth > 0")
    return page.locator(".hit img").first.get_attribute("src")


def test_the_picture_changes_with_the_query(open_page):
    page = open_page("/")
    page.get_by_label("Search stories").fill("camel in the desert")
    page.wait_for_url(re.compile("q=camel"))
    camel = shown_picture(page)
    page.get_by_label("Search stories").fill("owl in the forest")
    until(page, "document.querySelector('h1')?.textContent.includes('owl')")
    assert shown_picture(page) != camel
    page.go_back()
    page.wait_for_selector("text=Library")


def test_nothing_relevant_is_said_plainly(open_page):
    page = open_page("/search?q=interest+rates")
    assert "Nothing here answers" in page.locator(".empty").inner_text()
    assert page.get_by_label("Search stories").input_value() == "interest rates"


def test_a_found_story_plays_from_its_beginning(open_page):
    page = open_page("/search?q=camel")
    page.locator(".hit").first.click()
    page.wait_for_url(re.compile("/watch/film"))
    until(page, "document.querySelector('.stage video')?.currentTime > 4.9")
    page.locator("main").press("k")
    until(page, "document.querySelector('.stage video')?.currentTime > 5.2")
    assert "Story 2 of 3" in page.locator(".when").inner_text()
    assert page.locator(".strip [aria-current]").count() == 1


def test_a_dragged_boundary_is_there_again_after_a_reload(open_page, unmarked):
    page = open_page("/watch/film")
    wait_for_stories(page, 3)
    before = starts(page)
    grip = page.get_by_role("slider", name="Start of story 2").bounding_box()
    rail = page.locator(".rail .strip").bounding_box()
    shot = rail["width"] / 9
    middle = grip["x"] + grip["width"] / 2, grip["y"] + grip["height"] / 2
    page.mouse.move(*middle)
    page.mouse.down()
    page.mouse.move(middle[0] + 0.9 * shot, middle[1], steps=4)
    page.mouse.up()
    moved = starts(page)
    assert moved[1] == pytest.approx(before[1] + 1 / 9, abs=0.01)
    page.get_by_role("button", name="Save my version").click()
    page.wait_for_selector(".row >> text=me")
    page.reload()
    wait_for_stories(page, 3)
    assert starts(page) == pytest.approx(moved, abs=1e-4)
    machine = [story.span.start for story in unmarked.stories("film")]
    assert machine[1] == pytest.approx(story_seconds(), abs=0.1)


def test_title_and_picture_of_a_person_are_shown_again(open_page, unmarked):
    page = open_page("/watch/film")
    title = page.get_by_label("Title of this story")
    title.fill("Under the waves")
    title.press("Enter")
    page.locator(".star").nth(1).click()
    page.get_by_role("button", name="Save my version").click()
    page.wait_for_selector(".row >> text=me")
    page.reload()
    wait_for_stories(page, 3)
    assert title.input_value() == "Under the waves"
    assert page.locator(".star").nth(1).get_attribute("aria-pressed") == "true"
    assert unmarked.annotations("film")["me"].thumbnails[0] is not None


def test_every_correction_can_be_undone_and_done_again(open_page):
    page = open_page("/watch/film?t=7")
    wait_for_stories(page, 3)
    until(page, "document.querySelector('.stage video')?.currentTime > 6.9")
    first = starts(page)
    for key, count in (("s", 4), ("m", 3), ("]", 3)):
        page.locator("main").press(key)
        wait_for_stories(page, count)
    last = starts(page)
    for count in (3, 4, 3):
        page.locator("main").press("Control+z")
        wait_for_stories(page, count)
    assert starts(page) == first
    assert page.get_by_role("button", name="Undo").is_disabled()
    for _ in range(3):
        page.locator("main").press("Control+Shift+Z")
    assert starts(page) == last


def test_the_keyboard_alone_finds_a_story_and_corrects_it(open_page, unmarked):
    page = open_page("/")
    page.wait_for_selector(".card")
    page.keyboard.press("/")
    page.keyboard.type("camel")
    page.keyboard.press("Enter")
    until(page, "document.querySelector('h1')?.textContent === '“camel”'")
    page.keyboard.press("Tab")
    until(page, "document.activeElement.matches('.hit')")
    page.keyboard.press("Enter")
    wait_for_stories(page, 3)
    before = starts(page)
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('role') === 'slider'"):
            break
    page.keyboard.press("ArrowRight")
    assert starts(page)[1] > before[1]
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Start of story 2"
    page.keyboard.press("Delete")
    wait_for_stories(page, 2)
    page.keyboard.press("Control+z")
    wait_for_stories(page, 3)


@pytest.mark.parametrize(
    "path", ["/", "/search?q=camel", "/search?q=interest+rates", "/watch/film"]
)
def test_a_phone_never_scrolls_sideways(open_page, path):
    page = open_page(path, viewport={"width": 360, "height": 740})
    page.wait_for_selector(".card, .empty, .rail .strip button")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_dark_mode_is_dark(open_page):
    def lightness(scheme):
        page = open_page("/", color_scheme=scheme)
        page.wait_for_selector(".card")
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(map(int, re.findall(r"\d+", colour)[:3])) / 765

    assert lightness("light") > 0.9
    assert lightness("dark") < 0.2


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "path", ["/", "/search?q=camel", "/search?q=interest+rates", "/watch/film"]
)
def test_everyone_can_use_it(open_page, unmarked, path, scheme):
    from axe_playwright_python.sync_playwright import Axe

    unmarked.annotate("film", unmarked.version("film", "ann").split(2.0))
    page = open_page(path, color_scheme=scheme)
    page.wait_for_selector(".card, .empty, .row")
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
