"""The page in a real browser, over a small film: watching, searching, editing."""

import re
from itertools import pairwise

import pytest
from playwright.sync_api import expect

from browsing import PATIENCE, barriers, dial, save, sign_in, starts, until, wait_for_stories
from movie import story_seconds

expect.set_options(timeout=PATIENCE)
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


@pytest.fixture
def unmarked(library):
    """The library; all versions of the film are removed after the test."""
    yield library
    for name in list(library.annotations("film")):
        library.discard_annotation("film", name)


def shown_picture(page):
    until(page, "document.querySelector('.hit img')?.naturalWidth > 0")
    return page.locator(".hit img").first.get_attribute("src")


def test_watch_lists_the_stories_with_picture_title_time_and_keywords(open_page, library):
    page = open_page("/watch/film")
    wait_for_stories(page, 3)
    until(page, "[...document.querySelectorAll('.stories img')].every(i => i.naturalWidth > 0)")
    for story, row in zip(library.stories("film"), page.locator(".story").all(), strict=True):
        assert story.title in row.inner_text()
        assert "–" in row.inner_text()
    page.locator(".story").nth(2).get_by_role("button").click()
    expect(page.locator(".story.now")).to_contain_text(library.stories("film")[2].title)
    until(page, "document.querySelector('.stage video').currentTime > 9.9")


def test_the_picture_changes_with_the_query(open_page):
    page = open_page("/")
    page.get_by_label("Search stories").fill("camel in the desert")
    page.wait_for_url(re.compile("q=camel"))
    camel = shown_picture(page)
    page.get_by_label("Search stories").fill("owl in the forest")
    until(page, "document.querySelector('h1')?.textContent.includes('owl')")
    assert shown_picture(page) != camel


def test_no_results_are_said_plainly(open_page):
    page = open_page("/search?q=interest+rates")
    expect(page.locator(".empty")).to_contain_text("No results for “interest rates”")
    assert page.get_by_label("Search stories").input_value() == "interest rates"


def test_a_result_opens_and_previews_at_the_moment_it_was_found_for(open_page):
    page = open_page("/search?q=dunes")
    hit = page.locator(".hit-link").first
    hit.hover()
    until(page, "document.querySelector('.hit video.on')?.currentTime >= 5")
    page.mouse.move(2, 2)
    expect(page.locator(".hit video")).to_have_count(0)
    hit.click()
    page.wait_for_url(re.compile(r"/watch/film\?q=dunes&t=5"))
    until(page, "document.querySelector('.stage video')?.currentTime >= 5")
    assert page.get_by_label("Search stories").input_value() == "dunes"
    expect(page.locator(".marks i")).to_have_count(1)
    page.get_by_role("tab", name="Transcript").click()
    expect(page.locator(".say mark")).to_have_text("dunes")


def test_a_film_opens_on_the_picture_of_its_story(open_page):
    page = open_page("/watch/film")
    until(page, "document.querySelector('.poster')?.naturalWidth > 0")
    first = page.locator(".story img").first.get_attribute("src")
    assert page.locator(".poster").get_attribute("src") == first
    # The film itself shows that frame, sharper; it still plays from its beginning.
    until(page, "document.querySelector('.stage.live.paused')")
    shown = page.evaluate("document.querySelector('.stage video').currentTime")
    assert float(first.rpartition("at=")[2]) == pytest.approx(shown, abs=0.01)
    assert page.locator(".clock").inner_text().startswith("0:00 /")
    page.locator(".stage video").evaluate(
        "video => video.onseeked = () => { window.from ??= video.currentTime }"
    )
    page.locator("main").press("k")
    until(page, "window.from !== undefined")
    assert page.evaluate("window.from") < shown


