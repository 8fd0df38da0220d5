"""The page in a real browser: the library, and everything besides watching."""

import re
import shutil
import threading
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from browsing import PATIENCE, barriers, starts, until, wait_for_stories
from films import make_film
from movie import FPS
from serving import served
from storyscope import Library
from storyscope.library.training import STYLE_FILE
from storyscope.progress import Step
from storyscope.stories.fine_tuning import FineTuning
from storyscope.stories.model import default_model
from storyscope.web import correcting, create_app, learning

expect.set_options(timeout=PATIENCE)


@pytest.fixture
def marked(library):
    """Two people have annotated the film; the library's settings are restored afterwards."""
    config = library.config
    library.annotate("film", library.version("film", "ann").split(2.0))
    library.annotate("film", library.version("film", "bob").merge(1))
    yield library
    library.config = config
    for name in list(library.annotations("film")):
        library.discard_annotation("film", name)


@pytest.fixture
def another_file(library):
    """Replace the film's file, and restore it afterwards."""
    (record,) = library.videos()

    def put(path):
        video = type(record.video)(**{**vars(record.video), "path": str(path)})
        size = path.stat().st_size if path.exists() else 1
        library.store.put_record(type(record)(**{**vars(record), "video": video, "size": size}))

    yield put
    library.store.put_record(record)


def test_every_boundary_says_why_by_mouse_and_by_keyboard(open_page):
    page = open_page("/watch/film?t=6")
    expect(page.locator(".why")).to_contain_text("% sure")
    page.locator("main").press("w")
    expect(page.locator(".why .cues dt")).not_to_have_count(0)
    page.locator("main").press("w")
    expect(page.locator(".why .cues")).to_be_hidden()
    page.get_by_role("button", name="Edit", exact=True).click()
    page.get_by_role("slider", name="Start of story 3").hover()
    expect(page.locator(".tip.on")).to_contain_text("% sure")
    page.get_by_role("slider", name="Start of story 2").focus()
    page.keyboard.press("ArrowRight")
    page.get_by_role("slider", name="Start of story 3").focus()
    page.get_by_role("slider", name="Start of story 2").focus()
    expect(page.locator(".tip.on")).to_contain_text("Set by you")
    assert "% sure" not in page.locator(".tip.on").inner_text()


def test_a_film_that_no_browser_plays_is_converted_and_sought_in(open_page, another_file, tmp_path):
    old = make_film(tmp_path / "old.avi", frame_count=180, fps=FPS, codec="mpeg4")
    another_file(old)
    page = open_page("/watch/film")
    expect(page.locator(".note")).to_contain_text("mpeg4 in avi")
    until(page, "document.querySelector('.stage video')?.videoWidth > 0")
    page.locator("main").press("k")
    until(page, "document.querySelector('.stage video')?.currentTime > 0.1")
    page.locator(".story").nth(2).get_by_role("button").click()
    expect(page.locator(".when")).to_contain_text("Story 3 of 3")
    until(page, "/start=10/.test(document.querySelector('.stage video')?.src)")
    until(page, "document.querySelector('.stage video')?.readyState > 1")
    assert page.locator(".clock").inner_text().startswith("0:10")
    assert page.locator(".cover").count() == 0


def test_a_missing_file_is_called_missing(open_page, another_file, tmp_path):
    another_file(tmp_path / "gone.mp4")
    page = open_page("/watch/film")
    expect(page.locator(".cover")).to_contain_text("The file of film is missing")
    wait_for_stories(page, 3)
    assert "codec" not in page.locator("main").inner_text()
    assert str(tmp_path) not in page.content()


def test_the_browser_is_asked_before_a_file_is_converted(open_page, another_file, tmp_path, film):
    hevc = tmp_path / "hevc.mkv"
    make_film(hevc, frame_count=180, fps=FPS, codec="libx265")
    another_file(hevc)
    asked = []
    page = open_page("/")
    page.on("request", lambda request: asked.append(request.url))
    page.add_init_script("HTMLMediaElement.prototype.canPlayType = () => 'probably'")
    page.goto(page.url + "watch/film")
    wait_for_stories(page, 3)
    until(page, "document.querySelector('.stage video')?.hasAttribute('src')")
    media = [url.rsplit("/", 1)[1] for url in asked if re.search("film/(stream|media)", url)]
    assert media[0] == "media"


