"""The graph built without torch computes the same as the torch network."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image, ImageDraw

from storyscope.core import Keyframes
from storyscope.errors import ModelError
from storyscope.features import describe, load_backbone, to_jpeg
from storyscope.features.checkpoint import read_weights
from storyscope.features.hypercolumns import bilinear, gaussian, hypercolumn_features
from storyscope.features.networks import LITE0_STAGES, efficientnet_lite0, vgg16
from storyscope.features.torch_graph import TorchSession
from storyscope.models import cache_folder, find_model, get_model, onnx_session


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STORYSCOPE_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield cache_folder()


@pytest.fixture(scope="module")
def backbone(cache):
    return load_backbone("efficientnet-lite0", threads=1)


@pytest.fixture(scope="module")
def pictures():
    return np.random.default_rng(0).integers(0, 256, (3, 224, 224, 3), dtype=np.uint8)


def test_one_pass_gives_map_posteriors_and_five_columns(backbone, pictures):
    seen = backbone(pictures)
    assert seen.maps.shape == (3, 1280, 7, 7)
    assert seen.posteriors.shape == (3, 1000)
    np.testing.assert_allclose(seen.posteriors.sum(axis=1), 1, atol=1e-5)
    assert [column.shape[1] for column in seen.columns] == [112, 56, 28, 14, 7]


def test_the_graph_agrees_with_torch(backbone, pictures):
    torch = pytest.importorskip("torch")
    weights = read_weights(find_model("efficientnet-lite0").file("models/*.pth"))
    maps, logits = _torch_lite0(torch, weights, pictures)
    seen = backbone(pictures)
    np.testing.assert_allclose(seen.maps, maps, atol=1e-4)
    np.testing.assert_allclose(seen.posteriors, torch.softmax(logits, dim=1), atol=1e-5)


def test_vgg16_agrees_with_torch(pictures):
    torch = pytest.importorskip("torch")
    weights = _narrow_vgg16()
    session = onnx_session(vgg16(weights).model(), threads=1)
    maps, posteriors = session.run(["maps", "posteriors"], {"pictures": pictures[:1]})
    expected_maps, logits = _torch_vgg16(torch, weights, pictures[:1])
    np.testing.assert_allclose(maps, expected_maps, atol=1e-4)
    np.testing.assert_allclose(posteriors, torch.softmax(logits, dim=1), atol=1e-5)


def test_torch_runs_every_output_of_both_graphs_as_onnxruntime_does(backbone, pictures):
    pytest.importorskip("torch")
    lite0 = read_weights(find_model("efficientnet-lite0").file("models/*.pth"))
    for graph in (efficientnet_lite0(lite0), vgg16(_narrow_vgg16())):
        names = [tensor.name for tensor in graph.outputs]
        seen = onnx_session(graph.model(), threads=1).run(names, {"pictures": pictures[:2]})
        again = TorchSession(graph, "cpu").run(names, {"pictures": pictures[:2]})
        for one, other in zip(seen, again, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-4)


def test_the_image_network_goes_where_torch_sees_a_gpu(cache, backbone, pictures, monkeypatch):
    pytest.importorskip("torch")
    asked = []
    monkeypatch.setattr("storyscope.features.backbone.torch_gpu", lambda: asked.append(1) or "cpu")
    there = load_backbone("efficientnet-lite0")
    assert asked
    assert isinstance(there.session, TorchSession)
    assert (there.channels, there.producer) == (backbone.channels, backbone.producer)
    np.testing.assert_allclose(there(pictures).maps, backbone(pictures).maps, atol=1e-4)


def test_a_hub_id_brings_the_papers_network_and_its_full_map(tmp_path, cache, monkeypatch):
    from safetensors.numpy import save_file

    weights = _narrow_vgg16()

    def bring(name, *, local_dir, **_):
        local_dir.mkdir()
        save_file(weights, local_dir / "model.safetensors")

    monkeypatch.setenv("STORYSCOPE_MODELS", str(tmp_path))
    monkeypatch.setitem(sys.modules, "huggingface_hub", SimpleNamespace(snapshot_download=bring))
    get_model("timm/vgg16.tv_in1k")
    backbone = load_backbone("timm/vgg16.tv_in1k", threads=1)
    seen = describe(_keyframes([_painted(1)]), backbone, full_map=True)
    assert seen.maps.shape == (1, len(weights["features.28.bias"]) * 7 * 7)
    assert seen.producer.startswith("timm/vgg16.tv_in1k@")
    columns = backbone(np.zeros((1, 224, 224, 3), np.uint8)).columns
    assert [column.shape[1] for column in columns] == [224, 112, 56, 28, 14]


def test_a_hub_that_does_not_answer_is_a_clear_error(monkeypatch):
    def refuse(name, **_):
        raise OSError("no route")

    monkeypatch.setitem(sys.modules, "huggingface_hub", SimpleNamespace(snapshot_download=refuse))
    with pytest.raises(ModelError, match="could not be downloaded from the hub"):
        get_model("someone/something")


def test_a_picture_has_the_same_features_alone_and_in_a_batch(backbone, pictures):
    together = backbone(pictures).maps
    alone = np.concatenate([backbone(picture[None]).maps for picture in pictures])
    np.testing.assert_allclose(together, alone, atol=1e-4)


def test_two_threads_compute_the_same_as_one(backbone, pictures):
    two = load_backbone("efficientnet-lite0", threads=2)
    np.testing.assert_allclose(two(pictures).maps, backbone(pictures).maps, atol=1e-4)


def test_the_graph_is_cached_and_a_damaged_one_is_made_again(cache, backbone, pictures):
    (kept,) = (cache / "networks").glob(f"{backbone.digest}*")
    whole = kept.read_bytes()
    kept.write_bytes(whole[:1000])
    again = load_backbone("efficientnet-lite0", threads=1)
    np.testing.assert_array_equal(again(pictures).maps, backbone(pictures).maps)
    assert kept.read_bytes() == whole


def test_weights_of_another_network_are_refused(tmp_path, cache):
    from safetensors.numpy import save_file

    save_file({"layer": np.zeros(3, np.float32)}, tmp_path / "model.safetensors")
    with pytest.raises(ModelError, match="not a supported network"):
        load_backbone(str(tmp_path))


def test_describing_keyframes_gives_a_row_each_and_reports_progress(backbone):
    keyframes = _keyframes([_painted(number) for number in range(10)])
    steps = []
    seen = describe(keyframes, backbone, report=steps.append)
    assert (len(seen), seen.maps.shape, seen.posteriors.shape, seen.hypercolumns.shape) == (
        10,
        (10, 1280),
        (10, 1000),
        (10, 10),
    )
    assert [step.done for step in steps] == [4, 8, 10]
    assert "efficientnet-lite0@" in seen.producer
    np.testing.assert_array_equal(seen.maps, describe(keyframes, backbone).maps)


def test_the_full_map_averages_to_the_pooled_one(backbone):
    keyframes = _keyframes([_painted(1)])
    full = describe(keyframes, backbone, full_map=True).maps.reshape(1280, 49)
    pooled = describe(keyframes, backbone).maps[0]
    np.testing.assert_allclose(full.astype(np.float32).mean(axis=1), pooled, atol=5e-3)


def test_no_keyframes_give_no_rows(backbone):
    assert len(describe(_keyframes([]), backbone)) == 0


def test_hypercolumn_numbers_are_those_of_the_enlarged_and_weighted_map():
    chance = np.random.default_rng(3)
    columns = [chance.random((2, size, size)).astype(np.float32) for size in (112, 28, 7, 1)]
    found = hypercolumn_features(columns)
    weight = np.outer(gaussian(224), gaussian(224))
    for number, maps in enumerate(columns):
        grow = bilinear(maps.shape[1], 224)
        weighted = (grow @ maps.astype(float) @ grow.T) * weight
        np.testing.assert_allclose(found[:, 2 * number], weighted.mean(axis=(1, 2)), rtol=1e-5)
        np.testing.assert_allclose(found[:, 2 * number + 1], weighted.std(axis=(1, 2)), rtol=1e-4)


def test_bilinear_enlarging_is_that_of_pillow():
    small = np.random.default_rng(1).random((14, 14)).astype(np.float32)
    grow = bilinear(14, 224)
    pillow = Image.fromarray(small).resize((224, 224), Image.Resampling.BILINEAR)
    np.testing.assert_allclose(grow @ small @ grow.T, np.asarray(pillow), atol=1e-5)


def test_the_centre_of_the_picture_weighs_most():
    side = gaussian(224)
    assert side.argmax() in (111, 112)
    assert side.mean() == pytest.approx(1)
    assert side[0] / side[111] == pytest.approx(np.exp(-0.5 * (111.5 / 67.2) ** 2), rel=1e-3)


def _painted(number):
    image = Image.new("RGB", (160, 90), (40, 90 + 10 * number, 160))
    ImageDraw.Draw(image).ellipse((10 * number, 20, 10 * number + 40, 60), fill=(220, 200, 40))
    return to_jpeg(np.asarray(image))


def _keyframes(pictures):
    count = len(pictures)
    return Keyframes(
        np.arange(count, dtype=np.int32),
        np.arange(count, dtype=np.int64),
        np.arange(count, dtype=np.float64),
        tuple(pictures),
    )


def _torch_lite0(torch, weights, pictures):
    """The network as its authors wrote it: normalisations apart, padding as TensorFlow's."""
    functional = torch.nn.functional
    take = {name: torch.from_numpy(value) for name, value in weights.items()}

    def step(layer, convolution, norm, stride=1, rectified=True):
        kernel = take[f"{convolution}.weight"]
        size, side = layer.shape[-1], kernel.shape[-1]
        missing = max((-(-size // stride) - 1) * stride + side - size, 0)
        before, after = missing // 2, missing - missing // 2
        layer = functional.pad(layer, (before, after, before, after))
        groups = layer.shape[1] // kernel.shape[1]
        layer = functional.conv2d(layer, kernel, stride=stride, groups=groups)
        names = ("running_mean", "running_var", "weight", "bias")
        layer = functional.batch_norm(layer, *(take[f"{norm}.{n}"] for n in names), eps=1e-3)
        return functional.relu6(layer) if rectified else layer

    layer = (torch.from_numpy(pictures).permute(0, 3, 1, 2).float() - 127) / 128
    layer = step(layer, "_conv_stem", "_bn0", stride=2)
    number = 0
    for stage in LITE0_STAGES:
        for repeat in range(stage.repeats):
            block, before = f"_blocks.{number}.", layer
            if number:
                layer = step(layer, f"{block}_expand_conv", f"{block}_bn0")
            stride = stage.stride if repeat == 0 else 1
            layer = step(layer, f"{block}_depthwise_conv", f"{block}_bn1", stride)
            layer = step(layer, f"{block}_project_conv", f"{block}_bn2", rectified=False)
            layer = layer + before if repeat else layer
            number += 1
    maps = step(layer, "_conv_head", "_bn1")
    logits = functional.linear(maps.mean(dim=(2, 3)), take["_fc.weight"], take["_fc.bias"])
    return maps, logits


def _narrow_vgg16():
    """Random weights in the layout of VGG-16, an eighth as wide so that the test is quick."""
    chance = np.random.default_rng(5)
    widths = [8, 8, 16, 16, 32, 32, 32, 64, 64, 64, 64, 64, 64]
    weights, before = {}, 3
    for number, width in zip([0, 2, 5, 7, 10, 12, 14, 17, 19, 21, 24, 26, 28], widths, strict=True):
        scale = np.sqrt(2 / (9 * before))
        weights[f"features.{number}.weight"] = scale * chance.normal(size=(width, before, 3, 3))
        weights[f"features.{number}.bias"] = chance.normal(size=width) / 10
        before = width
    for name, shape in {
        "pre_logits.fc1": (32, 64, 7, 7),
        "pre_logits.fc2": (32, 32, 1, 1),
        "head.fc": (1000, 32),
    }.items():
        weights[f"{name}.weight"] = chance.normal(size=shape) / np.sqrt(np.prod(shape[1:]))
        weights[f"{name}.bias"] = chance.normal(size=shape[0]) / 10
    return {name: value.astype(np.float32) for name, value in weights.items()}


def _torch_vgg16(torch, weights, pictures):
    functional = torch.nn.functional
    take = {name: torch.from_numpy(value) for name, value in weights.items()}
    mean = torch.tensor([0.485, 0.456, 0.406])
    deviation = torch.tensor([0.229, 0.224, 0.225])
    layer = ((torch.from_numpy(pictures) / 255 - mean) / deviation).permute(0, 3, 1, 2)
    for number in range(31):
        if number in (4, 9, 16, 23, 30):
            layer = functional.max_pool2d(layer, 2)
        elif f"features.{number}.weight" in take:
            kernel, bias = take[f"features.{number}.weight"], take[f"features.{number}.bias"]
            layer = functional.relu(functional.conv2d(layer, kernel, bias, padding=1))
    maps = layer
    for name in ("pre_logits.fc1", "pre_logits.fc2"):
        layer = functional.relu(
            functional.conv2d(layer, take[f"{name}.weight"], take[f"{name}.bias"])
        )
    logits = functional.linear(layer.flatten(1), take["head.fc.weight"], take["head.fc.bias"])
    return maps, logits
