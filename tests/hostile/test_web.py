"""Cross-site and incomplete requests, and output that must not reach a terminal."""

import asyncio
import errno
import shutil
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import repeat

import pytest
import uvicorn
from fastapi import FastAPI
from fastapi.responses import StreamingResponse
from fastapi.testclient import TestClient

from serving import client_of
from storyscope import Library
from storyscope.cli.show import print_table, printable
from storyscope.errors import DiskFull
from storyscope.formats.csv_table import no_formula
from storyscope.web import connections, create_app, guard
from storyscope.web.indexing import TooManyWatchers
from waiting import wait_until


@pytest.fixture
def library(indexed, tmp_path):
    return Library(shutil.copytree(indexed, tmp_path / "library"))


@pytest.fixture
def client(library):
    return client_of(create_app(library))


@pytest.mark.parametrize(
    "origin",
    [
        "http://localhost:81",
        "https://localhost",
        "http://evil.example",
        "http://evil@localhost",
        "null",
        "http://[::1",
        "x",
    ],
)
def test_another_origin_changes_nothing(client, library, origin):
    answer = client.delete("/api/v1/videos/film", headers={"Origin": origin})
    assert (answer.status_code, answer.json()["error"]) == (403, "CrossSite")
    assert len(library.videos()) == 1


def test_the_same_origin_may_change(client):
    answer = client.delete("/api/v1/videos/none", headers={"Origin": "http://localhost:80"})
    assert answer.status_code == 404


def test_of_two_origins_both_must_be_ours(client):
    origins = [("Origin", "http://localhost"), ("Origin", "http://evil.example")]
    assert client.delete("/api/v1/videos/none", headers=origins).status_code == 403


def test_an_upload_that_is_no_film_is_named_without_its_folder(client):
    answer = client.post("/api/v1/uploads", files={"file": ("a.mp4", b"#EXTM3U\n/etc/passwd\n")})
    assert answer.status_code == 409
    assert answer.json()["detail"].startswith("a.mp4 is not a video")


