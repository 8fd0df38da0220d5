"""Uploads to a library with arrays in a bucket can be read by every server and worker."""

import json
from pathlib import Path

import pytest

from benchmarks.scale.s3_server import bucket_environment, s3_server
from serving import client_of
from storyscope import Library
from storyscope.config import MediaConfig
from storyscope.library.adding import _probed
from storyscope.media import fetching
from storyscope.progress import silent
from storyscope.web import create_app

pytest.importorskip("obstore")


@pytest.fixture
def bucket():
    with s3_server() as server, bucket_environment(server):
        yield server


@pytest.fixture
def library(postgres, bucket, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    library = Library(f"{postgres.uri}&arrays=s3://archive/library&schema=bucket_uploads")
    yield library
    library.store.close()


@pytest.fixture
def watched(library, bucket, film, tmp_path, monkeypatch):
    """A client of a library with a film in its bucket, which this machine has not fetched."""
    bucket.keep("films/film.mp4", film.read_bytes())
    library.store.add_record(
        _probed(Path("s3://archive/films/film.mp4"), MediaConfig(), "w", silent)
    )
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "another machine"))
    bucket.sent = 0
    yield client_of(create_app(library))
    library.store.remove("w")


PARTS = [
    ({}, 200, slice(None)),
    ({"Range": "bytes=10-99"}, 206, slice(10, 100)),
    ({"Range": "bytes=-50"}, 206, slice(-50, None)),
    ({"Range": "bytes=7-"}, 206, slice(7, None)),
    ({"Range": "bytes=7-", "If-Range": '"another"'}, 200, slice(None)),
    ({"Range": "bytes=1-2,5-6"}, 200, slice(None)),
    ({"Range": "bytes=9999999999-"}, 416, slice(0)),
    ({"Range": "bytes=5-2"}, 416, slice(0)),
]


def test_a_film_is_played_from_its_bucket_by_ranges(watched, bucket, film, monkeypatch):
    whole = film.read_bytes()
    for asked, status, part in PARTS:
        bucket.sent = 0
        answer = watched.get("/api/v1/videos/w/media", headers=asked)
        wanted = whole[part]
        assert (answer.status_code, answer.content) == (status, wanted), asked
        assert answer.headers["content-length"] == str(len(wanted))
        assert bucket.sent == len(wanted)
        if status == 206:
            first = part.indices(len(whole))[0]
            expected = f"bytes {first}-{first + len(wanted) - 1}/{len(whole)}"
            assert answer.headers["content-range"] == expected
    # The codecs are detected without reading the middle of the film.
    bucket.sent = 0
    monkeypatch.setattr(fetching, "OUTLINE_BYTES", 48_000)
    assert watched.get("/api/v1/videos/w/playable").json()["playable"]
    assert bucket.sent == 96_000 < len(whole)


def test_an_upload_goes_to_the_bucket_is_played_from_there_and_removed(
    library, bucket, film, index_process
):
    client = client_of(create_app(library))
    words = film.with_suffix(".srt").read_bytes()
    files = {"file": ("My film.mp4", film.read_bytes()), "transcript": ("a.srt", words)}
    assert client.post("/api/v1/uploads", files=files).status_code == 202
    (job,) = map(json.loads, library.store.jobs.all().values())
    assert job["path"].startswith("s3://archive/library/uploads/")
    assert job["path"].endswith("/My-film.mp4")
    assert job["transcript"] == job["path"].replace(".mp4", ".srt")
    kept = {key.rpartition("/")[2]: body for key, (body, _) in bucket.objects.items()}
    assert kept == {"My-film.mp4": film.read_bytes(), "My-film.srt": words}
    assert list(library.uploads.iterdir()) == []
    index_process.touch()

    record = _probed(Path(job["path"]), MediaConfig(), "film", silent)
    library.store.add_record(record)
    answer = client.get("/api/v1/videos/film/media", headers={"Range": "bytes=10-99"})
    assert (answer.status_code, answer.content) == (206, film.read_bytes()[10:100])
    assert client.get("/api/v1/videos/film/playable").json()["playable"]
    (name,) = [key for key in bucket.objects if key.endswith(".mp4")]
    bucket.keep(name, b"another film")
    assert client.get("/api/v1/videos/film/media").status_code == 409
    library.remove("film")
    assert not any(key.endswith(".mp4") for key in bucket.objects)