def test_a_dragged_boundary_is_saved_and_there_again_after_a_reload(open_page, unmarked):
    page = open_page("/watch/film?edit=1")
    wait_for_stories(page, 3)
    before = starts(page)
    grip = page.get_by_role("slider", name="Start of story 2").bounding_box()
    shot = page.locator(".timeline-inner").bounding_box()["width"] / 9
    middle = grip["x"] + grip["width"] / 2, grip["y"] + grip["height"] / 2
    page.mouse.move(*middle)
    page.mouse.down()
    page.mouse.move(middle[0] + 0.9 * shot, middle[1], steps=4)
    page.mouse.up()
    moved = starts(page)
    assert moved[1] == pytest.approx(before[1] + 1 / 9, abs=0.01)
    page.get_by_role("button", name="Save version").click()
    page.get_by_role("textbox", name="Your name").fill("cat")
    page.get_by_role("button", name="Continue").click()
    expect(page.locator(".heading")).to_contain_text("Your version (cat)")
    assert "annotator=cat" in page.url
    page.reload()
    wait_for_stories(page, 3)
    assert starts(page) == pytest.approx(moved, abs=1e-4)
    assert page.locator(".person").inner_text() == "cat"
    automatic = [story.span.start for story in unmarked.stories("film")]
    assert automatic[1] == pytest.approx(story_seconds(), abs=0.1)


def test_title_and_picture_of_a_person_are_shown_again(open_page, unmarked):
    page = open_page("/watch/film?edit=1")
    title = page.get_by_label("Title of story 1")
    title.fill("Under the waves")
    title.press("Enter")
    page.locator(".star").nth(1).click()
    save(page)
    page.reload()
    expect(title).to_have_value("Under the waves")
    expect(page.locator(".star").nth(1)).to_have_attribute("aria-pressed", "true")
    assert unmarked.annotations("film")["cat"].thumbnails[0] is not None


def test_every_correction_can_be_undone_and_done_again(open_page):
    page = open_page("/watch/film?edit=1&t=7")
    wait_for_stories(page, 3)
    until(page, "document.querySelector('.stage video')?.currentTime > 6.9")
    first = starts(page)
    for key, count in (("s", 4), ("Backspace", 3), ("]", 3)):
        page.locator("main").press(key)
        wait_for_stories(page, count)
    # Its Undo button would now undo another step.
    expect(page.locator("#toast.on")).to_have_count(0)
    last = starts(page)
    for count in (3, 4, 3):
        page.locator("main").press("Control+z")
        wait_for_stories(page, count)
    assert starts(page) == first
    assert page.get_by_role("toolbar").get_by_role("button", name="Undo").is_disabled()
    for _ in range(3):
        page.locator("main").press("Control+Shift+Z")
    assert starts(page) == last


def test_nothing_destructive_happens_on_a_bare_key_while_watching(open_page):
    page = open_page("/watch/film?t=7")
    wait_for_stories(page, 3)
    for key in ("s", "Backspace", "Delete", "]"):
        page.locator("main").press(key)
    wait_for_stories(page, 3)
    assert page.evaluate("localStorage.getItem('draft:film')") is None


def test_the_keyboard_alone_finds_a_story_and_corrects_it(open_page, unmarked):
    page = open_page("/")
    page.wait_for_selector(".card")
    page.keyboard.press("/")
    page.keyboard.type("camel")
    page.keyboard.press("Enter")
    until(page, "document.querySelector('h1')?.textContent === '“camel”'")
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('.hit-link')"):
            break
    page.keyboard.press("Enter")
    wait_for_stories(page, 3)
    page.keyboard.press("e")
    before = starts(page)
    for _ in range(30):
        page.keyboard.press("Tab")
        label = page.evaluate("document.activeElement.getAttribute('aria-label')") or ""
        if label.startswith("Start of story"):
            break
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert starts(page)[1] > before[1]
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Start of story 2"
    page.keyboard.press("Delete")
    wait_for_stories(page, 2)
    page.keyboard.press("Control+z")
    wait_for_stories(page, 3)
    page.keyboard.press("t")
    page.keyboard.type("Named by hand")
    page.keyboard.press("Control+s")
    page.keyboard.type("cat")
    page.keyboard.press("Enter")
    expect(page.locator(".heading")).to_contain_text("Your version (cat)")
    assert "Named by hand" in unmarked.annotations("film")["cat"].titles


def pressed(page, *keys):
    """The focused element after Tab at the top of the page and then these keys."""
    page.locator("a.skip").focus()
    for key in keys:
        page.keyboard.press(key)
    return page.evaluate(
        "document.activeElement.getAttribute('aria-label') || document.activeElement.innerText"
    )