def test_versions_are_compared_by_their_boundaries_and_taken_over_one_by_one(open_page, marked):
    page = open_page("/watch/film?compare=1")
    page.get_by_label("Compare with").select_option("ann")
    expect(page.locator(".compare")).to_contain_text("1 of 3 boundaries differ")
    colours = page.locator(".version-row").nth(1).locator("span[title]")
    same = colours.evaluate_all("all => all.map(s => s.style.background)")
    assert len(same) == 4
    assert same[0] == same[1]
    page.get_by_role("button", name="Add it here").click()
    wait_for_stories(page, 4)
    expect(page.locator(".compare")).to_contain_text("All boundaries agree")
    assert "null" not in page.locator(".compare").inner_text()
    assert page.get_by_role("button", name="Save", exact=True).is_enabled()
    page.get_by_text("Advanced").click()
    expect(page.locator(".agreement th", has_text="Equal lengths").first).to_be_visible()


def fine_tuned(after):
    return FineTuning(default_model(), {"film": 0.5}, {"film": after}, {"film": 0.3}, 0.25)


def test_learning_shows_its_score_and_is_used_only_when_asked(
    open_page, marked, monkeypatch, index_process
):
    index_process.touch()
    page = open_page("/learn")
    expect(page.locator("h2").first).to_have_text("1 corrected video, 1 needed")
    go_on = threading.Event()

    def slow(*_, report, **__):
        report(Step("train", 1, 4, note="without film"))
        go_on.wait(60)
        report(Step("train", 2, 4))
        return fine_tuned(0.75)

    monkeypatch.setattr(learning, "learn_style", slow)
    page.get_by_role("button", name="Learn", exact=True).click()
    expect(page.locator(".page")).to_contain_text("without film")
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator(".page")).to_contain_text("Nothing was changed")
    go_on.set()
    monkeypatch.setattr(learning, "learn_style", lambda *_, **__: fine_tuned(0.4))
    page.get_by_role("button", name="Learn again").click()
    expect(page.locator(".page")).to_contain_text("No better")
    for score in ("0.500", "0.400", "0.300"):
        expect(page.locator(".scores")).to_contain_text(score)
    assert not marked.config.stories.model.endswith(STYLE_FILE)
    page.get_by_role("button", name="Use it anyway").click()
    expect(page.locator("#toast")).to_contain_text("being updated")
    assert marked.config.stories.model.endswith(STYLE_FILE)


def test_learning_says_what_it_needs_when_it_cannot_run(open_page, library):
    page = open_page("/learn")
    expect(page.locator(".page")).to_contain_text("0 corrected videos, 1 needed")
    assert page.get_by_role("button", name="Learn", exact=True).count() == 0


def test_learning_without_torch_says_what_to_install(open_page, marked, monkeypatch):
    monkeypatch.setattr(correcting, "find_spec", lambda name: None)
    page = open_page("/learn")
    expect(page.locator(".page")).to_contain_text("pip install storyscope[train]")
    assert page.get_by_role("button", name="Learn", exact=True).count() == 0


def test_a_preferred_picture_is_there_again(open_page, library):
    page = open_page("/watch/film")
    page.locator(".cell").nth(2).hover()
    page.locator(".star").nth(2).click()
    expect(page.locator("#toast")).to_contain_text("now the picture of the story")
    page.reload()
    expect(page.locator(".star").nth(2)).to_have_attribute("aria-pressed", "true")
    chosen = library.thumbnail("film", library.stories("film")[0])
    assert chosen.parts == {"preferred": 1.0}


