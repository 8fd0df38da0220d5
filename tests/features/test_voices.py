import numpy as np
import pytest

from storyscope.errors import MissingDependency
from storyscope.features import load_voice_encoder
from storyscope.features.voices import (
    BANDS,
    LAYERS,
    UNITS,
    VoiceEncoder,
    louder,
    mel_bands,
)


@pytest.fixture(scope="module")
def weights():
    random = np.random.default_rng(0)
    shapes = {"linear.weight": (UNITS, UNITS), "linear.bias": (UNITS,)}
    for layer in range(LAYERS):
        shapes[f"lstm.weight_ih_l{layer}"] = (4 * UNITS, BANDS if layer == 0 else UNITS)
        shapes[f"lstm.weight_hh_l{layer}"] = (4 * UNITS, UNITS)
        shapes |= {f"lstm.bias_{side}_l{layer}": (4 * UNITS,) for side in ("ih", "hh")}
    return {
        name: random.normal(0, 0.06, shape).astype(np.float32) for name, shape in shapes.items()
    }


def test_the_network_is_the_lstm_of_torch(weights):
    torch = pytest.importorskip("torch")
    lstm = torch.nn.LSTM(BANDS, UNITS, LAYERS, batch_first=True)
    of_lstm = {k.removeprefix("lstm."): torch.tensor(v) for k, v in weights.items() if "lstm" in k}
    lstm.load_state_dict(of_lstm)
    parts = np.random.default_rng(1).random((2, 12, BANDS)).astype(np.float32)
    with torch.no_grad():
        _, (last, _) = lstm(torch.tensor(parts))
    raw = np.maximum(last[-1].numpy() @ weights["linear.weight"].T + weights["linear.bias"], 0)
    expected = raw / np.linalg.norm(raw, axis=1, keepdims=True)
    np.testing.assert_allclose(VoiceEncoder(weights)._parts(parts), expected, atol=1e-5)


def test_a_voice_is_a_vector_of_length_one_however_short_or_quiet(weights):
    encoder = VoiceEncoder(weights)
    sound = np.random.default_rng(2).normal(0, 0.1, 40_000).astype(np.float32)
    for samples in (sound, sound[:8000], sound * 1e-3, sound[:0]):
        assert np.linalg.norm(encoder.encode(samples)) == pytest.approx(1, abs=1e-4)
    np.testing.assert_allclose(
        encoder.encode(sound * 1e-2), encoder.encode(sound * 1e-3), atol=1e-4
    )


def test_a_tone_is_in_its_band_and_quiet_sound_is_amplified():
    seconds = np.arange(16_000) / 16_000
    low, high = (mel_bands(np.sin(2 * np.pi * hertz * seconds)) for hertz in (300, 4000))
    assert low.shape == (101, BANDS)
    assert low.mean(axis=0).argmax() < 10 < 25 < high.mean(axis=0).argmax()
    assert np.sqrt(np.mean(louder(np.full(100, 1e-4)) ** 2)) == pytest.approx(10**-1.5)
    assert (louder(np.full(100, 0.5)) == 0.5).all()


def test_missing_weights_name_the_command_that_downloads_them(monkeypatch):
    monkeypatch.setattr("storyscope.models.downloads.downloaded_file", lambda name: None)
    load_voice_encoder.cache_clear()
    with pytest.raises(MissingDependency, match="storyscope models get speakers"):
        load_voice_encoder()
