"""The page besides watching and editing: adding videos and subtitles, browsing results."""

import re
import shutil
from functools import partial

from PIL import Image
from playwright.sync_api import expect

import storyscope_demo
from browsing import PATIENCE, until, wait_for_stories
from serving import served
from storyscope import Library
from storyscope.web import create_app

expect.set_options(timeout=PATIENCE)
IN_PROGRESS = "In progress"


def test_the_playback_position_is_shown_and_resumed(open_page):
    page = open_page("/watch/film")
    wait_for_stories(page, 3)
    page.locator(".seek").click(position={"x": 1, "y": 8})
    page.locator("main").press("5")
    until(page, "document.querySelector('.stage video').currentTime > 7.4")
    until(page, "localStorage.getItem('at:film') !== null")
    page.get_by_role("link", name="Storyscope, library").click()
    assert "t=" not in page.url
    expect(page.locator(".watched")).to_have_attribute("title", re.compile("Watched to 0:0[78]"))
    page.locator(".card-link").first.click()
    until(page, "document.querySelector('.stage video')?.currentTime > 6.9")


def test_moving_the_pointer_over_a_card_scrubs_the_video(open_page):
    page = open_page("/")
    shot = page.locator(".card .shot").first
    box = shot.bounding_box()
    places = []
    for part in (0.1, 0.9):
        page.mouse.move(box["x"] + part * box["width"], box["y"] + 0.5 * box["height"])
        expect(page.locator(".scrub")).to_have_css("background-image", re.compile("sprites.jpg"))
        places.append(page.locator(".scrub").evaluate("s => s.style.cssText"))
    assert places[0] != places[1]
    page.mouse.move(2, 2)
    expect(page.locator(".scrub")).to_have_count(0)


def told_jobs(page):
    """The jobs that the server reports."""
    facts = page.evaluate("fetch('/api/v1/jobs').then(answer => answer.json())")
    return [(job["name"], job["state"]) for job in facts["jobs"]]


def test_a_video_of_a_media_folder_is_added(open_page, film, index_process):
    other = film.with_name("other.mp4")
    shutil.copy(film, other)
    try:
        page = open_page("/")
        page.get_by_role("button", name="Add from folder").click()
        page.locator("dialog").get_by_role("button", name=film.parent.name).click()
        page.locator("dialog label", has_text="other.mp4").click()
        page.get_by_role("button", name="Add 1 video").click()
        jobs = page.get_by_label(IN_PROGRESS)
        expect(jobs.locator(".job.indexing")).to_contain_text("other.mp4")
        expect(page.locator("dialog")).to_have_count(0)
        assert told_jobs(page) == [("other.mp4", "indexing")]
        jobs.get_by_role("button", name="Cancel").click()
        expect(jobs).to_contain_text("Cancelled")
        page.reload()
        expect(jobs).to_contain_text("Cancelled")
        assert told_jobs(page) == [("other.mp4", "cancelled")]
        jobs.get_by_role("button", name="Dismiss other.mp4").click()
        expect(jobs.locator(".job")).to_have_count(0)
        assert told_jobs(page) == []
    finally:
        other.unlink()


def stories(count):
    return "1 story" if count == 1 else f"{count} stories"


def without_words(page):
    """Open the transcript of the film while the server pretends to have none."""
    page.wait_for_selector(".card-link")
    nothing = {"language": "und", "source": "", "words": []}
    page.route(
        "**/videos/film/transcript",
        lambda route: (
            route.continue_() if route.request.method == "PUT" else route.fulfill(json=nothing)
        ),
    )
    page.locator(".card-link").first.click()
    page.get_by_role("tab", name="Transcript").click()
    return page