def test_an_upload_is_followed_elsewhere_stopped_dismissed_and_resumed(
    open_page, library, film, index_process, tmp_path
):
    page = open_page("/")
    page.wait_for_selector(".card-link")
    junk = tmp_path / "junk.mp4"
    junk.write_text("not a film")
    page.locator("#file").set_input_files(junk)
    jobs = page.get_by_label("In progress")
    expect(jobs).to_contain_text("is not a video")
    assert str(library.folder) not in jobs.inner_text()
    page.get_by_role("link", name="Learn").click()
    page.get_by_role("link", name="Storyscope, library").click()
    expect(jobs).to_contain_text("is not a video")
    page.get_by_role("button", name="Dismiss junk.mp4").click()
    expect(jobs.locator(".job")).to_have_count(0)
    second = shutil.copy(film, tmp_path / "second.mp4")
    page.locator("#file").set_input_files(second)
    expect(jobs.locator(".job.indexing")).to_contain_text("Reading the video")
    expect(jobs.locator(".job-percent")).to_contain_text(re.compile(r"^\d+%"))
    bar = jobs.locator(".job.indexing progress")
    assert bar.evaluate("p => getComputedStyle(p).appearance") == "none"
    jobs.locator(".job.indexing").get_by_role("button", name="Cancel").click()
    expect(jobs).to_contain_text("Cancelled")
    jobs.get_by_role("button", name="Resume").click()
    expect(jobs.locator(".job.indexing")).to_have_count(1)
    index_process.write_text("go on")
    expect(jobs.locator(".job")).to_have_count(0)
    expect(page.locator("#toast")).to_contain_text("second.mp4 is ready")


def test_time_left_is_estimated_since_the_page_was_opened(open_page):
    page = open_page("/learn")
    shown_times = page.evaluate(
        "import('/static/jobs.js').then(({timeLeft}) => [60, 1].map("
        "ago => timeLeft({at: Date.now() - 1000 * ago, done: 0.5}, 0.7)))"
    )
    assert shown_times == ["about 2 minutes left", ""]


def test_videos_are_renamed_and_several_deleted_and_twins_are_pointed_out(
    open_page, library, film, tmp_path
):
    library.add(shutil.copy(film, tmp_path / "second.mp4"))
    page = open_page("/")
    card = page.locator(".card", has_text="second")
    expect(card).to_contain_text("Same file as film")
    card.get_by_role("button", name="More for second").click()
    page.get_by_role("menuitem", name="Rename").click()
    page.get_by_role("textbox", name="Title", exact=True).fill("The second film")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".card", has_text="The second film")).to_have_count(1)
    page.get_by_label("Select The second film").check(force=True)
    page.locator(".several").get_by_role("button", name="Delete…").click()
    page.locator("dialog").get_by_role("button", name="Delete").click()
    expect(page.locator("a.card-link")).to_have_count(1)
    assert [record.video.id for record in library.videos()] == ["film"]


def test_videos_are_picked_from_the_media_folders(open_page, library, film):
    page = open_page("/")
    page.get_by_role("button", name="Add from folder").click()
    dialog = page.locator("dialog")
    dialog.get_by_role("button", name=film.parent.name).click()
    expect(dialog.locator("label", has_text="film.mp4")).to_contain_text("in the library")
    assert dialog.get_by_text("Select all").count() == 0
    assert str(film.parent) not in dialog.inner_text()


def test_the_transcript_is_searched_and_follows(open_page):
    page = open_page("/watch/film")
    page.get_by_role("tab", name="Transcript").click()
    page.get_by_label("Find in transcript").fill("dunes")
    expect(page.locator(".say mark")).to_have_text("dunes")
    page.get_by_label("Find in transcript").fill("")
    page.locator(".say", has_text="owl sleeps").click()
    expect(page.locator(".say.now")).to_contain_text("owl sleeps")
    expect(page.locator(".when")).to_contain_text("Story 3 of 3")
    assert page.locator(".say mark").count() == 0


def test_captions_speed_and_shortcuts_follow_youtube(open_page):
    page = open_page("/watch/film?t=6")
    until(page, "document.querySelector('.stage video')?.readyState > 1")
    main = page.locator("main")
    main.press("c")
    expect(page.locator(".captions")).to_contain_text("camel")
    page.reload()
    expect(page.locator(".captions")).to_contain_text("camel")
    wait_for_stories(page, 3)
    until(page, "document.querySelector('.stage video')?.readyState > 1")
    main.press("m")
    assert page.evaluate("document.querySelector('.stage video').muted")
    main.press("Shift+>")
    assert page.evaluate("document.querySelector('.stage video').playbackRate") == 1.25
    main.press("j")
    until(page, "document.querySelector('.stage video').currentTime < 1")
    main.press("n")
    until(page, "document.querySelector('.stage video').currentTime > 4.9")
    main.press("?")
    expect(page.locator("dialog")).to_contain_text("Keyboard shortcuts")


