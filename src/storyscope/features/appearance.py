"""Visual appearance: the backbone's map of a few keyframes, pooled over time."""

from __future__ import annotations

import numpy as np

from storyscope.config import FeatureConfig
from storyscope.core import Features
from storyscope.features.extractor import Material
from storyscope.features.sampling import sample_keyframes


def appearance(material: Material, config: FeatureConfig) -> Features | None:
    """Element-wise maximum over a shot's keyframes of their maps (paper, "Visual appearance").

    With the paper's backbone and the full map that is 7 x 7 x 512 = 25,088 numbers. By default the
    map is averaged over the picture first: positions in the frame change with every camera angle of
    the same story, and 1,280 numbers are cheaper to store and train on than 62,720.
    """
    vision, keyframes = material.vision, material.keyframes
    if vision is None or keyframes is None or not len(keyframes):
        return None
    rows = sample_keyframes(material.shots, keyframes, config)
    vectors = np.zeros((len(rows), vision.maps.shape[1]), np.float32)
    for number, chosen in enumerate(rows):
        maps = vision.maps[chosen].astype(np.float32)
        vectors[number] = maps.max(axis=0) if config.pooling == "max" else maps.mean(axis=0)
    producer = (
        f"{vision.producer} {config.pooling} of {config.keyframes_per_shot} {config.sampling}"
    )
    return Features("appearance", vectors, producer)
