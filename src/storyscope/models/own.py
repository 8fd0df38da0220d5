"""Weights that were trained for Storyscope and are shipped inside it, each pinned by its
SHA-256."""

from __future__ import annotations

from pathlib import Path

from storyscope.models.shipped import check_file

PACKAGE = Path(__file__).parents[1]
OWN: dict[str, str] = {
    "search/image_text_head.safetensors": (
        "8da02434e6ad697ad2bab12834d4ce3a41c96f26b1c2c37efe18cb444ce76ee5"
    ),
    "shots/weights.npz": ("45daef130efbe14097c18ed0a154651cd715dd5185bb3d72e4e41c0b7b07fe8a"),
    "stories/default.safetensors": (
        "250a111d1882bc8eb81eb73da4fae394c9bd4a7346cd08db92a85117427fb66b"
    ),
    "thumbnails/ranker.json": ("b66523297888c490460759d7e35f4c5de2b224fb085d37c2c3aaa8089a5ffc39"),
}
"""Path inside this package -> SHA-256; `python -m training.pin_weights` writes it."""


def check_own(path: Path) -> Path:
    """The file of our own weights at `path`, after its content was checked."""
    digest = OWN[path.relative_to(PACKAGE).as_posix()]
    fix = "install Storyscope again, or run `python -m training.pin_weights` if you trained it"
    check_file(path, digest, name="storyscope", fix=fix)
    return path
