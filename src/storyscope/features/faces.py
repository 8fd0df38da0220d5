"""Faces in pictures: the detector YuNet finds them, the network SFace describes them.

The weights are files that users download (`storyscope models get faces`); onnxruntime runs them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from storyscope.models import DOWNLOADS, check_downloaded, onnx_session, require_downloaded

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

FACES = "faces"
"""Name of the weights in `storyscope models`."""
INPUT_SIZE = 640
"""Side in pixels of the square that the detector is given."""
STRIDES = (8, 16, 32)
MIN_SCORE = 0.87
"""Minimum confidence of the detector; faces of animals reach 0.86 on our photographs."""
MAX_OVERLAP = 0.3
"""Intersection over union above which two boxes are one face."""
MIN_SIDE = 28.0
"""Minimum width of a face in pixels of the picture; smaller ones cannot be distinguished."""
ALIGNED_SIZE = 112
LANDMARKS = np.array(
    [[38.2946, 51.6963], [73.5318, 51.5014], [56.0252, 71.7366], [41.5493, 92.3655],
     [70.7299, 92.2041]]
)  # fmt: skip
"""Where SFace expects the two eyes, the tip of the nose and the corners of the mouth."""


@dataclass(frozen=True, eq=False)
class Face:
    """A face in a picture."""

    box: np.ndarray
    """float [4]: left, top, width and height, in pixels."""
    landmarks: np.ndarray
    """float [5, 2]: eyes, tip of the nose and corners of the mouth, in pixels."""
    score: float


@dataclass(frozen=True, eq=False)
class FaceNetworks:
    """The detector and the descriptor."""

    detector: InferenceSession
    descriptor: InferenceSession

    def find(self, picture: np.ndarray) -> list[Face]:
        """The faces of a picture, uint8 [h, w, 3], that are large enough, most certain first."""
        pixels, scale = _fitted(picture)
        names = [f"{part}_{s}" for part in ("cls", "obj", "bbox", "kps") for s in STRIDES]
        outputs = dict(zip(names, self.detector.run(names, {"input": pixels}), strict=True))
        faces = [
            Face(face.box / scale, face.landmarks / scale, face.score) for face in decode(outputs)
        ]
        return [face for face in faces if face.box[2] >= MIN_SIDE]

    def encode(self, picture: np.ndarray, face: Face) -> np.ndarray:
        """float32 [128], of length one: the face of a picture, whatever its size and tilt."""
        pixels = aligned(picture, face.landmarks).astype(np.float32).transpose(2, 0, 1)[None]
        (vector,) = self.descriptor.run(None, {"data": pixels})[0]
        return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-9), np.float32)


@cache
def load_face_networks() -> FaceNetworks:
    """Open the downloaded networks."""
    path = require_downloaded(FACES, needed="finding faces needs two networks, which")
    check_downloaded(FACES, path)
    ((detector, _),) = DOWNLOADS[FACES].beside
    return FaceNetworks(
        onnx_session(path.with_name(detector.rpartition("/")[2])), onnx_session(path)
    )


def decode(outputs: dict[str, np.ndarray]) -> list[Face]:
    """The faces that the detector's outputs describe, in pixels of its input, without duplicates.

    Each cell of a grid, one grid per stride, proposes a face: its centre relative to the cell, the
    logarithm of its size, and its landmarks.
    """
    scores, boxes, landmarks = [], [], []
    for stride in STRIDES:
        columns = INPUT_SIZE // stride
        row, column = np.divmod(np.arange(columns**2), columns)
        cell = np.stack([column, row], axis=1)
        certain = np.clip(outputs[f"cls_{stride}"][0, :, 0], 0, 1)
        scores.append(np.sqrt(certain * np.clip(outputs[f"obj_{stride}"][0, :, 0], 0, 1)))
        box = outputs[f"bbox_{stride}"][0]
        size = np.exp(box[:, 2:])
        boxes.append(stride * np.concatenate([cell + box[:, :2] - size / 2, size], axis=1))
        points = outputs[f"kps_{stride}"][0].reshape(-1, 5, 2)
        landmarks.append(stride * (points + cell[:, None]))
    score, box, points = np.concatenate(scores), np.concatenate(boxes), np.concatenate(landmarks)
    found: list[Face] = []
    for n in np.argsort(-score, kind="stable").tolist():
        if score[n] < MIN_SCORE:
            break
        if all(overlap(box[n], other.box) <= MAX_OVERLAP for other in found):
            found.append(Face(box[n], points[n], float(score[n])))
    return found


def overlap(box: np.ndarray, other: np.ndarray) -> float:
    """Intersection over union of two boxes (left, top, width, height)."""
    low = np.maximum(box[:2], other[:2])
    high = np.minimum(box[:2] + box[2:], other[:2] + other[2:])
    shared = float(np.prod(np.maximum(high - low, 0)))
    return shared / max(float(np.prod(box[2:]) + np.prod(other[2:])) - shared, 1e-9)


def aligned(picture: np.ndarray, landmarks: np.ndarray) -> np.ndarray:
    """uint8 [112, 112, 3]: a face with eyes and mouth where SFace expects them."""
    from PIL import Image

    scale_rotation, shift = similarity(LANDMARKS, landmarks)
    (a, b), (d, e) = scale_rotation
    turned = Image.fromarray(picture).transform(
        (ALIGNED_SIZE, ALIGNED_SIZE),
        Image.Transform.AFFINE,
        (a, b, shift[0], d, e, shift[1]),
        Image.Resampling.BILINEAR,
    )
    return np.asarray(turned)


def similarity(source: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The scaled rotation [2, 2] and the shift [2] that map source points closest to the target.

    Umeyama (1991), least squares, without reflection.
    """
    source_mean, target_mean = source.mean(axis=0), target.mean(axis=0)
    centred = source - source_mean
    left, strength, right = np.linalg.svd((target - target_mean).T @ centred)
    signs = np.array([1.0, np.sign(np.linalg.det(left @ right))])
    rotation = (left * signs) @ right * (strength @ signs) / (centred**2).sum()
    return rotation, target_mean - rotation @ source_mean


def _fitted(picture: np.ndarray) -> tuple[np.ndarray, float]:
    """float32 [1, 3, 640, 640], blue first: the picture scaled into a square; and the scale."""
    from PIL import Image

    height, width = picture.shape[:2]
    scale = INPUT_SIZE / max(height, width)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    square = np.zeros((INPUT_SIZE, INPUT_SIZE, 3), np.float32)
    fitted = Image.fromarray(picture).resize(size, Image.Resampling.BILINEAR)
    square[: size[1], : size[0]] = np.asarray(fitted)
    return np.ascontiguousarray(square[..., ::-1].transpose(2, 0, 1)[None]), scale
