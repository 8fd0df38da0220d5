"""Checkpoints are read without torch, and malicious ones cannot run code."""

import os
import pickle
import struct
import zipfile

import numpy as np
import pytest

from storyscope.errors import ModelError
from storyscope.features.checkpoint import MAGIC, read_weights


class _Runs:
    """An object whose pickle calls os.system."""

    def __init__(self, command):
        self.command = command

    def __reduce__(self):
        return os.system, (self.command,)


@pytest.mark.parametrize("container", ["zip", "legacy", "bare"])
def test_a_hostile_pickle_is_refused_before_it_runs(tmp_path, container):
    trace = tmp_path / "trace"
    hostile = pickle.dumps({"weight": _Runs(f"touch {trace}")}, protocol=2)
    path = tmp_path / "hostile.pth"
    if container == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("hostile/data.pkl", hostile)
    else:
        start = [pickle.dumps(value, 2) for value in (MAGIC, 1001, {})]
        path.write_bytes(b"".join(start if container == "legacy" else []) + hostile)
    with pytest.raises(ModelError, match="system"):
        read_weights(path)
    assert not trace.exists()


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("builtins", "eval"),
        ("torch", "load"),
        ("torch._utils", "_rebuild_sparse_tensor"),
        ("collections", "namedtuple"),
        ("numpy", "load"),
    ],
)
def test_no_name_but_those_of_tensors_is_allowed(tmp_path, module, name):
    path = tmp_path / "names.pth"
    path.write_bytes(f"c{module}\n{name}\n.".encode())
    with pytest.raises(ModelError, match="which no tensor needs"):
        read_weights(path)


@pytest.mark.parametrize("content", [b"", b"hello", b"\x80\x02K\x01.", b"PK\x03\x04"])
def test_what_is_no_checkpoint_is_a_clear_error(tmp_path, content):
    path = tmp_path / "broken.pth"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=r"broken\.pth"):
        read_weights(path)


def test_a_tensor_may_not_reach_outside_its_numbers(tmp_path):
    path = tmp_path / "reach.pth"
    path.write_bytes(_legacy(numbers=np.arange(6, dtype="<f4"), offset=3, shape=(2, 3)))
    with pytest.raises(ModelError, match="outside its numbers"):
        read_weights(path)


def test_a_legacy_checkpoint_is_read_as_it_was_written(tmp_path):
    path = tmp_path / "legacy.pth"
    path.write_bytes(_legacy(numbers=np.arange(7, dtype="<f4"), offset=1, shape=(2, 3)))
    assert read_weights(path)["weight"].tolist() == [[1, 2, 3], [4, 5, 6]]


@pytest.mark.parametrize("zipped", [True, False])
def test_torch_reads_the_same_tensors(tmp_path, zipped):
    torch = pytest.importorskip("torch")
    generator = torch.Generator().manual_seed(0)
    table = {
        "plain": torch.rand(3, 4, generator=generator),
        "turned": torch.rand(3, 4, generator=generator).T,
        "part": torch.arange(20).reshape(4, 5)[1:3, ::2],
        "half": torch.rand(5, generator=generator).half(),
        "number": torch.tensor(7),
        "empty": torch.zeros(0, 3),
        "parameter": torch.nn.Parameter(torch.rand(2, generator=generator)),
    }
    path = tmp_path / "table.pth"
    torch.save(table, path, _use_new_zipfile_serialization=zipped)
    found = read_weights(path)
    assert set(found) == set(table)
    for name, tensor in table.items():
        np.testing.assert_array_equal(found[name], tensor.detach().numpy())


def _legacy(*, numbers, offset, shape):
    """A checkpoint as torch wrote it before 1.6, holding one tensor called `weight`."""
    start = b"".join(pickle.dumps(value, 2) for value in (MAGIC, 1001, {}))
    storage = b"(U\x07storagectorch\nFloatStorage\nU\x010U\x03cpu" + _whole(len(numbers)) + b"NtQ"
    view = b"".join(_pair(pair) for pair in (shape, (shape[1], 1)))
    tensor = b"ctorch._utils\n_rebuild_tensor_v2\n(" + storage + _whole(offset) + view + b"tR"
    table = b"\x80\x02}U\x06weight" + tensor + b"s."
    raw = struct.pack("<q", len(numbers)) + numbers.tobytes()
    return start + table + pickle.dumps(["0"], 2) + raw


def _whole(value):
    return pickle.BININT + struct.pack("<i", value)


def _pair(values):
    return b"".join(map(_whole, values)) + pickle.TUPLE2
