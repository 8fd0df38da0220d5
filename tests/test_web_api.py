"""The API: the verbs of the library over HTTP, and what it refuses."""

import time

import pytest
from fastapi.testclient import TestClient

from storyscope import Library
from storyscope.web import create_app
from storyscope.web.routes import why_unplayable


@pytest.fixture(scope="module")
def library(film, tmp_path_factory):
    library = Library(tmp_path_factory.mktemp("library"))
    library.add(film)
    return library


@pytest.fixture
def client(library, film):
    return TestClient(create_app(library, media_folders=(film.parent,)))


def test_videos_come_in_pages_with_a_tag(client):
    page = client.get("/api/v1/videos", params={"limit": 1})
    assert page.json()["total"] == 1
    assert page.json()["videos"][0]["id"] == "film"
    again = client.get(
        "/api/v1/videos", params={"limit": 1}, headers={"If-None-Match": page.headers["etag"]}
    )
    assert again.status_code == 304
    assert client.get("/api/v1/videos", params={"offset": 5}).json()["videos"] == []
    assert client.get("/api/v1/videos", params={"limit": 0}).status_code == 422


def test_stories_shots_and_words_are_served(client, library):
    stories = client.get("/api/v1/videos/film/stories").json()["stories"]
    assert len(stories) == len(library.stories("film"))
    assert stories[0]["start"] <= stories[0]["thumbnail"] < stories[0]["end"]
    assert len(client.get("/api/v1/videos/film/shots").json()["shots"]) == len(
        library.shots("film")
    )
    assert client.get("/api/v1/videos/film/transcript").json()["words"][0][0] == "The"


def test_a_search_answers_with_a_story_and_its_picture(client):
    (hit, *_) = client.get("/api/v1/search", params={"q": "camel"}).json()["hits"]
    assert hit["story"]["id"] == "film/2"
    shown = client.get("/api/v1/videos/film/picture", params={"at": hit["thumbnail"]["seconds"]})
    assert shown.headers["content-type"] == "image/jpeg"
    assert client.get("/api/v1/search", params={"q": "interest rates"}).json()["hits"] == []


def test_the_film_is_served_by_ranges(client, film):
    part = client.get("/api/v1/videos/film/media", headers={"Range": "bytes=10-19"})
    assert part.status_code == 206
    assert part.content == film.read_bytes()[10:20]


def test_a_person_s_version_is_kept_compared_and_forgotten(client):
    version = {"starts": [0, 4.0], "titles": ["Sea", ""]}
    assert client.put("/api/v1/videos/film/annotations/ann", json=version).status_code == 204
    mine = client.get("/api/v1/videos/film/stories", params={"annotator": "ann"}).json()["stories"]
    assert [story["start"] for story in mine] == [0.0, 4.0]
    client.put("/api/v1/videos/film/annotations/bob", json={"starts": [0, 5.0]})
    compared = client.get("/api/v1/videos/film/annotations").json()
    assert [v["name"] for v in compared["versions"]] == ["storyscope", "ann", "bob", "consensus"]
    assert compared["mean_iou"][1][1] == 1.0
    for name in ("ann", "bob"):
        client.delete(f"/api/v1/videos/film/annotations/{name}")
    assert client.get("/api/v1/videos/film").json()["annotators"] == []


@pytest.mark.parametrize(
    "version", [{"starts": []}, {"starts": [1.0]}, {"starts": [0, 9e9]}, {"starts": [0, 0]}, {}]
)
def test_a_version_that_parts_nothing_is_refused(client, version):
    assert client.put("/api/v1/videos/film/annotations/ann", json=version).status_code == 422


def test_stories_are_exported(client):
    assert client.get("/api/v1/videos/film/chapters.vtt").text.startswith("WEBVTT")
    written = client.get("/api/v1/videos/film/export/csv")
    assert written.headers["content-disposition"] == 'attachment; filename="film.csv"'
    assert client.get("/api/v1/videos/film/export/papyrus").status_code == 404
    assert {"webvtt", "csv"} <= {f["name"] for f in client.get("/api/v1/formats").json()["formats"]}


def test_an_unknown_video_is_a_typed_404(client):
    for path in ("", "/stories", "/shots", "/media", "/transcript", "/annotations"):
        answer = client.get(f"/api/v1/videos/nothing{path}")
        assert answer.status_code == 404
        assert answer.json()["error"] == "UnknownVideo"


@pytest.mark.parametrize(
    "name",
    ["../../etc/passwd", "..%2f..%2fetc%2fpasswd", "%00", "film%00", "／etc", "film/../film"],
)
def test_no_id_reaches_the_file_system(client, name):
    answer = client.get(f"/api/v1/videos/{name}/media")
    assert answer.status_code in (404, 200)
    assert b"root:" not in answer.content


