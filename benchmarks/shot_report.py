"""Turn what the shot benchmark measured into JSON, tables and a picture."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from shot_scores import Score, score

TOLERANCES = (0, 2)
Results = dict[str, dict[str, dict[str, Any]]]
"""By detector and clip: found boundaries, CPU and wall seconds."""


def write_report(
    results: Results, decoders: dict[str, str], truth: dict[str, Any], path: Path
) -> str:
    """Write `path`.json, .md and .png; give back the Markdown.

    Detectors that were not run on every clip appear in a comparison of their own, over the clips
    that all detectors were run on.
    """
    shared = [clip for clip in truth if all(clip in clips for clips in results.values())]
    whole = [name for name, clips in results.items() if len(clips) == len(truth)]
    parts = {"whole": _part(results, whole, list(truth), decoders, truth)}
    if len(shared) < len(truth):
        parts["shared"] = _part(results, list(results), shared, decoders, truth)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_suffix(".json").write_text(json.dumps(parts, indent=1) + "\n")
    titles = {"whole": "All clips", "shared": "The clips that every detector was run on"}
    text = "\n".join(
        f"## {titles[name]}\n\n{markdown(part, truth)}" for name, part in parts.items()
    )
    path.with_suffix(".md").write_text(text)
    plot(parts.get("shared", parts["whole"])["detectors"], path.with_suffix(".png"))
    return text


def _part(
    results: Results,
    names: list[str],
    clips: list[str],
    decoders: dict[str, str],
    truth: dict[str, Any],
) -> dict[str, Any]:
    truth = {clip: truth[clip] for clip in clips}
    rows = {
        name: summary(results[name], results.get(decoders[name]), truth)
        for name in names
        if decoders[name]
    }
    return {
        "clips": clips,
        "frames": _frames(truth),
        "transitions": _kinds(truth),
        "tricks": _tricks(truth),
        "detectors": rows,
    }


def summary(
    clips: dict[str, dict[str, Any]],
    decoding: dict[str, dict[str, Any]] | None,
    truth: dict[str, Any],
) -> dict[str, Any]:
    """Cost, and scores at each tolerance, over all clips and by clip."""
    cpu = sum(clips[clip]["cpu_seconds"] for clip in truth)
    wall = [clips[clip]["wall_seconds"] for clip in truth]
    row: dict[str, Any] = {
        "cpu_seconds": round(cpu, 2),
        "wall_seconds": None if None in wall else round(sum(wall), 2),
        "cpu_ms_per_frame": round(1000 * cpu / _frames(truth), 4),
    }
    if decoding:
        row["decoding_cpu_seconds"] = round(sum(decoding[clip]["cpu_seconds"] for clip in truth), 2)
    for tolerance in TOLERANCES:
        by_clip = {clip: _scored(clips[clip], truth[clip], tolerance) for clip in truth}
        total = sum(by_clip.values(), Score())
        row[f"tolerance_{tolerance}"] = {
            **total.table(),
            "false_alarms": total.false_alarms,
            "found": total.found,
        }
    row["clips"] = {
        clip: {**one.table()["all"], "false_alarms": one.false_alarms}
        for clip, one in by_clip.items()
    }
    return row


def _scored(result: dict[str, Any], facts: dict[str, Any], tolerance: int) -> Score:
    until = facts.get("scored_until", facts["frames"])
    claims = [frame for frame in result["found"] if frame < until]
    return score(claims, facts["transitions"], tolerance)


def _frames(truth: dict[str, Any]) -> int:
    return sum(clip["frames"] for clip in truth.values())


def _kinds(truth: dict[str, Any]) -> dict[str, int]:
    kinds = Counter(t["kind"] for clip in truth.values() for t in clip["transitions"])
    return dict(sorted(kinds.items()))


def _tricks(truth: dict[str, Any]) -> dict[str, int]:
    tricks: Counter[str] = Counter()
    for clip in truth.values():
        tricks.update(clip.get("tricks", {}))
    return dict(sorted(tricks.items()))


def markdown(part: dict[str, Any], truth: dict[str, Any]) -> str:
    rows, truth = part["detectors"], {clip: truth[clip] for clip in part["clips"]}
    counted = ", ".join(f"{count} {kind}s" for kind, count in _kinds(truth).items())
    lines = [f"{len(truth)} clips, {_frames(truth):,} frames, {counted}.", ""]
    for tolerance in TOLERANCES:
        lines += _scores(rows, tolerance)
    return "\n".join(lines + _costs(rows) + _by_clip(rows, truth))


def _scores(rows: dict[str, Any], tolerance: int) -> list[str]:
    lines = [
        f"Tolerance {tolerance} frames:",
        "",
        "| detector | cut P | cut R | cut F1 | gradual P | gradual R | gradual F1 | false alarms |",
        "| --- |" + " ---: |" * 7,
    ]
    for name, row in rows.items():
        table = row[f"tolerance_{tolerance}"]
        numbers = [
            f"{table[kind][measure]:.3f}"
            for kind in ("cut", "gradual")
            for measure in ("precision", "recall", "f1")
        ]
        lines.append("| " + " | ".join([name, *numbers, str(table["false_alarms"])]) + " |")
    return [*lines, ""]


def _costs(rows: dict[str, Any]) -> list[str]:
    """CPU as measured, and what is left of it without decoding as the same library does it."""
    lines = [
        "Cost, decoding included:",
        "",
        "| detector | CPU s | CPU ms/frame | wall s | decoding alone, CPU s | the rest, CPU s |",
        "| --- |" + " ---: |" * 5,
    ]
    for name, row in rows.items():
        decoding = row.get("decoding_cpu_seconds")
        apart = (
            [f"{decoding:.1f}", f"{row['cpu_seconds'] - decoding:.1f}"] if decoding else ["", ""]
        )
        cells = [f"{row['cpu_seconds']:.1f}", f"{row['cpu_ms_per_frame']:.3f}"]
        wall = row["wall_seconds"]
        cells += ["not noted" if wall is None else f"{wall:.1f}", *apart]
        lines.append("| " + " | ".join([name, *cells]) + " |")
    return [*lines, ""]


def _by_clip(rows: dict[str, Any], truth: dict[str, Any]) -> list[str]:
    lines = [
        "F1 by clip at tolerance 2, all transitions together (false alarms, `fa`, where a clip "
        "has none):",
        "",
        "| clip | " + " | ".join(rows) + " |",
        "| --- |" + " ---: |" * len(rows),
    ]
    for clip, facts in truth.items():
        cells = [row["clips"][clip] for row in rows.values()]
        texts = [
            f"{one['f1']:.3f}" if facts["transitions"] else f"{one['false_alarms']} fa"
            for one in cells
        ]
        lines.append(f"| {clip} | " + " | ".join(texts) + " |")
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
        title = {"cut": "cuts", "gradual": "gradual transitions"}[kind]
        panel.set(xscale="log", xlabel="CPU ms a frame, decoding included", title=title)
        panel.grid(alpha=0.3)
        panel.margins(x=0.35)
    panels[0].set(ylabel="F1, tolerance 2 frames", ylim=(0, 1.05))
    figure.savefig(path, dpi=150, metadata={"Software": None})
    pyplot.close(figure)
