"""Quantity of speech: how much is said in a shot."""

from __future__ import annotations

import numpy as np

from storyscope.config import FeatureConfig
from storyscope.core import Features
from storyscope.features.extractor import Material


def speech(material: Material, config: FeatureConfig) -> Features | None:
    """Words in the shot over the most words in any shot of the video, one number."""
    transcript = material.transcript
    if transcript is None:
        return None
    words = np.zeros((len(material.shots), 1), np.float32)
    if material.shots:
        starts = np.array([shot.span.start for shot in material.shots])
        end = material.shots[-1].span.end
        middles = np.array([word.span.middle for word in transcript.words])
        inside = middles[(middles >= starts[0]) & (middles < end)] if len(middles) else middles
        np.add.at(words[:, 0], np.searchsorted(starts, inside, side="right") - 1, 1)
        words /= max(1.0, float(words.max()))
    return Features("speech", words, "words a shot 1")
