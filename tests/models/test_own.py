"""Storyscope's own weights are pinned, and verified when they are loaded."""

import shutil

import pytest

from storyscope.errors import ModelError
from storyscope.models import OWN, check_own, digest_of, own
from storyscope.search.text_head import load_head
from storyscope.shots.weights import load_weights
from storyscope.stories.model import default_model
from storyscope.thumbnails.ranker import load_ranker
from training import pin_weights

LOADERS = {
    "search/image_text_head.safetensors": load_head,
    "shots/weights.npz": load_weights,
    "stories/default.safetensors": default_model,
    "thumbnails/ranker.json": load_ranker,
}


def test_every_weight_file_of_the_package_is_pinned():
    found = {
        path.relative_to(own.PACKAGE).as_posix()
        for suffix in ("safetensors", "npz", "npy", "onnx", "pth", "bin")
        for path in own.PACKAGE.rglob(f"*.{suffix}")
    }
    assert found | {"thumbnails/ranker.json"} == set(OWN) == set(LOADERS)
    for inside in OWN:
        check_own(own.PACKAGE / inside)


@pytest.mark.parametrize("inside", sorted(LOADERS))
def test_a_weight_file_with_other_content_is_not_loaded(inside, monkeypatch):
    monkeypatch.setitem(OWN, inside, "0" * 64)
    load = LOADERS[inside]
    getattr(load, "cache_clear", lambda: None)()
    with pytest.raises(ModelError, match=rf"{inside}.*SHA-256 differs"):
        load()


def test_new_weights_are_pinned_by_a_command(tmp_path, monkeypatch):
    for inside in OWN:
        (tmp_path / inside).parent.mkdir(exist_ok=True)
        (tmp_path / inside).write_bytes(inside.encode())
    table = shutil.copy(pin_weights.TABLE, tmp_path / "own.py")
    monkeypatch.setattr(pin_weights, "PACKAGE", tmp_path)
    monkeypatch.setattr(pin_weights, "TABLE", tmp_path / "own.py")
    pin_weights.main()
    written = {}
    exec(compile(table.read_text(), "own.py", "exec"), {"__file__": str(table)}, written)
    assert written["OWN"] == {inside: digest_of(tmp_path / inside) for inside in OWN}
