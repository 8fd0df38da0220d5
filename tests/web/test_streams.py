"""Films that browsers cannot play are streamed, with a limit, and leave nothing behind."""

import io
import shutil

import av
import pytest

from films import make_film
from serving import client_of
from storyscope import Library
from storyscope.media import process
from storyscope.web import create_app, streams
from storyscope.web.streams import Streams, TooManyStreams


@pytest.fixture(scope="module")
def old(tmp_path_factory):
    """A film in an old container and codec."""
    path = tmp_path_factory.mktemp("old") / "old.avi"
    return make_film(path, frame_count=75, codec="mpeg4")


@pytest.fixture
def client(indexed, old, tmp_path):
    """The film's record points at a file that browsers cannot play."""
    library = Library(shutil.copytree(indexed, tmp_path / "library"))
    (record,) = library.videos()
    video = type(record.video)(**{**vars(record.video), "path": str(old)})
    changed = {"video": video, "size": old.stat().st_size}
    library.store.put_record(type(record)(**{**vars(record), **changed}))
    return client_of(create_app(library))


@pytest.fixture
def encoders(monkeypatch):
    """The processes that encode, in the order they were started."""
    started = []
    start = process.subprocess.Popen

    def watched(*args, **options):
        started.append(start(*args, **options))
        return started[-1]

    monkeypatch.setattr(process.subprocess, "Popen", watched)
    return started


def test_a_film_that_browsers_cannot_play_is_streamed_from_any_time(client):
    facts = client.get("/api/v1/videos/film/playable").json()
    assert (facts["playable"], "mpeg4 in avi" in facts["reason"]) == (False, True)
    whole = client.get("/api/v1/videos/film/stream")
    assert whole.headers["content-type"] == "video/mp4"
    later = client.get("/api/v1/videos/film/stream", params={"start": 2.0})
    lengths = []
    for made in (whole, later):
        with av.open(io.BytesIO(made.content)) as film:
            lengths.append(sum(1 for _ in film.decode(video=0)))
    assert lengths == [75, 25]


def test_a_stream_that_cannot_be_made_is_a_plain_refusal(client, old):
    beyond = client.get("/api/v1/videos/film/stream", params={"start": 900})
    assert (beyond.status_code, beyond.json()["error"]) == (409, "MediaError")
    assert "no frames after 900 s" in beyond.json()["detail"]
    assert client.get("/api/v1/videos/film/stream", params={"start": -1}).status_code == 422
    assert client.get("/api/v1/videos/nothing/stream").status_code == 404


def test_streams_are_limited_and_an_idle_one_is_stopped_first(old, encoders, monkeypatch):
    open_now = Streams(most=2)
    first, second = open_now.open(old, 0.0), open_now.open(old, 0.0)
    assert first.read()
    with pytest.raises(TooManyStreams, match="try again"):
        open_now.open(old, 0.0)
    assert len(encoders) == 2
    monkeypatch.setattr(streams, "IDLE_SECONDS", 0.0)
    third = open_now.open(old, 0.0)
    assert encoders[1].poll() is not None
    assert second.read() == b""
    assert third.read()
    for each in (first, third):
        each.end()
    assert all(each.poll() is not None for each in encoders)