def test_the_export_dialog_lists_every_format_and_shows_errors(open_page):
    page = open_page("/watch/film")
    page.get_by_role("button", name="Export").click()
    dialog = page.locator("dialog")
    for group in ("Players", "Editors", "Publishing", "Research"):
        expect(dialog.locator("legend", has_text=group)).to_have_count(1)
    dialog.get_by_role("radio", name=re.compile("^CSV")).check()
    with page.expect_download() as taken:
        dialog.get_by_role("button", name="Download").click()
    assert taken.value.suggested_filename == "film.csv"
    dialog.get_by_role("radio", name=re.compile("^YouTube")).check()
    expect(dialog.get_by_role("alert")).to_contain_text("YouTube requires")


def test_everyone_can_use_what_opens(open_page, marked):
    page = open_page("/watch/film?t=6")
    expect(page.locator(".why")).to_contain_text("% sure")
    page.locator("main").press("w")
    page.get_by_role("button", name="Export").click()
    page.wait_for_selector("dialog textarea")
    assert barriers(page) == []


def test_search_has_filters_more_like_this_and_arrow_keys(open_page):
    page = open_page("/search?q=camel")
    page.locator(".hit-link").first.focus()
    page.get_by_label("Found by").select_option("visual")
    page.wait_for_url(re.compile("kind=visual"))
    page = open_page("/search?q=the+water+desert+forest")
    page.wait_for_selector(".hit-link, .empty")
    if page.locator(".hit-link").count() > 1:
        page.locator(".hit-link").first.focus()
        page.keyboard.press("ArrowRight")
        assert (
            page.evaluate(
                "[...document.querySelectorAll('.hit-link')].indexOf(document.activeElement)"
            )
            == 1
        )
    page = open_page("/search?q=camel")
    page.get_by_role("link", name="More like this").first.click()
    page.wait_for_url(re.compile("like=film%2F2"))
    expect(page.locator("h1")).to_have_text(re.compile("More like “|No similar stories"))


def test_a_stopped_server_is_reported(open_page):
    page = open_page("/")
    page.wait_for_selector(".card-link")
    page.route("**/api/v1/**", lambda route: route.abort())
    page.locator(".card-link").first.click()
    expect(page.locator(".empty")).to_contain_text("The server is not responding")
    page.unroute("**/api/v1/**")
    page.get_by_role("button", name="Try again").click()
    wait_for_stories(page, 3)
    assert starts(page) == []


def test_a_missing_token_is_asked_for_and_leaves_the_address(open_page, library):
    with served(create_app(library, token="secret")) as address:
        page = open_page("/watch/film", at=address)
        expect(page.locator("h1")).to_have_text("This library is private")
        assert page.get_by_role("alert").count() == 0
        page.get_by_label("Access token").fill("wrong")
        page.get_by_role("button", name="Open").click()
        expect(page.get_by_role("alert")).to_contain_text("not the access token")
        page.get_by_label("Access token").fill("secret")
        page.get_by_role("button", name="Open").click()
        page.wait_for_selector(".card-link")
        assert "secret" not in page.url


def test_an_empty_library_says_how_to_begin(open_page, tmp_path):
    with served(create_app(Library(tmp_path / "new"))) as address:
        page = open_page("/", at=address)
        expect(page.locator(".first-run")).to_contain_text("Drop a video here")
        expect(page.get_by_role("button", name="Try the demo film")).to_be_visible()
        assert page.locator(".first-run li, .first-run .step").count() == 3


