"""Uploads and jobs over HTTP: videos are added, stopped, resumed and refused."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys

import httpx
import pytest

from serving import client_of
from storyscope.processes import indexing
from storyscope.web import create_app
from waiting import wait_until


@pytest.fixture
def client(library, film):
    return client_of(create_app(library, media_folders=(film.parent,)))


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


def wait_for_jobs(client, prefix="/api/v1"):
    """The jobs once all of them have ended."""

    def jobs():
        return client.get(f"{prefix}/jobs").json()["jobs"]

    wait_until(lambda: all(job["state"] not in ("waiting", "indexing") for job in jobs()))
    return jobs()


def test_an_upload_is_indexed_and_a_wrong_one_leaves_nothing(client, library, film):
    bad = client.post("/api/v1/uploads", files={"file": ("../../bad.mp4", b"not a film")})
    assert bad.status_code == 409
    with film.open("rb") as stream:
        good = client.post("/api/v1/uploads", files={"file": ("../My film!.mp4", stream)})
    assert good.status_code == 202
    (job,) = wait_for_jobs(client)
    assert job["state"] == "ready"
    (kept,) = (library.folder / "uploads").rglob("*.*")
    assert kept.name == "My-film-.mp4"
    client.delete(f"/api/v1/videos/{job['video']}")
    assert list((library.folder / "uploads").iterdir()) == []


def test_uploads_do_not_interfere_with_each_other(library, film, monkeypatch):
    monkeypatch.setattr(indexing, "WORKER", ("-S", "-c", "import time; time.sleep(60)"))
    client = client_of(create_app(library))
    words = [f"1\n00:00:00,000 --> 00:00:02,000\n{word}.\n" for word in ("one", "two")]

    def upload(name, transcript, text):
        files = {"file": (name, film.read_bytes()), "transcript": (transcript, text)}
        return client.post("/api/v1/uploads", files=files)

    for name, text in zip(("clash.mkv", "clash.mp4"), words, strict=True):
        assert upload(name, "clash.srt", text).status_code == 202
    evil = upload("clash.mp4", "evil.mp4", "not a film")
    assert (evil.status_code, evil.json()["error"]) == (409, "TranscriptError")
    kept = {path.read_bytes() for path in library.uploads.rglob("clash.*")}
    assert kept == {film.read_bytes(), *(text.encode() for text in words)}
    for job in client.get("/api/v1/jobs").json()["jobs"]:
        client.delete(f"/api/v1/jobs/{job['id']}")
        client.delete(f"/api/v1/jobs/{job['id']}")
    shutil.rmtree(library.uploads)


def test_a_stopped_job_ends_at_once_and_resumes_where_it_stopped(client, library, film):
    with film.open("rb") as stream:
        upload = client.post("/api/v1/uploads", files={"file": ("slow.mp4", stream)})
    (number,) = upload.json()["jobs"]
    job = client.app.state.indexer
    wait_until(lambda: job.jobs()[-1]["stage"] != "")
    assert client.delete(f"/api/v1/jobs/{number}").json() == {"state": "cancelled"}
    assert client.post("/api/v1/jobs/99/resume").status_code == 404
    (again,) = client.post(f"/api/v1/jobs/{number}/resume").json()["jobs"]
    (job,) = wait_for_jobs(client)
    assert (job["id"], job["state"], job["video"]) == (again, "ready", "slow")
    assert client.post(f"/api/v1/jobs/{number}/resume").status_code == 404
    assert client.post("/api/v1/videos/slow/index").status_code == 202
    assert [job["state"] for job in wait_for_jobs(client)] == ["ready", "ready"]
    client.delete("/api/v1/videos/slow")


SERVER = """
import sys
from pathlib import Path
from storyscope import Library
from storyscope.processes import indexing
from storyscope.web.server import serve
worker = "import json, sys, time; json.loads(sys.stdin.readline()); time.sleep(float(sys.argv[1]));"
worker += "print(json.dumps({'video': 'film'}))"
indexing.WORKER = ("-S", "-c", worker, sys.argv[3])
media = (Path(sys.argv[4]),)
place = {"host": "127.0.0.1", "port": int(sys.argv[2])}
serve(Library(sys.argv[1]), **place, media_folders=media, token=None)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals are not sent on Windows")
def test_no_acknowledged_upload_is_lost_with_the_server(film, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as door:
        port = door.getsockname()[1]

    def start(seconds):
        words = [str(tmp_path / "library"), str(port), seconds, str(film.parent)]
        server = subprocess.Popen([sys.executable, "-c", SERVER, *words], stdout=subprocess.PIPE)
        assert b"is open at" in server.stdout.readline()
        base = f"http://127.0.0.1:{port}/api/v1"
        return server, httpx.Client(base_url=base, headers={"X-Storyscope": "1"}, timeout=120)

    server, client = start("600")
    wait_until(lambda: _answers(client))
    taken = [
        client.post("/uploads", files={"file": (f"{number}.mp4", film.read_bytes())}).json()["jobs"]
        for number in range(7)
    ]
    client.delete("/jobs/7")
    server.kill()
    server.wait()
    server, client = start("0")
    wait_until(lambda: _answers(client))
    try:
        jobs = {job["id"]: job["state"] for job in wait_for_jobs(client, prefix="")}
        assert sorted(jobs) == sorted(number for (number,) in taken)
        assert [jobs[number] for number in range(1, 8)] == ["ready"] * 6 + ["cancelled"]
    finally:
        server.kill()
        server.wait()


def _answers(client):
    try:
        return client.get("/jobs").status_code == 200
    except httpx.TransportError:
        return False


def test_ctrl_c_is_for_the_server_and_not_for_its_worker(library, film, tmp_path):
    wanted = {
        "library": str(tmp_path),
        "settings": "",
        "path": str(film),
        "transcript": None,
        "again": False,
        "nice": 0,
        "real_folders": [],
    }
    with subprocess.Popen(
        [sys.executable, "-m", "storyscope.processes.index_process"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as worker:
        worker.stdin.write(json.dumps(wanted).encode() + b"\n")
        worker.stdin.flush()
        assert b"stage" in worker.stdout.readline()
        worker.send_signal(signal.SIGINT)
        *_, last = worker.stdout
        assert json.loads(last) == {"video": "film"}


def test_a_film_that_fails_says_why(client, film):
    broken = film.parent / "broken.mp4"
    broken.write_bytes(film.read_bytes()[:3000])
    client.post("/api/v1/videos", json={"path": str(broken)})
    (job,) = wait_for_jobs(client)
    assert job["state"] == "failed"
    assert "broken.mp4" in job["failure"]
    broken.unlink()


def test_an_upload_that_is_too_large_is_refused_before_it_is_taken(library, film):
    client = client_of(create_app(library, largest_upload=1000))
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


def test_a_server_deletes_leftovers_of_a_killed_one_and_nothing_in_progress(library):
    library.uploads.mkdir(exist_ok=True)
    places = [library.uploads / ".upload-", library.folder / ".export-", library.folder / ".part-"]
    for place in places:
        for age in ("old", "new"):
            made = place.with_name(place.name + age) / "film.mp4"
            made.parent.mkdir()
            made.write_bytes(b"half a film")
            if age == "old":
                os.utime(made, (0, 0))
                os.utime(made.parent, (0, 0))
    create_app(library)
    left = [path for path in library.folder.rglob(".*-*") if path.is_dir()]
    assert sorted(path.name for path in left) == [".export-new", ".part-new", ".upload-new"]
    for path in left:
        shutil.rmtree(path)
