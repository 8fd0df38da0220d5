"""Isolation of the decoding process: its limits, and crashes that must not affect us."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from films import make_film, read_number
from storyscope.config import MediaConfig
from storyscope.core import SmallFrame
from storyscope.decoder import container
from storyscope.errors import MediaError
from storyscope.media import ScanEnd, probe, process, scan
from storyscope.media.process import decoding
from waiting import is_running

PATIENT = MediaConfig()
HASTY = MediaConfig(stall_seconds=2.0)


@pytest.fixture
def started(monkeypatch):
    """The processes that were started, in order."""
    processes = []
    popen = subprocess.Popen

    def recording(*args, **options):
        processes.append(popen(*args, **options))
        return processes[-1]

    monkeypatch.setattr(process.subprocess, "Popen", recording)
    return processes


def assert_gone(process: subprocess.Popen) -> None:
    assert process.returncode is not None
    if hasattr(os, "waitpid"):
        with pytest.raises(ChildProcessError):
            os.waitpid(process.pid, os.WNOHANG)


def fake_worker(source: str) -> tuple[str, ...]:
    return ("-c", textwrap.dedent(source))


def complaint_of(path: Path, source: str, config: MediaConfig = PATIENT) -> str:
    """The error message if the decoding process runs `source`."""
    path.write_bytes(b"a film")
    with (
        pytest.raises(MediaError) as caught,
        decoding("scan", path, config, worker=fake_worker(source)) as process,
    ):
        list(process)
    message = str(caught.value)
    assert str(path) in message
    assert "\n" not in message
    return message


def test_a_hung_decoder_is_stopped(tmp_path):
    message = complaint_of(tmp_path / "f.mp4", "import time; time.sleep(60)", HASTY)
    assert "hang" in message


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_crashed_decoder_is_named_by_its_signal(tmp_path):
    crash = "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"
    assert "SIGSEGV" in complaint_of(tmp_path / "f.mp4", crash)


def test_a_decoder_that_cannot_start_says_why(tmp_path):
    message = complaint_of(tmp_path / "f.mp4", "raise ImportError('no av here')")
    assert "no av here" in message


@pytest.mark.parametrize(
    "words",
    [
        b"Segmentation fault",
        b"X" * 400,
        b"S" + b"\xff" * 35,
        b"P\x00\x00\x00\x01\x00\x01\x00\x03\x00\x00\x00\x03\x00\x00\x00",
    ],
)
def test_invalid_output_of_a_decoder_is_an_error(tmp_path, words):
    say = f"import sys; sys.stdout.buffer.write({words!r})"
    assert "could not be decoded" in complaint_of(tmp_path / "f.mp4", say)


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_decoder_killed_in_mid_stream_is_an_error_not_an_end(tmp_path, started):
    path = make_film(tmp_path / "f.mp4", frame_count=400)
    items = scan(path)
    next(items)
    started[0].send_signal(signal.SIGKILL)
    with pytest.raises(MediaError, match="SIGKILL"):
        list(items)
    assert_gone(started[0])


def test_leaving_early_ends_the_decoder(tmp_path, started):
    items = scan(make_film(tmp_path / "f.mp4", frame_count=400))
    next(items)
    assert started[0].poll() is None
    items.close()
    assert_gone(started[0])


def test_reading_to_the_end_leaves_no_process_behind(tmp_path, started):
    list(scan(make_film(tmp_path / "f.mp4", frame_count=5)))
    assert_gone(started[0])


def test_a_slow_reader_is_not_a_hung_decoder(tmp_path):
    # Long enough for a busy machine, so that only the reader is slow.
    items = scan(make_film(tmp_path / "f.mp4", frame_count=200), MediaConfig(stall_seconds=8.0))
    next(items)
    time.sleep(9.0)
    assert isinstance(list(items)[-1], ScanEnd)


def test_the_decoder_dies_with_its_parent(tmp_path):
    path = make_film(tmp_path / "f.mp4", frame_count=400)
    orphaning = f"""
        import os
        from storyscope.media import process, scan
        popen = process.subprocess.Popen
        def telling(*args, **options):
            process = popen(*args, **options)
            print(process.pid, flush=True)
            return process
        process.subprocess.Popen = telling
        next(scan({str(path)!r}))
        os._exit(9)
    """
    said = run_script(orphaning)
    assert said.returncode == 9
    pid = int(said.stdout)
    deadline = time.monotonic() + 20
    while is_running(pid):
        assert time.monotonic() < deadline, "the decoder outlived its parent"
        time.sleep(0.05)


def test_scripts_need_no_main_guard_and_threads_may_scan_at_once(tmp_path):
    path = make_film(tmp_path / "f.mp4", frame_count=30)
    script = f"""
        import threading
        from storyscope.media import scan
        ends = []
        threads = [
            threading.Thread(target=lambda: ends.append(list(scan({str(path)!r}))[-1]))
            for _ in range(3)
        ]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        print([end.frame_count for end in ends])
    """
    assert run_script(script).stdout.strip() == "[30, 30, 30]"


def run_script(source: str) -> subprocess.CompletedProcess:
    here = Path(process.__file__).parents[2]
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(source)],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(here)},
    )


@pytest.mark.parametrize("name", ["list.mp4", "list.m3u8"])
@pytest.mark.parametrize(
    "script",
    [
        "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n{target}\n#EXT-X-ENDLIST\n",
        "ffconcat version 1.0\nfile '{target}'\n",
        "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 96\n",
        "[playlist]\nFile1={target}\nNumberOfEntries=1\n",
        "<?xml version='1.0'?><MPD xmlns='urn:mpeg:dash:schema:mpd:2011' type='static'><Period>"
        "<AdaptationSet><BaseURL>{target}</BaseURL></AdaptationSet></Period></MPD>",
    ],
    ids=["hls", "concat", "sdp", "pls", "dash"],
)
def test_a_list_of_other_files_opens_none_of_them(tmp_path, name, script):
    film = make_film(tmp_path / "other.mp4", frame_count=5)
    with Listener() as listener:
        for target in (film, listener.address):
            path = tmp_path / name
            path.write_text(script.format(target=target))
            with pytest.raises(MediaError, match="is not a video"):
                probe(path)
        assert not listener.was_called


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes")
def test_a_list_naming_a_pipe_does_not_wait_for_it(tmp_path):
    os.mkfifo(tmp_path / "pipe.ts")
    path = tmp_path / "list.mp4"
    path.write_text(f"ffconcat version 1.0\nfile '{tmp_path / 'pipe.ts'}'\n")
    with pytest.raises(MediaError, match="is not a video"):
        probe(path)
    with pytest.raises(MediaError, match="not a regular file"):
        probe(tmp_path / "pipe.ts")


class Listener:
    """A local server that records whether anything connects to it."""

    def __enter__(self) -> Listener:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._socket.getsockname()[1]}/film.ts"
        self.was_called = False
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def _listen(self) -> None:
        try:
            connection, _ = self._socket.accept()
        except OSError:
            return
        self.was_called = True
        connection.close()


def test_frames_with_too_many_pixels_are_refused(tmp_path):
    path = make_film(tmp_path / "big.mp4", frame_count=2, size=(640, 480))
    with pytest.raises(MediaError, match=r"pixels.*media\.max_pixels"):
        list(scan(path, MediaConfig(max_pixels=300_000)))
    assert isinstance(list(scan(path, MediaConfig(max_pixels=310_000)))[-1], ScanEnd)


def test_frames_that_grow_in_mid_stream_are_refused_and_reported(tmp_path):
    small = make_film(tmp_path / "small.h264", frame_count=10, size=(64, 36))
    big = make_film(tmp_path / "big.h264", frame_count=10, size=(640, 480))
    bomb = tmp_path / "bomb.h264"
    bomb.write_bytes(small.read_bytes() + big.read_bytes())
    items = list(scan(bomb, MediaConfig(max_pixels=100_000)))
    assert [read_number(item.rgb) for item in items if isinstance(item, SmallFrame)] == list(
        range(10)
    )
    assert "damaged packet" in items[-1].damaged


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux bounds a process's memory")
def test_a_film_that_wants_too_much_memory_is_refused(tmp_path):
    path = make_film(tmp_path / "huge.mp4", frame_count=8, size=(4096, 2400), gop=8)
    with pytest.raises(MediaError, match=r"more than 64 MB.*media\.max_memory_mb"):
        list(scan(path, MediaConfig(max_memory_mb=64)))
    assert isinstance(list(scan(path, MediaConfig(max_memory_mb=1024)))[-1], ScanEnd)


def test_even_a_container_that_names_other_files_cannot_open_them(tmp_path, monkeypatch):
    film = make_film(tmp_path / "other.ts", frame_count=5)
    monkeypatch.setattr(container, "CONTAINERS", "hls,mpegts")
    terms = container.Terms(max_pixels=10**6, threads=1, on_progress=lambda: None)
    with Listener() as listener:
        for target in (film.name, listener.address):
            path = tmp_path / "list.m3u8"
            path.write_text(f"#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n{target}\n")
            with pytest.raises(container.Refusal):
                container.open_film(str(path), terms)
        assert not listener.was_called
