"""The API: library functions over HTTP, and errors."""

import re
import shutil
import socket
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from io import BytesIO

import httpx
import pytest

from serving import client_of, served
from storyscope import Library
from storyscope.core import Transition
from storyscope.errors import LibraryError
from storyscope.formats import FORMATS
from storyscope.formats.registry import Format
from storyscope.media import Codecs
from storyscope.web import create_app
from storyscope.web.playing import why_unplayable
from storyscope.web.server import serve
from waiting import wait_until


@pytest.fixture
def client(library, film):
    return client_of(create_app(library, media_folders=(film.parent,)))


def test_videos_come_in_pages_with_a_tag(client):
    page = client.get("/api/v1/videos", params={"limit": 1})
    assert page.json()["total"] == 1
    assert page.json()["videos"][0]["id"] == "film"
    again = client.get(
        "/api/v1/videos", params={"limit": 1}, headers={"If-None-Match": page.headers["etag"]}
    )
    assert again.status_code == 304
    assert client.get("/api/v1/videos", params={"offset": 5}).json()["videos"] == []
    refused = client.get("/api/v1/videos", params={"limit": 0})
    assert (refused.status_code, refused.json()["error"]) == (422, "InvalidRequest")
    assert refused.json()["detail"].startswith("query limit: ")


def test_stories_shots_and_words_are_served(client, library):
    stories = client.get("/api/v1/videos/film/stories").json()["stories"]
    assert len(stories) == len(library.stories("film"))
    assert stories[0]["start"] <= stories[0]["thumbnail"] < stories[0]["end"]
    assert len(client.get("/api/v1/videos/film/shots").json()["shots"]) == len(
        library.shots("film")
    )
    assert client.get("/api/v1/videos/film/transcript").json()["words"][0][0] == "The"
    path = client.get("/api/v1/videos/film/path").json()
    found = [story.shots.start for story in library.stories("film")]
    assert sorted([0, *path["order"][: path["natural"] - 1]]) == found


def test_a_search_answers_with_a_story_and_its_picture(client):
    (hit, *_) = client.get("/api/v1/search", params={"q": "camel"}).json()["hits"]
    assert hit["story"]["id"] == "film/2"
    shown = client.get("/api/v1/videos/film/picture", params={"at": hit["thumbnail"]["seconds"]})
    assert shown.headers["content-type"] == "image/jpeg"
    assert client.get("/api/v1/search", params={"q": "interest rates"}).json()["hits"] == []


def test_hits_are_read_page_by_page(client):
    asked = {"q": "whale camel owl"}
    everything = client.get("/api/v1/search", params=asked).json()["hits"]
    second = client.get("/api/v1/search", params={**asked, "limit": 1, "offset": 1}).json()["hits"]
    assert second == everything[1:2] != []
    assert client.get("/api/v1/search", params={**asked, "offset": -1}).status_code == 422


def test_the_film_is_served_by_ranges(client, film):
    part = client.get("/api/v1/videos/film/media", headers={"Range": "bytes=10-19"})
    assert part.status_code == 206
    assert part.content == film.read_bytes()[10:20]


def test_a_file_put_or_linked_in_the_place_of_a_film_is_not_served(indexed, film, tmp_path):
    library = Library(shutil.copytree(indexed, tmp_path / "library"))
    (record,) = library.videos()
    mine, secret = tmp_path / "film.mp4", tmp_path / "secret.txt"
    shutil.copy(film, mine)
    secret.write_text("nobody else's business")
    video = type(record.video)(**{**vars(record.video), "path": str(mine)})
    library.store.put_record(type(record)(**{**vars(record), "video": video}))
    client = client_of(create_app(library))
    assert client.get("/api/v1/videos/film/media").status_code == 200
    mine.unlink()
    mine.symlink_to(secret)
    for view in ("media", "stream", "playable"):
        answer = client.get(f"/api/v1/videos/film/{view}")
        assert answer.status_code == 409
        assert "has changed since it was indexed" in answer.json()["detail"]


def test_a_persons_version_is_saved_compared_and_deleted(client):
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
def test_a_version_without_valid_starts_is_refused(client, version):
    assert client.put("/api/v1/videos/film/annotations/ann", json=version).status_code == 422