@pytest.mark.parametrize(
    ("name", "method", "path", "sent"),
    [
        ("uploads", "POST", "uploads", ("a.mp4", b"x")),
        (
            "transcripts",
            "PUT",
            "videos/film/transcript",
            ("a.srt", b"1\n0:00:01,000 --> 0:00:02,000\nA"),
        ),
    ],
)
def test_nothing_is_uploaded_behind_a_link(client, library, tmp_path, name, method, path, sent):
    outside = tmp_path / "outside"
    outside.mkdir()
    (library.folder / name).symlink_to(outside)
    answer = client.request(method, f"/api/v1/{path}", files={"file": sent})
    assert (answer.status_code // 100, list(outside.iterdir())) == (4, [])
    assert "is a link" in answer.json()["detail"]


def test_the_folder_of_a_film_is_not_revealed(client, library, film, tmp_path):
    secret = tmp_path / "a secret place"
    secret.mkdir()
    moved = shutil.copy2(film, secret / "film.mp4")
    record = library.store.record("film")
    video = replace(record.video, path=str(moved))
    library.store.put_record(replace(record, video=video, failure=f"{moved} is damaged"))
    paths = ("", "/film", "/film/stream?start=99999")
    listed, shown, streamed = (client.get(f"/api/v1/videos{path}").text for path in paths)
    assert "secret" not in f"{listed} {shown} {streamed}"
    assert '"film.mp4 has no frames' in streamed


def test_a_form_changes_nothing(library):
    plain = TestClient(create_app(library), base_url="http://localhost")
    for sent in ({"data": {"path": "x"}}, {"files": {"file": ("a.mp4", b"x")}}):
        answer = plain.post("/api/v1/uploads", **sent)
        assert (answer.status_code, answer.json()["error"]) == (403, "HeaderWanted")
    assert plain.post("/api/v1/videos/film/index").status_code == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_another_site_reads_nothing_of_the_api(client, site):
    headers = {"Sec-Fetch-Site": site}
    assert client.get("/api/v1/videos", headers=headers).status_code == 403
    assert client.get("/", headers=headers).status_code == 200


@pytest.mark.parametrize("host", ["testserver", "evil.example", "[::1", ""])
def test_only_local_names_are_answered(client, host):
    assert client.get("/api/v1/videos", headers={"Host": host}).status_code == 403


def test_long_addresses_and_bodies_without_a_length_are_refused(client):
    assert client.get(f"/api/v1/search?q={'a' * 9000}").status_code == 414
    both = {"Transfer-Encoding": "chunked", "Content-Length": "2"}
    answer = client.post("/api/v1/videos", headers=both, content=b"{}")
    assert answer.status_code == 411


def test_the_token_leaves_the_address_and_is_kept_in_a_safe_cookie(library, monkeypatch):
    monkeypatch.setattr(guard, "GUESS_SECONDS", 0.2)
    app = create_app(library, token="secret")
    client = client_of(app, follow_redirects=False)
    answer = client.get("http://localhost//evil.example/?token=secret&view=a")
    assert (answer.status_code, answer.headers["location"]) == (303, "/evil.example/?view=a")
    cookie = answer.headers["set-cookie"].lower()
    assert all(word in cookie for word in ("httponly", "samesite=strict"))
    assert "secure" not in cookie
    assert client.get("/api/v1/videos").status_code == 200
    secure = TestClient(app, base_url="https://localhost", follow_redirects=False)
    assert "secure" in secure.get("/?token=secret").headers["set-cookie"].lower()
    begin = time.monotonic()
    assert client_of(app).get("/?token=wrong").status_code == 401
    assert time.monotonic() - begin >= 0.2


def test_a_film_replaced_by_a_link_is_not_served(library, film, tmp_path):
    media, outside = tmp_path / "media", tmp_path / "outside.mp4"
    media.mkdir()
    mine = media / "mine.mp4"
    shutil.copy(film, mine)
    record = library.store.record("film")
    library.store.put_record(replace(record, video=replace(record.video, path=str(mine))))
    client = client_of(create_app(library, media_folders=(media,)))
    assert client.get("/api/v1/videos/film/media").status_code == 200
    mine.rename(outside)
    mine.symlink_to(outside)
    assert client.get("/api/v1/videos/film/media").status_code == 409


def test_a_film_behind_a_link_is_not_indexed_again(library, film, tmp_path):
    media = tmp_path / "media"
    media.mkdir()
    mine, outside = media / "mine.mp4", tmp_path / "outside.mp4"
    shutil.copy(film, outside)
    mine.symlink_to(outside)
    record = library.store.record("film")
    library.store.put_record(replace(record, video=replace(record.video, path=str(mine))))
    app = create_app(library, media_folders=(media,))
    assert client_of(app).post("/api/v1/videos/film/index").status_code == 409
    job = app.state.indexer.add(mine)
    wait_until(lambda: job.state == "failed")
    assert "replaced by a link" in job.failure


def raise_full(*_):
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize(
    "place", ["storyscope.web.adding.write_whole", "tempfile.SpooledTemporaryFile.write"]
)
def test_a_full_disk_during_an_upload_is_reported(client, library, film, monkeypatch, place):
    monkeypatch.setattr(place, raise_full)
    answer = client.post("/api/v1/uploads", files={"file": ("a.mp4", b"a film")})
    assert (answer.status_code, answer.json()["error"]) == (507, "DiskFull")
    assert not library.uploads.exists() or not list(library.uploads.iterdir())


def test_a_full_disk_under_the_database_is_reported(client, library, monkeypatch):
    def full(*_, **__):
        raise DiskFull("the disk is full")

    monkeypatch.setattr(type(library), "annotate", full)
    answer = client.put("/api/v1/videos/film/annotations/Ann", json={"starts": [0]})
    assert answer.status_code == 507


@contextmanager
def running(app):
    """The address of a server of this application."""
    config = uvicorn.Config(app, http=connections.PunctualProtocol, log_level="warning")
    server = uvicorn.Server(config)
    door = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run, args=([door],), daemon=True)
    thread.start()
    yield door.getsockname()
    server.should_exit = True
    thread.join(30)