def test_a_video_without_words_takes_subtitles_or_is_transcribed(open_page, film, index_process):
    page = without_words(open_page("/"))
    panel = page.locator(".small-empty")
    expect(panel).to_contain_text("No transcript yet")
    assert page.get_by_role("button", name="Transcribe speech").is_enabled()
    with page.expect_response(re.compile("film/transcript$")) as answer:
        page.get_by_label("Subtitle file").set_input_files(film.with_suffix(".srt"))
    assert answer.value.status == 202
    expect(panel).to_contain_text("Working on it")
    page.unroute("**/videos/film/transcript")
    index_process.touch()
    page.get_by_role("tab", name="Transcript").click()
    expect(page.locator(".say").first).to_contain_text("whale")


def test_a_file_that_is_no_subtitles_is_refused_in_words(open_page, tmp_path):
    page = without_words(open_page("/"))
    wrong = tmp_path / "words.srt"
    wrong.write_text("nothing with a time")
    page.get_by_label("Subtitle file").set_input_files(wrong)
    expect(page.locator("#toast.on")).not_to_be_empty()
    assert str(tmp_path) not in page.locator("#toast").inner_text()


def test_an_image_is_searched_for(open_page, tmp_path):
    picture = tmp_path / "sand.png"
    Image.new("RGB", (64, 64), (210, 160, 60)).save(picture)
    page = open_page("/")
    page.locator("#image").set_input_files(picture)
    page.wait_for_url(re.compile("/search/image"))
    expect(page.locator("h1")).to_have_text("Search by image")
    until(page, "document.querySelector('img.sample')?.naturalWidth === 64")
    found = page.locator(".hit").count()
    assert page.locator("main p.soft").first.inner_text() == (
        "Nothing in the library looks like this image." if found == 0 else stories(found)
    )
    page.reload()
    expect(page.locator(".empty")).to_contain_text("Drop an image anywhere")
    assert page.locator("img.sample").count() == 0
    page.get_by_role("link", name="Storyscope, library").click()
    page.wait_for_selector(".card-link")
    jobs = told_jobs(page)
    page.evaluate(DROP_IMAGE)
    page.wait_for_url(re.compile("/search/image"))
    assert told_jobs(page) == jobs


DROP_IMAGE = """async () => {
    const answer = await fetch("/api/v1/videos/film/picture?at=6");
    const taken = new DataTransfer();
    taken.items.add(new File([await answer.blob()], "sand.jpg", {type: "image/jpeg"}));
    for (const name of ["dragover", "drop"]) {
        const event = {dataTransfer: taken, bubbles: true, cancelable: true};
        document.querySelector(".card").dispatchEvent(new DragEvent(name, event));
    }
}"""
"""Drop an image on a card of the library."""


def test_results_come_in_pages_and_keep_their_filters(open_page):
    page = open_page("/search")
    page.route(
        "**/api/v1/search?**",
        lambda route: route.continue_(url=route.request.url.replace("limit=24", "limit=1")),
    )
    page.get_by_label("Search stories").fill("whale camel owl")
    expect(page.locator(".hit")).to_have_count(1)
    expect(page.locator(".head [role=status]")).to_have_text("First 1 story")
    page.get_by_role("button", name="Show more").click()
    expect(page.locator(".hit")).to_have_count(2)
    titles = page.locator(".hit b").all_inner_texts()
    assert len(set(titles)) == 2
    page.unroute("**/api/v1/search?**")
    page.get_by_label("Sort by").select_option("time")
    page.wait_for_url(re.compile("sort=time"))
    expect(page.locator(".hit")).not_to_have_count(1)
    moments = page.locator(".hit .time").all_inner_texts()
    assert moments == sorted(moments)
    page.get_by_label("Length").select_option("long")
    expect(page.locator(".empty")).to_contain_text("Try without filters")
    page.get_by_role("link", name="Remove filters").click()
    expect(page.locator(".hit").first).to_be_visible()


def test_videos_are_found_by_their_names_too(open_page):
    page = open_page("/search?q=film")
    page.locator(".named").get_by_role("link", name="film").click()
    wait_for_stories(page, 3)
    assert "/watch/film" in page.url