def test_stories_are_exported(client):
    assert client.get("/api/v1/videos/film/chapters.vtt").text.startswith("WEBVTT")
    written = client.get("/api/v1/videos/film/export/csv")
    assert written.headers["content-disposition"] == 'attachment; filename="film.csv"'
    assert client.get("/api/v1/videos/film/export/papyrus").status_code == 404
    assert [f["name"] for f in client.get("/api/v1/formats").json()["formats"]] == list(FORMATS)


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_can_be_exported(client, library, name):
    written = client.get(f"/api/v1/videos/film/export/{name}")
    if name == "youtube":
        assert "3 chapters of 10 seconds" in written.json()["detail"]
        return
    assert written.status_code == 200
    assert written.headers["content-disposition"].startswith("attachment; filename=")
    assert len(written.content) > 50
    if name in ("clips", "kodi", "thumbnails"):
        assert len(zipfile.ZipFile(BytesIO(written.content)).namelist()) > 1
    assert list(library.folder.glob(".export-*")) == []


def test_previews_are_in_one_sprite_sheet(client):
    track = client.get("/api/v1/videos/film/sprites.vtt")
    assert "#xywh=0,0,160,90" in track.text
    sheet = client.get("/api/v1/videos/film/sprites.jpg")
    assert sheet.headers["content-type"] == "image/jpeg"


def test_every_boundary_says_why_it_is_there(client, library):
    boundaries = client.get("/api/v1/videos/film/explanation").json()["boundaries"]
    assert [each["index"] for each in boundaries] == [1, 2]
    assert [each["start"] for each in boundaries] == [
        s.span.start for s in library.stories("film")[1:]
    ]
    assert all(0 <= each["confidence"] <= 1 for each in boundaries)
    assert sum(map(abs, boundaries[0]["cues"].values())) == pytest.approx(1)


def test_baselines_are_listed_with_the_other_versions(client, library):
    client.put("/api/v1/videos/film/annotations/ann", json={"starts": [0, 4.0]})
    compared = client.get("/api/v1/videos/film/annotations", params={"baselines": True}).json()
    rows = [(v["name"], v["kind"], len(v["starts"])) for v in compared["versions"]]
    assert rows[:2] == [("storyscope", "machine", 3), ("ann", "person", 2)]
    assert ("uniform", "baseline", 2) in rows
    assert ("one-per-shot", "baseline", len(library.shots("film"))) in rows
    assert {"osg", "raw-clustering"} <= {name for name, _, _ in rows}
    assert len(compared["mean_iou"]) == len(rows) == len(compared["mean_iou"][0])
    client.delete("/api/v1/videos/film/annotations/ann")


def test_a_preferred_picture_stands_for_the_story_and_stays(client, library):
    before = client.get("/api/v1/videos/film/stories").json()["stories"][1]
    shots = client.get("/api/v1/videos/film/shots").json()["shots"]
    times = [t for shot in shots for t in shot["pictures"] if before["start"] <= t < before["end"]]
    other = next(t for t in times if abs(t - before["thumbnail"]) > 0.5)
    where = "/api/v1/videos/film/stories/2/thumbnail"
    assert client.put(where, json={"seconds": other}).json() == {"seconds": other}
    assert client.get("/api/v1/videos/film/stories").json()["stories"][1]["thumbnail"] == other
    assert Library(library.folder).thumbnail("film", library.stories("film")[1]).seconds == other
    assert client.put(where, json={"seconds": 0.0}).status_code == 409
    missing = where.replace("/2/", "/9/")
    assert client.put(missing, json={"seconds": other}).status_code == 409


def test_a_gradual_transition_can_be_rejected_and_a_cut_cannot(client, library, monkeypatch):
    shots = list(library.shots("film"))
    wipe = Transition("wipe", shots[1].frames.start, shots[1].frames.start + 9, 0.9)
    shots[1] = replace(shots[1], transition=wipe)
    shots[2] = replace(shots[2], transition=Transition("cut", 99, 99))
    monkeypatch.setattr(type(library), "shots", lambda self, video: tuple(shots))
    where = "/api/v1/videos/film/shots/2/transition"

    def listed():
        return client.get("/api/v1/videos/film/shots").json()["shots"][1]

    assert (listed()["uncertain"], listed()["rejected"]) == (True, False)
    assert client.put(where, json={"rejected": True}).status_code == 204
    assert listed()["rejected"]
    assert client.put(where, json={"rejected": False}).status_code == 204
    assert not listed()["rejected"]
    refused = client.put(where.replace("/2/", "/3/"), json={"rejected": True})
    assert refused.status_code == 422
    assert "begins with a cut" in refused.json()["detail"]