def test_a_truncated_file_is_reported_as_damaged_and_has_one_length(open_page, tmp_path):
    broken = make_film(tmp_path / "broken.mkv", frame_count=180, fps=FPS)
    content = broken.read_bytes()
    broken.write_bytes(content[: len(content) // 2])
    library = Library(tmp_path / "library")
    library.keep_settings(["transcripts.speech=off", "search.image_text=off"])
    library.add(broken)
    with served(create_app(library)) as address:
        page = open_page("/", at=address)
        length = page.locator(".card .time").inner_text()
        page.locator(".card-link").first.click()
        expect(page.locator(".notice.warn")).to_contain_text("The file is damaged: it breaks off")
        expect(page.locator(".heading")).to_contain_text(length)
        assert page.locator(".clock").inner_text().endswith(f"/ {length}")


def test_more_videos_than_one_answer_holds_are_all_shown(open_page):
    page = open_page("/learn")
    page.wait_for_selector(".panel")

    def many(route):
        asked = parse_qs(urlsplit(route.request.url).query)
        videos = [
            {"id": f"v{n}", "title": f"Film {n}", "duration": 60, "stories": 1, "state": "failed"}
            for n in range(620)
            if asked.get("q", ["Film"])[0] in f"Film {n}"
        ]
        first = int(asked["offset"][0])
        page_of = {"total": len(videos), "offset": first, "videos": videos[first : first + 500]}
        route.fulfill(json=page_of)

    page.route("**/api/v1/videos?offset=**", many)
    page.get_by_role("link", name="Storyscope, library").click()
    expect(page.locator("article.card")).to_have_count(620)
    expect(page.locator(".head [role=status]")).to_have_text("620 videos")
    page.get_by_label("Filter by title").fill("Film 61")
    expect(page.locator("article.card")).to_have_count(11)
    assert page.locator("article.card b").all_inner_texts()[0] == "Film 61"


def test_one_version_can_be_made_the_library_s_own(open_page, marked):
    page = open_page("/watch/film?annotator=ann")
    wait_for_stories(page, 4)
    page.get_by_role("button", name=re.compile("Use this version in the library")).click()
    expect(page.locator(".heading")).to_contain_text("Library version (by ann)")
    assert len(marked.stories("film")) == 4
    page.get_by_role("button", name=re.compile("Use the automatic version")).click()
    wait_for_stories(page, 3)
    assert len(marked.stories("film")) == 3


def test_the_api_reference_shows_every_call_offline_and_under_the_policy(open_page, address):
    page = open_page("/")
    asked, complaints = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda said: complaints.append(said.text))
    page.goto(address + "/api/docs")
    page.wait_for_selector(".opblock-summary-path")
    paths = page.evaluate("fetch('/api/v1/openapi.json').then(a => a.json()).then(d => d.paths)")
    shown = page.locator(".opblock-summary-path").all_inner_texts()
    plain = {text.replace("\u200b", "").strip() for text in shown}
    assert plain == set(paths)
    page.locator(".opblock-summary-control", has_text="/api/v1/search").first.click()
    expect(page.locator(".opblock-description").first).to_contain_text("best first")
    assert [url for url in asked if not url.startswith((address, "data:"))] == []
    assert [text for text in complaints if "Content Security Policy" in text] == []


def test_the_library_is_sorted_and_filtered_by_the_server(open_page, library):
    page = open_page("/")
    page.wait_for_selector(".card-link")
    with page.expect_request(re.compile("sort=longest")):
        page.get_by_label("Sort by").select_option("longest")
    with page.expect_request(re.compile("q=fil")):
        page.get_by_label("Filter by title").fill("fil")
    expect(page.locator(".head [role=status]")).to_have_text("1 of 1 video")
    page.get_by_label("Filter by title").fill("nothing so called")
    expect(page.locator("main")).to_contain_text("No video matches “nothing so called”")
    assert page.locator("article.card").count() == 0


def test_a_missing_picture_is_replaced_by_an_icon(open_page):
    page = open_page("/learn")
    page.wait_for_selector(".panel")
    page.route("**/poster", lambda route: route.fulfill(status=409, json={"detail": "too old"}))
    page.get_by_role("link", name="Storyscope, library").click()
    expect(page.locator(".card .no-picture svg")).to_be_visible()
    assert page.locator(".card img").count() == 0