def test_the_text_of_an_export_is_copied(open_page):
    page = open_page("/watch/film")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Export").click()
    page.get_by_role("radio", name=re.compile("^CSV")).check()
    until(page, "document.querySelector('dialog textarea').value.includes(',')")
    page.get_by_role("button", name="Copy", exact=True).click()
    expect(page.locator("#toast")).to_contain_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.splitlines() == page.get_by_label("Preview").input_value().splitlines()
    assert len(copied.splitlines()) == 4


def test_the_timeline_has_sound_and_pictures_and_can_be_zoomed(open_page):
    page = open_page("/watch/film?edit=1")
    page.wait_for_selector(".wave[width]")
    expect(page.locator(".pictures img")).not_to_have_count(0)
    inner = page.locator(".timeline-inner")
    before = inner.bounding_box()["width"]
    page.get_by_label("Zoom").evaluate(
        "z => { z.value = 0.5; z.dispatchEvent(new Event('input')); }"
    )
    assert inner.bounding_box()["width"] > 1.5 * before
    assert page.evaluate("document.documentElement.scrollWidth") <= 1200


def test_full_screen_keeps_the_stories(open_page):
    page = open_page("/watch/film")
    wait_for_stories(page, 3)
    page.get_by_role("button", name="Full screen").click()
    until(page, "document.fullscreenElement !== null")
    assert page.evaluate("document.fullscreenElement.querySelectorAll('.story').length") == 3
    page.get_by_role("button", name="Leave full screen").click()
    until(page, "document.fullscreenElement === null")


def test_differences_are_stepped_through(open_page, library):
    library.annotate("film", library.version("film", "ann").split(2.0).split(12.0))
    try:
        page = open_page("/watch/film?compare=1")
        expect(page.locator(".compare")).to_contain_text("2 of 4 boundaries differ")
        page.get_by_role("button", name="Next difference").click()
        expect(page.locator(".stepper")).to_contain_text("2 of 2")
        until(page, "document.querySelector('.stage video').currentTime > 11.9")
        page.get_by_role("button", name="Add it here").click()
        expect(page.locator(".compare")).to_contain_text("1 of 4 boundaries differ")
        expect(page.locator(".heading")).to_contain_text("Unsaved draft")
        assert library.annotations("film")["ann"].starts[1] == 2.0
    finally:
        library.discard_annotation("film", "ann")


def test_an_empty_library_with_jobs_shows_them_and_no_first_steps(
    open_page, film, index_process, tmp_path
):
    with served(create_app(Library(tmp_path / "new"))) as address:
        page = open_page("/", at=address)
        page.wait_for_selector(".first-run")
        page.locator("#file").set_input_files(film)
        expect(page.get_by_label(IN_PROGRESS).locator(".job.indexing")).to_have_count(1)
        expect(page.locator(".first-run")).to_have_count(0)
        page.get_by_role("button", name="Cancel").click()
        expect(page.get_by_label(IN_PROGRESS)).to_contain_text("Cancelled")
        assert "No films yet" not in page.locator("main").inner_text()


def test_the_demo_film_is_made_and_indexed_from_an_empty_library(
    open_page, index_process, tmp_path, monkeypatch
):
    small = partial(storyscope_demo.make_demo, scale=0.2, pace=0.1, stories=slice(2))
    monkeypatch.setattr(storyscope_demo, "make_demo", small)
    with served(create_app(Library(tmp_path / "new"))) as address:
        page = open_page("/", at=address)
        page.get_by_role("button", name="Try the demo film").click()
        expect(page.locator(".job.indexing")).to_contain_text("demo.mp4")
        assert (tmp_path / "new/demo/demo.mp4").stat().st_size > 1000
        assert page.locator(".first-run").count() == 0
        page.get_by_role("button", name="Cancel").click()
        expect(page.get_by_label(IN_PROGRESS)).to_contain_text("Cancelled")


def test_head_is_answered_as_a_browser_asks(open_page, address):
    page = open_page("/")
    answers = page.evaluate(
        """async () => Promise.all(["/", "/api/v1/videos", "/api/v1/videos/film/media"].map(
            path => fetch(path, { method: "HEAD" }).then(a => a.status)))"""
    )
    assert answers == [200, 200, 200]
