"""VGG-16 weights are read from every common layout, and other files are refused."""

import pickle
import struct

import numpy as np
import pytest

from storyscope.errors import ModelError
from storyscope.features import load_backbone
from storyscope.features.networks import vgg16
from storyscope.features.vgg16_files import CAFFE_MEAN, CAFFE_NAMES, NUMBERS, _shapes, read_vgg16

torch = pytest.importorskip("torch")

FIRST = np.random.default_rng(0).normal(0, 0.2, (64, 3, 3, 3)).astype(np.float32)
"""A first layer; all others are constant, so that files of full width cost nothing."""


def torchvision_table(**changes):
    names = {"pre_logits.fc1": "classifier.0", "pre_logits.fc2": "classifier.3"}
    table = {}
    for name, shape in _shapes():
        layer, part = name.rsplit(".", 1)
        shape = (
            (shape[0], int(np.prod(shape[1:]))) if layer in names and part == "weight" else shape
        )
        target = {**names, "head.fc": "classifier.6"}.get(layer, layer)
        table[f"{target}.{part}"] = torch.tensor(0.25).expand(shape)
    table["features.0.weight"] = torch.tensor(FIRST)
    return table | changes


def test_a_torchvision_checkpoint_is_read_without_torch_and_by_its_names(tmp_path):
    torch.save(torchvision_table(), tmp_path / "vgg16.pth")
    weights = read_vgg16(tmp_path / "vgg16.pth")
    np.testing.assert_array_equal(weights["features.0.weight"], FIRST)
    assert {name: array.shape for name, array in weights.items()} == dict(_shapes())
    assert "input.mean" not in weights


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"features.28.weight": torch.zeros(512, 256, 3, 3)}, "features.28.weight is"),
        ({"features.0.weight": torch.ones(64, 3, 3, 3)}, "a mean near 0"),
        ({"features.0.weight": torch.full((64, 3, 3, 3), torch.nan)}, "a mean near 0"),
    ],
)
def test_what_is_not_vgg16_is_refused(tmp_path, change, words):
    torch.save(torchvision_table(**change), tmp_path / "vgg16.pth")
    with pytest.raises(ModelError, match=words):
        read_vgg16(tmp_path / "vgg16.pth")


def test_a_missing_layer_is_named(tmp_path):
    table = torchvision_table()
    del table["classifier.6.bias"]
    torch.save(table, tmp_path / "vgg16.pth")
    with pytest.raises(ModelError, match=r"head\.fc\.bias is missing"):
        read_vgg16(tmp_path / "vgg16.pth")


def test_a_pickle_that_runs_code_is_refused_before_it_runs(tmp_path):
    class Evil:
        def __reduce__(self):
            return (open, (str(tmp_path / "touched"), "w"))

    (tmp_path / "vgg16.pth").write_bytes(pickle.dumps(Evil()))
    with pytest.raises(ModelError):
        read_vgg16(tmp_path / "vgg16.pth")
    assert not (tmp_path / "touched").exists()


def test_keras_kernels_are_turned_and_its_input_is_kept(tmp_path):
    h5py = pytest.importorskip("h5py")
    names = [name.replace("conv", "block", 1).replace("_", "_conv") for name in CAFFE_NAMES]
    layers = dict(zip(NUMBERS, names, strict=True))
    with h5py.File(tmp_path / "vgg16.h5", "w") as file:
        for name, shape in _shapes():
            layer, part = name.rsplit(".", 1)
            if layer.startswith("features."):
                layer = layers[int(layer.split(".")[1])]
                shape = (3, 3, shape[1], shape[0]) if part == "weight" else shape
            else:
                layer = {"pre_logits.fc1": "fc1", "pre_logits.fc2": "fc2"}.get(layer, "predictions")
                if part == "weight":
                    shape = (int(np.prod(shape[1:])), shape[0])
            place = f"{layer}/{layer}/{'kernel' if part == 'weight' else 'bias'}:0"
            if name == "features.0.weight":
                file[place] = FIRST[:, ::-1].transpose(2, 3, 1, 0)
            else:
                file.create_dataset(place, shape, np.float32, chunks=True, fillvalue=0.25)
    weights = read_vgg16(tmp_path / "vgg16.h5")
    np.testing.assert_array_equal(weights["features.0.weight"], FIRST)
    np.testing.assert_allclose(weights["input.mean"], CAFFE_MEAN, rtol=1e-6)


@pytest.mark.parametrize("new", [False, True])
def test_a_caffe_network_is_read_in_both_ways_of_writing_it(tmp_path, new):
    targets = dict(zip((f"features.{n}" for n in NUMBERS), CAFFE_NAMES, strict=True))
    targets |= {"pre_logits.fc1": "fc6", "pre_logits.fc2": "fc7", "head.fc": "fc8"}
    shapes = dict(_shapes())
    with (tmp_path / "vgg16.caffemodel").open("wb") as file:
        for ours, theirs in targets.items():
            blobs = b""
            sizes = []
            for part in ("weight", "bias"):
                shape = shapes[f"{ours}.{part}"]
                flat = (shape[0], int(np.prod(shape[1:]))) if ours[0] in "ph" else shape
                sizes.append((flat if part == "weight" else shape, int(np.prod(shape))))
            parts = [_blob_head(shape, count, new) for shape, count in sizes]
            lengths = [len(head) + 4 * count for head, (_, count) in zip(parts, sizes, strict=True)]
            name_field, blob_field = (1, 7) if new else (4, 6)
            name = _bytes_field(name_field, theirs.encode())
            heads = [_varint(blob_field << 3 | 2) + _varint(length) for length in lengths]
            total = len(name) + sum(map(len, heads)) + sum(lengths)
            file.write(_varint((100 if new else 2) << 3 | 2) + _varint(total) + name + blobs)
            for head, part, (_, count) in zip(heads, parts, sizes, strict=True):
                file.write(head + part)
                if ours == "features.0" and count > 64:
                    file.write(FIRST[:, ::-1].tobytes())
                else:
                    file.seek(4 * count, 1)
        file.truncate(file.tell())
    weights = read_vgg16(tmp_path / "vgg16.caffemodel")
    np.testing.assert_array_equal(weights["features.0.weight"], FIRST)
    assert weights["pre_logits.fc1.weight"].shape == (4096, 512, 7, 7)
    assert not weights["pre_logits.fc2.bias"].any()


def test_pixels_reach_the_network_as_its_weights_were_trained():
    small = {name: np.zeros([min(n, 4) for n in shape], np.float32) for name, shape in _shapes()}
    plain = vgg16(small)
    caffe = vgg16(small | {"input.mean": np.array(CAFFE_MEAN), "input.scale": np.ones(3)})
    assert plain.model() != caffe.model()


def test_a_machine_without_vgg16_says_how_to_bring_it(tmp_path, monkeypatch):
    monkeypatch.setenv("STORYSCOPE_CACHE", str(tmp_path))
    with pytest.raises(ModelError, match="storyscope models get vgg16 --file FILE"):
        load_backbone("vgg16")


def _blob_head(shape, count, new):
    if new:
        sizes = b"".join(_varint(1 << 3) + _varint(size) for size in shape)
        head = _bytes_field(7, sizes)
    else:
        padded = (*[1] * (4 - len(shape)), *shape)
        head = b"".join(_varint(n << 3) + _varint(size) for n, size in enumerate(padded, start=1))
    return head + _varint(5 << 3 | 2) + _varint(4 * count)


def _bytes_field(number, content):
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(number):
    out = b""
    while number > 0x7F:
        out += struct.pack("B", number & 0x7F | 0x80)
        number >>= 7
    return out + struct.pack("B", number)