def test_every_tool_of_edit_is_a_few_keys_away(open_page):
    page = open_page("/watch/film?edit=1&t=7")
    wait_for_stories(page, 3)
    until(page, "document.querySelector('.stage video')?.currentTime > 6.9")
    page.locator("main").press("s")
    wait_for_stories(page, 4)
    to_tools = ("Enter", "Tab", "Tab", "Enter")
    assert pressed(page, *to_tools) == "Split"
    assert pressed(page, *to_tools, "ArrowRight") == "Join"
    assert pressed(page, *to_tools, "End", "ArrowLeft") == "Save version"
    assert pressed(page, *to_tools, "Tab", "Tab") == "Start of story 3"
    assert pressed(page, *to_tools, "Tab", "Tab", "PageUp") == "Start of story 2"
    to_stories = ("Enter", "Tab", "Enter")
    assert pressed(page, *to_stories).startswith("Stories")
    assert pressed(page, *to_stories, "Tab", "Tab", "Tab") == "Title of story 3"
    assert pressed(page, *to_stories, "Tab", "Tab", "Tab", "ArrowUp") == "Title of story 2"


def test_export_link_and_address_mean_what_is_on_screen(open_page, unmarked):
    page = open_page("/watch/film?edit=1&t=7")
    wait_for_stories(page, 3)
    until(page, "document.querySelector('.stage video')?.currentTime > 6.9")

    def exported():
        page.get_by_role("button", name="Export").click()
        page.get_by_role("radio", name=re.compile("^CSV")).check()
        until(page, "document.querySelector('dialog textarea').value.includes(',')")
        rows = page.get_by_label("Preview").input_value().strip().splitlines()[1:]
        page.keyboard.press("Escape")
        return len(rows)

    page.locator("main").press("s")
    wait_for_stories(page, 4)
    assert exported() == 4
    save(page)
    assert exported() == 4
    page.get_by_role("button", name="Done").click()
    page.get_by_label("Version", exact=True).select_option("")
    wait_for_stories(page, 3)
    assert exported() == 3
    dial(page, 1)
    until(page, "document.querySelectorAll('.stories .story').length > 4")
    many = page.locator(".stories .story").count()
    assert exported() == many
    assert "granularity=1" in page.url
    page.reload()
    wait_for_stories(page, many)
    assert "more stories" in page.locator(".heading").inner_text()


def test_edits_are_kept_as_a_draft_when_the_view_is_left(open_page, unmarked):
    page = open_page("/watch/film?edit=1&t=7")
    wait_for_stories(page, 3)
    until(page, "document.querySelector('.stage video')?.currentTime > 6.9")
    page.locator("main").press("s")
    wait_for_stories(page, 4)
    expect(page.locator(".heading")).to_contain_text("Unsaved draft")
    page.get_by_role("link", name="Storyscope, library").click()
    page.wait_for_selector(".card-link")
    assert "t=" not in page.url
    page.locator(".card-link").first.click()
    wait_for_stories(page, 3)
    page.get_by_role("button", name="Continue editing").click()
    wait_for_stories(page, 4)
    page.get_by_role("button", name="Discard draft").click()
    page.locator("dialog").get_by_role("button", name="Discard").click()
    wait_for_stories(page, 3)


def test_a_move_of_the_slider_is_one_undo_step_and_keeps_titles(open_page):
    page = open_page("/watch/film?edit=1")
    title = page.get_by_label("Title of story 1")
    title.fill("Under the waves")
    title.press("Enter")
    before = starts(page)
    dial(page, 1)
    until(page, "document.querySelectorAll('.blocks .block').length > 3")
    assert title.input_value() == "Under the waves"
    page.get_by_role("toolbar").get_by_role("button", name="Undo").click()
    wait_for_stories(page, 3)
    assert starts(page) == before
    assert page.get_by_label("Fewer or more stories").input_value() == "0.5"
    assert "granularity" not in page.url


def test_the_slider_redraws_before_the_server_has_answered(open_page, library):
    page = open_page("/watch/film")
    wait_for_stories(page, 3)
    held = []
    page.route("**/stories?granularity=**", lambda route: held.append(route))
    dial(page, 1)
    many = len(library.stories("film", granularity=1))
    assert page.locator(".stories .story").count() == many > 3
    assert f"{many} stories" in page.locator(".heading").inner_text()
    until(page, "true")
    page.wait_for_timeout(150)
    for route in held:
        route.continue_()
    expect(page.locator(".stories")).to_have_attribute("aria-busy", "false")
    titles = [story.title for story in library.stories("film", granularity=1)]
    assert page.locator(".story b").all_inner_texts() == titles
    assert "granularity=1" in page.url


