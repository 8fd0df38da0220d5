"""Turn what the shot benchmark measured into JSON, tables and a picture."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks import common
from benchmarks.shots.shot_scores import Score, score

TOLERANCES = (0, 2)
TRANSNET = "TransNetV2, every frame"
Results = dict[str, dict[str, dict[str, Any]]]
"""By detector and clip: found boundaries, CPU and wall seconds."""


def write_report(
    results: Results, decoders: dict[str, str], truth: dict[str, Any], path: Path
) -> dict[str, Any]:
    """Write `path`.json, .md and .png; give back what the first holds."""
    rows = {
        name: summary(clips, results.get(decoders[name]), truth)
        for name, clips in results.items()
        if decoders[name]
    }
    facts = {
        "clips": list(truth),
        "frames": _frames(truth),
        "transitions": _kinds(truth),
        "tricks": _tricks(truth),
        "bars": bars(rows),
        "detectors": rows,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    common.write_page(path.stem, facts, markdown(facts, truth), folder=path.parent)
    plot(rows, path.with_suffix(".png"))
    return facts


def bars(rows: dict[str, Any]) -> dict[str, Any]:
    """How far our detectors lie above those they are meant to beat, and what share they cost."""
    rivals = [name for name in rows if name.startswith("PySceneDetect")]
    found = {}
    for ours, theirs in (("Storyscope fast", rivals), ("Storyscope neural", [TRANSNET])):
        if ours in rows and theirs and all(name in rows for name in theirs):
            quickest = min(rows[name]["cpu_seconds"] for name in theirs)
            found[f"{ours} beside {'PySceneDetect' if theirs is rivals else TRANSNET}"] = {
                "cpu_share": round(rows[ours]["cpu_seconds"] / quickest, 3)
            } | {
                f"{kind}_f1_above_at_tolerance_{tolerance}": round(
                    _f1(rows[ours], kind, tolerance)
                    - max(_f1(rows[name], kind, tolerance) for name in theirs),
                    4,
                )
                for kind in ("cut", "gradual")
                for tolerance in TOLERANCES
            }
    return found


def _f1(row: dict[str, Any], kind: str, tolerance: int) -> float:
    return float(row[f"tolerance_{tolerance}"][kind]["f1"])


def summary(
    clips: dict[str, dict[str, Any]],
    decoding: dict[str, dict[str, Any]] | None,
    truth: dict[str, Any],
) -> dict[str, Any]:
    """Cost, and scores at each tolerance, over all clips and by clip."""
    cpu, wall = (
        sum(clips[clip][measure] for clip in truth) for measure in ("cpu_seconds", "wall_seconds")
    )
    row: dict[str, Any] = {
        "cpu_seconds": round(cpu, 2),
        "wall_seconds": round(wall, 2),
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


def markdown(facts: dict[str, Any], truth: dict[str, Any]) -> str:
    rows = facts["detectors"]
    counted = ", ".join(f"{count} {kind}s" for kind, count in facts["transitions"].items())
    clips = "1 clip" if len(truth) == 1 else f"{len(truth)} clips"
    lines = [f"{clips}, {facts['frames']:,} frames, {counted}.", ""]
    for tolerance in TOLERANCES:
        lines += _scores(rows, tolerance)
    return "\n".join(lines + _costs(rows) + _bars(facts["bars"]) + _by_clip(rows, truth))


def put_table(path: Path, half: str, facts: dict[str, Any]) -> None:
    """Replace the table in a page that stands between the two marks of that half, if any."""
    begins, ends = f"<!-- {half} -->\n", f"<!-- end of {half} -->\n"
    before, mark, rest = path.read_text(encoding="utf-8").partition(begins)
    if mark:
        _, _, after = rest.partition(ends)
        path.write_text(before + begins + _short(facts) + ends + after, encoding="utf-8")


def _short(facts: dict[str, Any]) -> str:
    rows = facts["detectors"]
    kinds = ["cut", "gradual"] if set(facts["transitions"]) - {"cut"} else ["cut"]
    heads = [f"{kind} {head}" for kind in kinds for head in ("P", "R", "F1")]
    heads += [f"{kind} F1, tolerance 0" for kind in kinds]
    lines = [
        f"| detector | {' | '.join(heads)} | CPU s |",
        "| --- |" + " ---: |" * (len(heads) + 1),
    ]
    for name, row in rows.items():
        cells = [
            f"{row['tolerance_2'][kind][measure]:.3f}"
            for kind in kinds
            for measure in ("precision", "recall", "f1")
        ]
        cells += [f"{_f1(row, kind, 0):.3f}" for kind in kinds]
        lines.append(f"| {name} | {' | '.join(cells)} | {row['cpu_seconds']:.1f} |")
    return "\n".join(lines) + "\n"


def _bars(found: dict[str, Any]) -> list[str]:
    lines = [
        "F1 above the best of the rivals, and CPU as a share of the quickest of them:",
        "",
        "| | CPU | cuts, tolerance 0 | cuts, 2 | gradual, tolerance 0 | gradual, 2 |",
        "| --- |" + " ---: |" * 5,
    ]
    for name, (share, *above) in ((name, bar.values()) for name, bar in found.items()):
        cells = [f"{share:.2f}", *(f"{value:+.3f}" for value in above)]
        lines.append("| " + " | ".join([name, *cells]) + " |")
    return [*lines, ""]


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
        cells += [f"{row['wall_seconds']:.1f}", *apart]
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