def test_an_unknown_video_is_a_typed_404(client):
    for path in ("", "/stories", "/shots", "/path", "/media", "/transcript", "/annotations"):
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
    client = client_of(create_app(library, token="secret"))
    assert client.get("/api/v1/videos").status_code == 401
    assert client.get("/").status_code == 401
    assert client.get("/api/v1/videos", headers={"Authorization": "Bearer no"}).status_code == 401
    given = {"Authorization": "Bearer secret"}
    assert client.get("/api/v1/videos", headers=given).status_code == 200
    assert client.get("/?token=secret").status_code == 200
    assert client.get("/api/v1/videos").status_code == 200


def test_a_number_that_is_none_is_refused_in_words(client):
    answer = client.put(
        "/api/v1/videos/film/stories/1/thumbnail",
        content='{"seconds": NaN}',
        headers={"Content-Type": "application/json"},
    )
    assert (answer.status_code, answer.json()["error"]) == (422, "InvalidRequest")
    assert answer.json()["detail"].startswith("body seconds: ")


def test_the_page_says_why_a_file_cannot_be_played(client):
    played = client.get("/api/v1/videos/film/playable").json()
    assert (played["playable"], played["reason"]) == (True, "")
    assert (played["picture"], played["sound"]) == ("h264", "aac")
    assert "hevc in matroska" in why_unplayable(Codecs("matroska,webm", "hevc", ""))
    assert "with ac3 sound" in why_unplayable(Codecs("mov,mp4,m4a", "h264", "ac3"))
    assert why_unplayable(Codecs("matroska,webm", "vp9", "opus")) == ""
    assert why_unplayable(Codecs("mov,mp4,m4a", "h264", "")) == ""


def test_a_picture_that_a_person_chose_stands_for_the_story(client):
    version = {"starts": [0, 5.0], "thumbnails": [None, 6.5]}
    client.put("/api/v1/videos/film/annotations/ann", json=version)
    own = client.get("/api/v1/videos/film/stories", params={"annotator": "ann"}).json()["stories"]
    assert [story["chosen"] for story in own] == [None, 6.5]
    assert own[1]["thumbnail"] == 6.5
    client.delete("/api/v1/videos/film/annotations/ann")


def test_reserved_and_unusable_names_are_refused(client):
    for name in ("machine", "consensus", "Automatic", "%2e%2e", "-"):
        answer = client.put(f"/api/v1/videos/film/annotations/{name}", json={"starts": [0]})
        assert (answer.status_code, answer.json()["error"]) == (422, "AnnotationError")


def test_a_version_is_replaced_only_with_its_tag(client):
    where, version = "/api/v1/videos/film/annotations/ann", {"starts": [0, 4.0]}
    first = client.put(where, json=version, headers={"If-None-Match": "*"})
    assert first.status_code == 204
    taken = client.put(where, json={"starts": [0, 5.0]}, headers={"If-None-Match": "*"})
    assert (taken.status_code, taken.json()["error"]) == (412, "VersionTaken")
    known = {"If-Match": first.headers["etag"]}
    assert client.put(where, json={"starts": [0, 5.0]}, headers=known).status_code == 204
    assert client.put(where, json={"starts": [0, 6.0]}, headers=known).status_code == 412
    client.delete(where)


def test_an_export_holds_the_stories_that_were_asked_for(client):
    def rows(answer):
        return len(answer.text.strip().splitlines()) - 1

    where = "/api/v1/videos/film/export/csv"
    many = client.get("/api/v1/videos/film/stories", params={"granularity": 1}).json()["stories"]
    assert rows(client.get(where, params={"granularity": 1})) == len(many) > 3
    draft = {"starts": [0, 4.0], "titles": ["Sea", "The rest"]}
    written = client.post(where, json=draft)
    assert rows(written) == 2
    assert "The rest" in written.text