def test_the_page_cuts_the_video_as_the_server_does(open_page, library):
    page = open_page("/watch/film")
    wait_for_stories(page, 3)
    levels = [step / 20 for step in range(21)]
    cut = page.evaluate(
        """async (levels) => {
            const main = document.querySelector("script[type=module]").src;
            const { startsAt } = await import(main.replace("main.js", "granularity.js"));
            const asked = ["path", "shots"].map(what => fetch(`/api/v1/videos/film/${what}`));
            const [path, { shots }] = await Promise.all(
                asked.map(answer => answer.then(each => each.json())));
            return levels.map(level => startsAt(path, shots, level));
        }""",
        levels,
    )
    for level, starts_there in zip(levels, cut, strict=True):
        stories = library.stories("film", granularity=level)
        assert starts_there == [story.span.start for story in stories]


def test_a_boundary_of_another_granularity_is_explained_and_not_called_somebody_s(open_page):
    page = open_page("/watch/film?granularity=1&t=3")
    until(page, "document.querySelectorAll('.stories .story').length > 3")
    expect(page.locator(".why summary")).to_contain_text("% sure")
    assert "by hand" not in page.locator(".about").inner_text()
    assert "Set by" not in page.locator(".about").inner_text()


def test_nobody_replaces_a_version_by_typing_its_name(open_page, unmarked):
    unmarked.annotate("film", unmarked.version("film", "bob").split(2.0))
    page = open_page("/watch/film?edit=1&t=7")
    wait_for_stories(page, 3)
    until(page, "document.querySelector('.stage video')?.currentTime > 6.9")
    page.locator("main").press("s")
    page.get_by_role("button", name="Save version").click()
    for wrong in ("machine", "consensus", ".."):
        page.get_by_role("textbox", name="Your name").fill(wrong)
        page.get_by_role("button", name="Continue").click()
        expect(page.locator("dialog [role=alert]")).not_to_be_empty()
    page.get_by_role("textbox", name="Your name").fill("bob")
    page.get_by_role("button", name="Continue").click()
    expect(page.locator("dialog")).to_contain_text("There is already a version by bob")
    page.get_by_role("button", name="Use another name").click()
    page.get_by_role("textbox", name="Your name").fill("cat")
    page.get_by_role("button", name="Continue").click()
    expect(page.locator(".heading")).to_contain_text("Your version (cat)")
    assert unmarked.annotations("film")["bob"].starts[1] == 2.0


def test_a_version_can_be_deleted_after_a_question(open_page, unmarked):
    unmarked.annotate("film", unmarked.version("film", "bob").split(2.0))
    page = open_page("/watch/film?annotator=bob")
    wait_for_stories(page, 4)
    page.get_by_role("button", name="Delete this version").click()
    page.locator("dialog").get_by_role("button", name="Delete").click()
    wait_for_stories(page, 3)
    assert unmarked.annotations("film") == {}


def test_space_plays_after_a_click_on_the_bar_and_scrubbing_goes_on_outside_it(open_page):
    page = open_page("/watch/film")
    until(page, "document.querySelector('.stage video')?.readyState > 1")
    bar = page.locator(".seek").bounding_box()
    page.mouse.move(bar["x"] + 0.5 * bar["width"], bar["y"] + 8)
    page.mouse.down()
    page.mouse.move(bar["x"] + 0.9 * bar["width"], bar["y"] + 250, steps=4)
    until(page, "document.querySelector('.stage video').currentTime > 12")
    expect(page.locator(".preview.on .frame")).to_have_css(
        "background-image", re.compile(r"sprites.jpg|picture")
    )
    page.mouse.move(bar["x"] + 0.2 * bar["width"], bar["y"] + 250, steps=4)
    page.mouse.up()
    until(page, "document.querySelector('.stage video').currentTime < 5")
    page.keyboard.press("Space")
    until(page, "!document.querySelector('.stage video').paused")
    page.keyboard.press("k")
    until(page, "document.querySelector('.stage video').paused")
    assert page.evaluate("document.querySelector('.stage video').currentTime") < 9


