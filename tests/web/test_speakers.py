"""Speakers and faces on the page and over HTTP: shown, named, searched by, and deleted."""

import re

import pytest
from playwright.sync_api import expect

from browsing import PATIENCE, barriers, until, wait_for_stories
from serving import client_of
from storyscope.core import Span
from storyscope.errors import UnknownName
from storyscope.library.people import FACES, SPEAKERS, Portrait
from storyscope.web import create_app

expect.set_options(timeout=PATIENCE)


@pytest.fixture
def spoken(library):
    """Two people speak in the film, and nobody has named them."""
    turns = [(0.2, 3.0, 1), (6.0, 9.0, 2), (11.0, 14.0, 1)]
    with SPEAKERS.document.change(library.store) as kept:
        kept["film"] = {"turns": turns, "names": {}}
    yield library
    library.forget_speakers("film")


@pytest.fixture
def seen(library):
    """The face of one person is seen in the first two stories."""
    times = [(Span(0.0, 4.0), 1), (Span(6.0, 9.0), 1)]
    FACES.keep(library.store, "film", times, {1: Portrait(1.0, 0.2, 0.2, 0.3, 0.4)})
    yield library
    library.forget_faces("film")


def test_speakers_are_listed_named_searched_and_deleted_over_http(spoken):
    client = client_of(create_app(spoken))
    where = "/api/v1/videos/film/speakers"
    first, second = client.get(where).json()["speakers"]
    assert first == {"speaker": 1, "name": "", "seconds": 5.8, "turns": [[0.2, 3.0], [11.0, 14.0]]}
    assert client.get("/api/v1/speakers").json() == {"names": []}
    assert client.put(f"{where}/2", json={"name": "  Bob  Lee "}).status_code == 204
    assert client.get("/api/v1/videos/film").json()["speakers"][1]["name"] == "Bob Lee"
    assert client.get("/api/v1/speakers").json() == {"names": ["Bob Lee"]}
    (hit,) = client.get("/api/v1/search", params={"q": "bob lee"}).json()["hits"]
    assert (hit["story"]["id"], hit["moment"]) == ("film/2", second["turns"][0][0])
    asked = {"q": "whale camel owl", "speaker": "bob lee"}
    found = client.get("/api/v1/search", params=asked).json()["hits"]
    assert [each["story"]["id"] for each in found] == ["film/2"]
    refused = client.put(f"{where}/7", json={"name": "Eve"})
    assert (refused.status_code, refused.json()["error"]) == (404, UnknownName.__name__)
    assert client.delete(where).status_code == 204
    assert client.get(where).json() == {"speakers": []}


def test_speakers_are_named_gone_to_searched_by_and_deleted_on_the_page(open_page, spoken):
    page = open_page("/watch/film")
    wait_for_stories(page, 3)
    rows = page.get_by_role("region", name="Speakers")
    expect(rows.locator(".people-row")).to_have_count(2)
    assert barriers(page) == []
    rows.locator(".turn").nth(2).click()
    until(page, "document.querySelector('.stage video').currentTime > 5.9")
    name = page.get_by_label("Name of speaker 2")
    name.fill("Bob")
    name.press("Enter")
    expect(page.locator("#toast")).to_contain_text("Named Bob")
    page.get_by_role("tab", name="Transcript").click()
    assert page.locator(".who").all_inner_texts() == ["Speaker 1", "Bob", "Speaker 1"]
    page.get_by_role("link", name="Stories in which Bob speaks").click()
    expect(page.locator(".hit")).to_have_count(1)
    page.get_by_label("Search stories").fill("whale camel owl")
    page.wait_for_url(re.compile("q=whale"))
    page.get_by_label("Speaker").select_option("Bob")
    page.wait_for_url(re.compile("speaker=Bob"))
    expect(page.locator(".hit")).to_have_count(1)
    page.locator(".hit-link").click()
    rows.get_by_role("button", name="Delete speakers…").click()
    page.locator("dialog").get_by_role("button", name="Delete", exact=True).click()
    expect(rows).to_be_hidden()
    assert spoken.speakers("film") == []
    assert page.locator(".who").count() == 0


def test_speakers_are_not_shown_unless_detected(open_page):
    page = open_page("/watch/film")
    wait_for_stories(page, 3)
    assert not page.locator(".speakers").is_visible()
    page.goto(page.url.split("/watch")[0] + "/search?q=camel")
    page.wait_for_selector(".hit")
    assert page.get_by_label("Speaker", exact=True).count() == 0


def test_faces_are_listed_with_pictures_named_searched_and_deleted_over_http(seen):
    client = client_of(create_app(seen))
    where = "/api/v1/videos/film/faces"
    (row,) = client.get(where).json()["faces"]
    assert row == {"face": 1, "name": "", "seconds": 7.0, "appearances": [[0, 4], [6, 9]]}
    assert client.get("/api/v1/videos/film").json()["faces"] == [row]
    picture = client.get(f"{where}/1/picture")
    assert (picture.headers["content-type"], picture.content[:2]) == ("image/jpeg", b"\xff\xd8")
    assert client.get(f"{where}/2/picture").status_code == 404
    assert client.put(f"{where}/1", json={"name": "Ann"}).status_code == 204
    assert client.get("/api/v1/faces").json() == {"names": ["Ann"]}
    hits = client.get("/api/v1/search", params={"q": "ann"}).json()["hits"]
    assert [hit["story"]["id"] for hit in hits] == ["film/1", "film/2"]
    shown = client.get("/api/v1/search", params={"q": "whale camel owl", "face": "Ann"}).json()
    assert {hit["story"]["id"] for hit in shown["hits"]} == {"film/1", "film/2"}
    assert client.delete(where).status_code == 204
    assert client.get(where).json() == {"faces": []}


def test_faces_have_rows_with_pictures_on_the_page(open_page, seen):
    page = open_page("/watch/film")
    wait_for_stories(page, 3)
    rows = page.get_by_role("region", name="Faces")
    expect(rows.locator(".people-row")).to_have_count(1)
    until(page, "document.querySelector('.faces img').naturalWidth > 0")
    assert barriers(page) == []
    name = page.get_by_label("Name of face 1")
    name.fill("Ann")
    name.press("Enter")
    page.get_by_role("link", name="Stories in which Ann is seen").click()
    expect(page.locator(".hit")).to_have_count(2)
    expect(page.get_by_label("Face", exact=True)).to_be_visible()