def test_head_asks_what_get_would_answer(client, film):
    for path in ("/", "/api/v1/videos", "/api/v1/videos/film/stream", "/api/v1/events"):
        answer = client.head(path)
        assert (answer.status_code, answer.content) == (200, b"")
    media = client.head("/api/v1/videos/film/media")
    assert int(media.headers["content-length"]) == film.stat().st_size


def test_no_response_reveals_a_folder_of_the_server(client, library, film):
    client.post("/api/v1/videos", json={"path": str(film.parent / "nothing.mp4")})
    for path in ("/videos", "/videos/film", "/videos/film/stories", "/jobs", "/videos/none"):
        text = client.get(f"/api/v1{path}").text
        assert str(film.parent) not in text
        assert str(library.folder) not in text
    refused = client.post("/api/v1/videos", json={"path": "/etc/passwd"}).text
    assert str(film.parent) not in refused


def test_results_come_in_pages(client):
    asked = {"q": "whale camel owl water desert forest"}
    whole = client.get("/api/v1/search", params=asked).json()["hits"]
    pages = [
        client.get("/api/v1/search", params=asked | {"offset": n, "limit": 1}).json()
        for n in range(len(whole))
    ]
    assert [page["hits"][0]["story"]["id"] for page in pages] == [h["story"]["id"] for h in whole]
    assert [page["more"] for page in pages] == [True] * (len(whole) - 1) + [False]


def test_a_result_names_its_moment(client):
    (hit, *_) = client.get("/api/v1/search", params={"q": "dunes"}).json()["hits"]
    assert hit["evidence"].startswith("Spoken, 0:05")
    assert hit["story"]["start"] <= hit["moment"] < hit["story"]["end"]
    none = client.get("/api/v1/search", params={"q": "dunes", "kind": "visual"}).json()
    assert all(hit["parts"]["seen"] >= 0.5 for hit in none["hits"])


def test_an_image_finds_what_looks_like_it(client):
    shown = client.get("/api/v1/videos/film/picture", params={"at": 7.0}).content
    answer = client.post("/api/v1/search/image", files={"file": ("shot.jpg", shown)})
    assert answer.status_code == 200
    assert {"hits", "more"} <= set(answer.json())
    assert client.post("/api/v1/search/image", files={"file": ("x.jpg", b"x")}).status_code == 409
    alike = client.get("/api/v1/videos/film/stories/2/similar").json()
    assert "film/2" not in [hit["story"]["id"] for hit in alike["hits"]]


def test_media_folders_can_be_browsed(client, film):
    (folder,) = client.get("/api/v1/folders").json()["folders"]
    inside = client.get("/api/v1/folders", params={"path": folder["path"]}).json()
    assert {"name": "film.mp4", "path": f"{folder['path']}/film.mp4", "known": True} in (
        inside["videos"]
    )
    for path in (f"{folder['path']}/..", "/etc", f"{folder['path']}/../.."):
        assert client.get("/api/v1/folders", params={"path": path}).status_code == 409


def test_a_video_has_a_title_that_can_be_changed(client):
    client.patch("/api/v1/videos/film", json={"title": "  Three   animals "})
    assert client.get("/api/v1/videos").json()["videos"][0]["title"] == "Three animals"
    client.patch("/api/v1/videos/film", json={"title": ""})
    assert client.get("/api/v1/videos").json()["videos"][0]["title"] == ""


def test_subtitles_that_cannot_be_read_are_refused(client, library):
    answer = client.put(
        "/api/v1/videos/film/transcript", files={"file": ("film.srt", b"no cues at all")}
    )
    assert answer.status_code in (409, 422)
    assert list((library.folder / "transcripts").iterdir()) == []


def test_sound_is_drawn_over_time(client):
    level = client.get("/api/v1/videos/film/waveform").json()["level"]
    assert len(level) > 100
    assert 0 <= min(level) < max(level) <= 1


