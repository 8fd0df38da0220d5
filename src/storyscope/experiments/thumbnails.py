"""Evaluate the aesthetic ranking on the films of a library, or of a folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from storyscope.config import Config
from storyscope.core import VIDEO_SUFFIXES, Keyframes
from storyscope.errors import MediaError
from storyscope.features import describe_pictures, from_jpeg, load_backbone
from storyscope.progress import Report, silent
from storyscope.stages.indexing import picking
from storyscope.stages.scan import scan_film
from storyscope.store import SCAN, SqliteStore
from storyscope.store.opening import DATABASE
from storyscope.thumbnails import load_ranker
from storyscope.thumbnails.evaluation import SwappedPairs, benchmark_rankers, good_frames


def judge_thumbnails(
    folder: Path, config: Config = Config(), *, report: Report = silent
) -> list[SwappedPairs]:
    """Swapped pairs on every film of a library, or of a folder of films, each held out in turn."""
    films = {
        name: good_frames([from_jpeg(data) for data in keyframes.pictures])
        for name, keyframes in _keyframes(folder, config, report)
    }
    sources = {name: pictures for name, pictures in films.items() if len(pictures) > 1}
    if not sources:
        raise MediaError(
            f"{folder} has no film with lit and sharp pictures; give a library with videos, "
            f"or a folder of films"
        )
    see = partial(describe_pictures, backbone=load_backbone(config.features.backbone))
    return benchmark_rankers(sources, see, load_ranker())


def swapped_facts(rows: Sequence[SwappedPairs]) -> dict[str, Any]:
    """The fields of `ranking --json`."""
    return {
        "swapped_pairs": {
            name: _mean(rows, name) for name in ("ranking_cnn", "hypercolumns", "shipped")
        },
        "sources": [{**vars(row), "by_degradation": dict(row.by_degradation)} for row in rows],
    }


def swapped_table(rows: Sequence[SwappedPairs]) -> str:
    """Percentage of swapped pairs as in the paper's table, and for each kind of degradation."""
    lines = [
        "| held out | pairs | Ranking CNN | hypercolumns | as shipped |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for row in rows:
        percents = (row.ranking_cnn, row.hypercolumns, row.shipped)
        cells = " | ".join(f"{percent:.2f}" for percent in percents)
        lines.append(f"| {row.source} | {row.pairs} | {cells} |")
    names = ("ranking_cnn", "hypercolumns", "shipped")
    means = " | ".join(f"**{_mean(rows, name):.2f}**" for name in names)
    lines += [f"| **average** | {sum(row.pairs for row in rows)} | {means} |", ""]
    kinds = list(rows[0].by_degradation)
    damage: Mapping[str, float] = {
        kind: float(np.mean([row.by_degradation[kind] for row in rows])) for kind in kinds
    }
    lines += [
        "| hypercolumns, by damage | " + " | ".join(kinds) + " |",
        "| --- |" + " ---: |" * len(kinds),
        "| average | " + " | ".join(f"{damage[kind]:.2f}" for kind in kinds) + " |",
    ]
    return "\n".join(lines) + "\n"


def _keyframes(folder: Path, config: Config, report: Report) -> Iterator[tuple[str, Keyframes]]:
    if (folder / DATABASE).exists():
        store = SqliteStore(folder)
        for video in store.ready_keys(SCAN):
            yield video, store.load(video, SCAN).keyframes
        return

    films = [folder] if folder.is_file() else sorted(folder.glob("*"))
    for film in films:
        if film.suffix.lower() in VIDEO_SUFFIXES:
            settings = (config.shots, picking(config))
            scanned = scan_film(str(film), config.media, settings, report=report)
            yield film.stem, scanned.keyframes


def _mean(rows: Sequence[SwappedPairs], name: str) -> float:
    return float(np.mean([getattr(row, name) for row in rows]))
