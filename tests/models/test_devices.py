"""One setting decides where networks run."""

import sys
from types import SimpleNamespace

import pytest

from storyscope.config import Config, with_settings
from storyscope.errors import ModelError
from storyscope.models import devices


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """Mock a driver, torch and onnxruntime with these capabilities."""

    def pretend(*, driver: bool, torch_sees: bool, provider: str) -> None:
        cuda = SimpleNamespace(is_available=lambda: torch_sees)
        runtime = SimpleNamespace(get_available_providers=lambda: [provider])
        monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda))
        monkeypatch.setitem(sys.modules, "onnxruntime", runtime)
        monkeypatch.setattr(devices.shutil, "which", lambda name: None)
        monkeypatch.setattr(devices, "GPU_DRIVERS", [str(tmp_path)] if driver else [])
        forget()

    def forget() -> None:
        devices.torch_sees_gpu.cache_clear()
        devices._onnxruntime_sees_gpu.cache_clear()

    yield pretend
    monkeypatch.undo()
    forget()
    devices.use_device("auto")


@pytest.mark.parametrize(
    ("driver", "torch_sees", "provider", "device"),
    [
        (True, True, devices.CPU_PROVIDER, "cuda"),
        (True, True, devices.CUDA_PROVIDER, ""),
        (True, False, devices.CPU_PROVIDER, ""),
        (False, True, devices.CPU_PROVIDER, ""),
    ],
)
def test_torch_runs_networks_where_it_alone_sees_a_gpu(
    machine, driver, torch_sees, provider, device
):
    machine(driver=driver, torch_sees=torch_sees, provider=provider)
    assert devices.torch_gpu() == device


def test_cpu_keeps_every_network_off_the_gpu(machine):
    machine(driver=True, torch_sees=True, provider=devices.CUDA_PROVIDER)
    assert devices.onnx_providers() == [devices.CUDA_PROVIDER, devices.CPU_PROVIDER]
    devices.use_device("cpu")
    assert devices.onnx_providers() == [devices.CPU_PROVIDER]
    assert devices.torch_gpu() == ""
    assert not devices.may_use_gpu()


def test_cuda_is_refused_where_nothing_can_use_it(machine):
    machine(driver=False, torch_sees=False, provider=devices.CPU_PROVIDER)
    with pytest.raises(ModelError, match=r"processes\.device is cuda, but .*set .* to auto"):
        devices.use_device("cuda")
    assert devices.may_use_gpu(), "a refused setting changes nothing"


def test_the_setting_takes_three_values():
    config = with_settings(Config(), {"processes": {"device": "cpu"}})
    assert config.processes.device == "cpu"
    with pytest.raises(ValueError, match="device"):
        with_settings(Config(), {"processes": {"device": "tpu"}})