def test_files_of_the_page_are_kept_and_compressed(client):
    page = client.get("/")
    assert page.headers["cache-control"] == "no-cache"
    (name,) = set(re.findall(r"/static/([0-9a-f]{12})/", page.text))
    script = client.get(f"/static/{name}/watch.js", headers={"Accept-Encoding": "gzip"})
    assert "immutable" in script.headers["cache-control"]
    assert script.headers["content-encoding"] == "gzip"
    assert f'<link rel="modulepreload" href="/static/{name}/watch.js">' in page.text
    film = client.get("/api/v1/videos/film/media", headers={"Accept-Encoding": "gzip"})
    assert "content-encoding" not in film.headers


def test_the_scripts_of_the_page_are_short(client):
    from storyscope.web.delivery import STATIC

    for path in [*STATIC.glob("*.js"), *STATIC.glob("*.css")]:
        lines = path.read_text(encoding="utf-8").splitlines()
        assert len(lines) <= 250, path.name
        assert max(map(len, lines)) <= 100, path.name


def test_every_answer_carries_a_strict_policy(client):
    for path in ("/", "/api/v1/videos", "/static/main.js", "/api/v1/videos/nothing"):
        policy = client.get(path).headers["content-security-policy"]
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy


def test_the_page_is_served_whatever_view_is_asked_for(client):
    for path in ("/", "/search?q=x", "/watch/film"):
        assert "<main" in client.get(path).text
    assert (
        client.get("/static/../app.py").status_code == 404
        or "FastAPI" not in client.get("/static/../app.py").text
    )


def test_the_reference_needs_nothing_from_elsewhere(client):
    page = client.get("/api/docs")
    assert "http://" not in page.text
    assert "https://" not in page.text
    assert "style-src 'self';" in page.headers["content-security-policy"]
    wanted = re.findall(r'(?:src|href)="(/static/[^"]+)"', page.text)
    assert any("swagger-ui-bundle.js" in path for path in wanted)
    assert {client.get(path).status_code for path in wanted} == {200}


def test_an_unknown_call_is_a_json_error(client):
    answer = client.get("/api/v1/no-such-thing")
    assert answer.status_code == 404
    assert answer.json()["error"] == "NotFound"


def test_a_port_that_is_taken_is_named(library):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(LibraryError, match=f"127.0.0.1:{port} cannot be opened"):
            serve(library, host="127.0.0.1", port=port, media_folders=(), token=None)


def test_exports_are_queued_without_blocking_other_requests(library, film, monkeypatch):
    running, most, go_on = [], [], threading.Event()

    def slow(timeline, path):
        running.append(path)
        most.append(len(running))
        assert go_on.wait(60)
        path.write_bytes(b"film")
        running.remove(path)

    monkeypatch.setattr("storyscope.formats.mp4.FORMAT", Format("mp4", ".mp4", "", "", save=slow))
    with served(create_app(library)) as address, ThreadPoolExecutor(45) as askers:
        asked = [
            askers.submit(httpx.get, f"{address}/api/v1/videos/film/export/mp4", timeout=120)
            for _ in range(45)
        ]
        wait_until(lambda: len(running) == 2)
        assert httpx.get(f"{address}/api/v1/videos", timeout=60).status_code == 200
        go_on.set()
        assert {each.result().status_code for each in asked} == {200}
    assert max(most) == 2


def test_a_number_of_stories_is_kept_for_a_video(client):
    path = "/api/v1/videos/film/stories"
    found = client.get(path).json()
    assert client.put(f"{path}/wanted", json={"about": 1}).status_code == 204
    facts = client.get(path).json()
    assert (len(facts["stories"]), facts["wanted"]) == (1, {"about": 1})
    assert (facts["granularity"], found["granularity"]) == (0.0, 0.5)
    assert client.get("/api/v1/videos").json()["videos"][0]["stories"] == 1
    assert client.put(f"{path}/wanted", json={}).status_code == 204
    assert client.get(path).json() == found
    for both in ({"count": 2, "granularity": 0.3}, {"count": 2, "minutes": 5}):
        refused = client.get(path, params=both)
        assert refused.status_code == 422
        assert "only one of" in refused.json()["detail"]
    twice = client.put(f"{path}/wanted", json={"about": 2, "minutes": 5})
    assert twice.status_code == 422
