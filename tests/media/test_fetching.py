"""Films in a bucket behind a real HTTP server: listed, fetched once, and decoded locally."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from benchmarks.scale.s3_server import bucket_environment, s3_server
from storyscope.errors import MediaError
from storyscope.media import fetching, film_at_hand, film_stamp, find_videos, has_film, probe
from storyscope.media.fetching import make_room, words_beside

pytest.importorskip("obstore")


@pytest.fixture
def bucket(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with s3_server() as server, bucket_environment(server):
        yield server


def fetches(bucket):
    return [key for method, key in bucket.asked if method == "GET"]


def cached(tmp_path):
    return [path for path in (tmp_path / "cache").rglob("*") if path.suffix == ".mp4"]


def test_a_film_in_a_bucket_is_fetched_once_and_decoded_like_a_file(bucket, film, tmp_path):
    bucket.keep("films/film.mp4", film.read_bytes())
    there, here = probe("s3://archive/films/film.mp4"), probe(film)
    assert (there.digest, there.duration, there.width) == (here.digest, here.duration, here.width)
    assert probe(Path("s3://archive/films/film.mp4")).digest == here.digest
    assert fetches(bucket) == ["films/film.mp4"]
    assert [path.name for path in cached(tmp_path)] == ["film.mp4"]


def test_a_folder_of_a_bucket_gives_its_videos(bucket):
    for key in ("films/b.mkv", "films/deep/a.mp4", "films/words.srt", "other/c.mp4"):
        bucket.keep(key, b"x")
    found = [str(path) for path in find_videos(["s3://archive/films"])]
    assert found == ["s3:/archive/films/b.mkv", "s3:/archive/films/deep/a.mp4"]
    assert [path.name for path in find_videos(["s3://archive/other/c.mp4"])] == ["c.mp4"]
    with pytest.raises(MediaError, match=r"s3://archive/none contains no videos"):
        find_videos(["s3://archive/none"])
    with pytest.raises(MediaError, match=r"s3://archive/films/z\.mp4 does not exist"):
        find_videos(["s3://archive/films/z.mp4"])
    assert [has_film(f"s3://archive/films/{name}") for name in ("b.mkv", "z.mp4")] == [True, False]


def test_another_content_under_the_same_address_is_another_film(bucket):
    bucket.keep("film.mp4", b"first")
    before = film_stamp("s3://archive/film.mp4")
    with film_at_hand("s3://archive/film.mp4") as path:
        assert path.read_bytes() == b"first"
    bucket.keep("film.mp4", b"other")
    assert film_stamp("s3://archive/film.mp4") != before
    with film_at_hand("s3://archive/film.mp4") as path:
        assert path.read_bytes() == b"other"


def test_a_film_that_changes_while_it_is_fetched_is_refused(bucket, monkeypatch, tmp_path):
    bucket.keep("film.mp4", b"first")
    found = fetching.find_film("s3://archive/film.mp4")
    monkeypatch.setattr(fetching, "find_film", lambda film: found)
    bucket.keep("film.mp4", b"later")
    with (
        pytest.raises(MediaError, match=r"s3://archive/film\.mp4 cannot be downloaded"),
        film_at_hand("s3://archive/film.mp4"),
    ):
        pass
    assert cached(tmp_path) == []


def test_concurrent_readers_fetch_a_film_once(bucket):
    bucket.keep("film.mp4", b"x" * 1_000_000)

    def size(_):
        with film_at_hand("s3://archive/film.mp4") as path:
            return path.stat().st_size

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(size, range(4))) == [1_000_000] * 4
    assert fetches(bucket) == ["film.mp4"]


def test_the_cache_evicts_the_least_recently_used_films_but_none_in_use(bucket, tmp_path):
    for name in ("a", "b", "c"):
        bucket.keep(f"{name}.mp4", name.encode() * 1000)
        with film_at_hand(f"s3://archive/{name}.mp4") as path:
            os.utime(path.parent, (ord(name), ord(name)))
    films = tmp_path / "cache" / "storyscope" / "films"
    with film_at_hand("s3://archive/a.mp4") as path:
        os.utime(path.parent, (1, 1))
        make_room(films, 2000)
        assert sorted(path.name for path in cached(tmp_path)) == ["a.mp4", "c.mp4"]
    make_room(films, 0)
    assert cached(tmp_path) == []


def test_a_film_larger_than_the_cache_is_refused(bucket, monkeypatch):
    bucket.keep("film.mp4", b"x" * 2000)
    monkeypatch.setenv(fetching.CACHE_VARIABLE, "0.000001")
    with (
        pytest.raises(MediaError, match="more than the cache of films may have; raise STORYSCOPE"),
        film_at_hand("s3://archive/film.mp4"),
    ):
        pass
    assert fetches(bucket) == []


def test_subtitles_beside_a_film_come_with_it(bucket):
    bucket.keep("films/film.mp4", b"x")
    assert words_beside("s3://archive/films/film.mp4", [".srt", ".vtt"]) is None
    bucket.keep("films/film.vtt", b"WEBVTT")
    found = words_beside("s3://archive/films/film.mp4", [".srt", ".vtt"])
    assert (found.name, found.read_bytes()) == ("film.vtt", b"WEBVTT")


def test_a_film_that_names_another_address_causes_no_request_to_it(bucket):
    asked = []

    class Elsewhere(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_error(404)

    with HTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/film.ts"
        playlist = f"#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\n{address}\n#EXT-X-ENDLIST\n"
        bucket.keep("list.mp4", playlist.encode())
        with pytest.raises(MediaError):
            probe("s3://archive/list.mp4")
        server.shutdown()
    assert asked == []
    assert fetches(bucket) == ["list.mp4"]