def test_a_finger_that_scrolls_over_a_boundary_moves_nothing(open_page):
    page = open_page(
        "/watch/film?edit=1",
        viewport={"width": 390, "height": 800},
        has_touch=True,
        is_mobile=True,
    )
    wait_for_stories(page, 3)
    before = starts(page)
    grip = page.get_by_role("slider", name="Start of story 2")
    assert grip.evaluate("g => getComputedStyle(g).touchAction") == "pan-y"
    grip.evaluate(
        """g => {
            const box = g.getBoundingClientRect();
            const at = { pointerId: 7, pointerType: "touch", bubbles: true, isPrimary: true,
                clientX: box.left + 20, clientY: box.top + 20 };
            g.setPointerCapture = () => {};
            g.dispatchEvent(new PointerEvent("pointerdown", at));
            g.dispatchEvent(new PointerEvent("pointermove",
                { ...at, clientX: at.clientX + 70, clientY: at.clientY - 90 }));
            g.dispatchEvent(new PointerEvent("pointercancel", at));
            g.dispatchEvent(new PointerEvent("lostpointercapture", at));
        }"""
    )
    assert starts(page) == before
    assert page.evaluate("localStorage.getItem('draft:film')") is None


def test_boundaries_are_far_enough_apart_for_touch(open_page):
    page = open_page("/watch/film?granularity=1&edit=1", **PHONE)
    until(page, "document.querySelectorAll('.grip').length > 6")
    lefts = page.locator(".grip").evaluate_all("all => all.map(g => g.getBoundingClientRect().x)")
    assert min(right - left for left, right in pairwise(lefts)) > 30
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_a_late_response_does_not_overwrite_the_next_view(open_page):
    page = open_page("/")
    page.wait_for_selector(".card-link")
    held = []
    page.route("**/api/v1/search?**", lambda route: held.append(route))
    page.get_by_label("Search stories").fill("camel")
    page.wait_for_url(re.compile("q=camel"))
    until(page, "true")
    page.go_back()
    page.wait_for_selector(".card-link")
    assert page.get_by_label("Search stories").input_value() == ""
    for route in held:
        route.continue_()
    page.wait_for_timeout(700)
    assert page.locator("h1").inner_text() == "Library"


VIEWS = ["/", "/search?q=camel", "/search?q=interest+rates", "/watch/film", "/learn"]


@pytest.mark.parametrize("path", [*VIEWS, "/watch/film?edit=1", "/watch/film?compare=1"])
def test_a_phone_never_scrolls_sideways_and_every_target_is_large(open_page, path):
    page = open_page(path, **PHONE)
    page.wait_for_selector(".card-link, .empty, .story, .panel")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    small = page.evaluate(
        """() => [...document.querySelectorAll("main button, main select, header button, main a")]
            .filter(e => e.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
            .filter(e => e.getBoundingClientRect().height < 43.5)
            .map(e => e.getAttribute("aria-label") || e.textContent)"""
    )
    assert small == []


def test_the_player_stays_in_sight_on_a_phone(open_page):
    page = open_page("/watch/film", **PHONE)
    wait_for_stories(page, 3)
    page.evaluate("scrollTo(0, 400)")
    assert 0 <= page.locator(".stage").bounding_box()["y"] < 200


def test_the_theme_follows_the_system_until_it_is_chosen(open_page):
    def lightness(page):
        page.wait_for_selector(".card-link")
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(map(int, re.findall(r"\d+", colour)[:3])) / 765

    assert lightness(open_page("/", color_scheme="light")) > 0.9
    page = open_page("/", color_scheme="dark")
    assert lightness(page) < 0.2
    page.get_by_role("button", name="Theme: system").click()
    assert lightness(page) > 0.9
    page.reload()
    assert lightness(page) > 0.9


@pytest.mark.parametrize("path", [*VIEWS, "/watch/film?edit=1", "/watch/film?compare=1"])
def test_everyone_can_use_it(open_page, unmarked, path):
    unmarked.annotate("film", unmarked.version("film", "ann").split(2.0))
    page = open_page(path)
    page.wait_for_selector(".card-link, .empty, .story, .panel")
    if "compare" in path:
        page.wait_for_selector(".version-row")
    assert barriers(page) == []


def test_drafts_and_names_stay_in_this_browser(open_page, unmarked):
    page = open_page("/watch/film")
    sign_in(page, "dora")
    page.reload()
    assert page.locator(".person").inner_text() == "dora"