def test_another_site_changes_nothing(client, library):
    for headers in (
        {"Origin": "http://evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ):
        assert client.delete("/api/v1/videos/film", headers=headers).status_code == 403
    assert client.get("/api/v1/videos", headers={"Host": "evil.example"}).status_code == 403
    assert len(library.videos()) == 1


def test_with_a_token_nothing_is_answered_without_it(library):
    client = TestClient(create_app(library, token="secret"))
    assert client.get("/api/v1/videos").status_code == 401
    assert client.get("/").status_code == 401
    assert client.get("/api/v1/videos", headers={"Authorization": "Bearer no"}).status_code == 401
    given = {"Authorization": "Bearer secret"}
    assert client.get("/api/v1/videos", headers=given).status_code == 200
    assert client.get("/?token=secret").status_code == 200
    assert client.get("/api/v1/videos").status_code == 200


def test_videos_are_added_from_declared_folders_only(client, tmp_path, film):
    outside = tmp_path / "film.mp4"
    outside.write_bytes(film.read_bytes())
    link = film.parent / "link.mp4"
    link.symlink_to(outside)
    for path in (outside, link, film.parent / ".." / "film.mp4", "/etc/passwd", "\0"):
        answer = client.post("/api/v1/videos", json={"path": str(path)})
        assert answer.status_code == 409
        assert "media folders" in answer.json()["detail"]
    link.unlink()


def wait_for_jobs(client):
    for _ in range(600):
        jobs = client.get("/api/v1/jobs").json()["jobs"]
        if all(job["state"] not in ("waiting", "indexing") for job in jobs):
            return jobs
        time.sleep(0.1)
    raise AssertionError(f"still at work: {jobs}")


def test_an_upload_is_indexed_and_a_wrong_one_leaves_nothing(client, library, film):
    bad = client.post("/api/v1/uploads", files={"file": ("../../bad.mp4", b"not a film")})
    assert bad.status_code == 409
    with film.open("rb") as stream:
        good = client.post("/api/v1/uploads", files={"file": ("../My film!.mp4", stream)})
    assert good.status_code == 202
    (job,) = wait_for_jobs(client)
    assert job["state"] == "ready"
    (kept,) = (library.folder / "uploads").iterdir()
    assert kept.name == "My-film-.mp4"
    client.delete(f"/api/v1/videos/{job['video']}")


def test_an_upload_that_is_too_large_is_refused_before_it_is_taken(library, film):
    client = TestClient(create_app(library, largest_upload=1000))
    answer = client.post("/api/v1/uploads", files={"file": ("film.mp4", b"x" * 2000)})
    assert (answer.status_code, answer.json()["error"]) == (413, "TooLarge")
    endless = client.post("/api/v1/uploads", content=iter([b"x"] * 3))
    assert (endless.status_code, endless.json()["error"]) == (411, "LengthWanted")
    large = client.put("/api/v1/videos/film/annotations/ann", content=b" " * (5 << 20))
    assert large.status_code == 413


@pytest.mark.parametrize(
    "content", [b"", b"\x00" * 5000, b"<svg onload=alert(1)>", b"#EXTM3U\n/etc/passwd"]
)
def test_an_upload_of_another_type_leaves_nothing(client, library, content):
    before = set(library.folder.rglob("uploads/*"))
    answer = client.post("/api/v1/uploads", files={"file": ("film.mp4", content, "video/mp4")})
    assert answer.status_code in (409, 422)
    assert set(library.folder.rglob("uploads/*")) == before


def test_the_page_says_why_a_file_cannot_be_played(client):
    assert client.get("/api/v1/videos/film/playable").json() == {"playable": True, "reason": ""}
    assert "hevc in matroska" in why_unplayable("matroska", "hevc")


def test_a_picture_that_a_person_chose_stands_for_the_story(client):
    version = {"starts": [0, 5.0], "thumbnails": [None, 6.5]}
    client.put("/api/v1/videos/film/annotations/ann", json=version)
    own = client.get("/api/v1/videos/film/stories", params={"annotator": "ann"}).json()["stories"]
    assert [story["chosen"] for story in own] == [None, 6.5]
    assert own[1]["thumbnail"] == 6.5
    client.delete("/api/v1/videos/film/annotations/ann")


def test_every_answer_carries_a_strict_policy(client):
    for path in ("/", "/api/v1/videos", "/static/page.js", "/api/v1/videos/nothing"):
        policy = client.get(path).headers["content-security-policy"]
        assert "script-src 'self'" in policy
        assert "frame-ancestors 'none'" in policy


def test_the_page_is_served_whatever_view_is_asked_for(client):
    for path in ("/", "/search?q=x", "/watch/film"):
        assert "<main" in client.get(path).text
    assert (
        client.get("/static/../app.py").status_code == 404
        or "FastAPI" not in client.get("/static/../app.py").text
    )