def test_an_incomplete_request_is_disconnected(library, monkeypatch):
    monkeypatch.setattr(connections, "HEADER_SECONDS", 0.3)
    with running(create_app(library)) as door:
        with socket.create_connection(door, timeout=30) as half:
            half.sendall(b"GET /api/v1/videos HTTP/1.1\r\nHost: loc")
            assert half.recv(100) == b""
        with socket.create_connection(door, timeout=30) as whole:
            whole.sendall(b"GET /api/v1/videos HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert whole.recv(12) == b"HTTP/1.1 200"


def test_a_response_that_is_not_read_is_disconnected(monkeypatch):
    monkeypatch.setattr(connections, "STALLED_SECONDS", 0.3)
    app = FastAPI()

    @app.get("/endless")
    def endless():
        return StreamingResponse(repeat(b"x" * 65_536, 4000))

    with running(app) as door, socket.create_connection(door, timeout=30) as reader:
        reader.sendall(b"GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert reader.recv(12) == b"HTTP/1.1 200"
        time.sleep(1.0)
        taken = 0
        with suppress(ConnectionResetError):
            while piece := reader.recv(1 << 20):
                taken += len(piece)
        assert taken < 4000 * 65_536


def test_no_more_pages_watch_than_leave_others_a_connection(library, client, monkeypatch):
    indexer = client.app.state.indexer

    async def watch():
        watching = [indexer.watch() for _ in range(3)]
        for each in watching:
            await anext(each)
        with pytest.raises(TooManyWatchers):
            indexer.refuse_watchers_beyond(3)
        await watching[0].aclose()
        indexer.refuse_watchers_beyond(3)

    asyncio.run(watch())
    monkeypatch.setattr(indexer, "_watchers", 1000)
    assert client.get("/api/v1/events").status_code == 503


def test_large_files_are_read_two_at_once_without_blocking_others(library, monkeypatch):
    monkeypatch.setattr(type(library), "search_image", lambda *_, **__: gate.wait(30) and [])
    gate = threading.Event()
    app = create_app(library)
    with client_of(app) as client, ThreadPoolExecutor(6) as people:
        sent = [
            people.submit(client.post, "/api/v1/search/image", files={"file": ("a.png", b"x")})
            for _ in range(6)
        ]
        wait_until(lambda: app.state.readers.statistics().tasks_waiting == 4)
        assert client.get("/api/v1/videos").status_code == 200
        gate.set()
        assert [each.result().status_code for each in sent] == [200] * 6


def test_the_demo_film_is_made_once_at_a_time(client, monkeypatch):
    gate, made = threading.Event(), []
    monkeypatch.setattr("storyscope_demo.find_demo", lambda _: gate.wait(30) and made.append(1))
    monkeypatch.setattr("storyscope_demo.make_demo", raise_full)
    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    answers = [client.post("/api/v1/demo").status_code for _ in range(4)]
    gate.set()
    assert answers == [202, 409, 409, 409]
    wait_until(lambda: not client.app.state.making_demo.locked())
    assert made == [1]


@pytest.mark.parametrize("title", ["=1+1", "+1", "-1", "@SUM(A1)", "\tx"])
def test_no_cell_of_a_table_is_a_formula(title):
    assert no_formula(title) == f"'{title}"
    assert no_formula("The hunt = the end") == "The hunt = the end"


def test_no_control_sequence_reaches_the_terminal():
    safe = printable("film\x1b]0;pwned\x07\x9b31m\ud800 é 映画\n")
    assert not set(safe) & {"\x1b", "\x07", "\x9b", "\ud800"}
    assert safe.endswith(" é 映画\n")


def test_a_name_with_a_line_break_is_one_row_of_a_table(capsys):
    print_table("id", "file", rows=[("a", "a\nb  ready  /etc/passwd")])
    assert len(capsys.readouterr().out.strip().splitlines()) == 2
