"""Train new concepts of a library: folders of pictures in, detectors out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from storyscope.concepts import (
    TRAINED_FILE,
    TrainedConcepts,
    mean_map,
    save_trained,
    train_concepts,
)
from storyscope.core import Keyframes
from storyscope.errors import StoryscopeError
from storyscope.features import Backbone, describe, load_backbone, to_jpeg
from storyscope.progress import Report, Step, silent
from storyscope.store import Store

PICTURES = {".jpg", ".jpeg", ".png", ".webp", ".bmp", ".gif", ".tif", ".tiff"}
HEIGHT = 256
"""Pictures are resized to the height of a film's keyframes, so that both look alike."""
BATCH = 64
MOST_PIXELS = 100_000_000
BACKGROUND = "background"


def teach_concepts(
    folder: Path, *, backbone: str = "efficientnet-lite0", report: Report = silent
) -> TrainedConcepts:
    """Train one concept for every folder of pictures inside `folder`, named after it.

    A folder called `background` contains pictures of anything else and does not become a concept.
    """
    classes = find_classes(folder)
    network = load_backbone(backbone)
    total = sum(len(paths) for paths in classes.values())
    activations: dict[str, np.ndarray] = {}
    done = 0
    for name, paths in classes.items():
        rows = []
        for start in range(0, len(paths), BATCH):
            rows.append(_activations(paths[start : start + BATCH], network))
            done += len(paths[start : start + BATCH])
            report(Step("looking at pictures", done, total, note=name))
        activations[name] = np.concatenate(rows)
    others = activations.pop(BACKGROUND, None)
    return train_concepts(activations, producer=network.producer, background=others, report=report)


def keep_concepts(store: Store, trained: TrainedConcepts) -> None:
    """Use these concepts in the library, replacing those trained before."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / TRAINED_FILE
        save_trained(trained, path)
        store.put_document(TRAINED_FILE, path.read_bytes())


def find_classes(folder: Path) -> dict[str, list[Path]]:
    """The pictures in each folder inside `folder`, by the readable name of the folder."""
    try:
        inside = sorted(path for path in folder.iterdir() if path.is_dir())
    except OSError as error:
        raise StoryscopeError(f"cannot read the folder {folder}: {error.strerror}") from error
    classes = {
        path.name.replace("_", " ").strip(): sorted(
            file
            for file in path.rglob("*")
            if file.suffix.lower() in PICTURES and not file.name.startswith(".")
        )
        for path in inside
        if not path.name.startswith(".")
    }
    classes = {name: paths for name, paths in classes.items() if paths}
    if not classes:
        raise StoryscopeError(
            f"{folder} contains no folders of pictures; put the pictures of each concept into a "
            f"folder with its name, as in {folder.name or 'concepts'}/glacier/1.jpg"
        )
    return classes


def _activations(paths: Sequence[Path], network: Backbone) -> np.ndarray:
    pictures = tuple(read_picture(path) for path in paths)
    numbers = np.arange(len(pictures))
    keyframes = Keyframes(
        shots=numbers.astype(np.int32),
        frames=numbers,
        seconds=numbers.astype(float),
        pictures=pictures,
    )
    return mean_map(describe(keyframes, network))


def read_picture(path: Path) -> bytes:
    """A picture file as a keyframe: upright, of a keyframe's height, JPEG."""
    from PIL import Image, ImageOps

    try:
        with Image.open(path) as image:
            if image.width * image.height > MOST_PIXELS:
                raise StoryscopeError(f"{path} has {image.width} x {image.height} pixels, too many")
            upright = ImageOps.exif_transpose(image).convert("RGB")
            width = max(1, round(upright.width * HEIGHT / upright.height))
            return to_jpeg(np.asarray(upright.resize((min(width, 8 * HEIGHT), HEIGHT))))
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise StoryscopeError(f"{path} cannot be read as a picture; repair or remove it") from error
