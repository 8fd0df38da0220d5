"""Speech: how much is spoken in a shot, and how long the pause is where it begins."""

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


LONGEST_PAUSE = 10.0
"""Maximum length of a pause in seconds: in a longer silence nobody is talking."""
MIN_SPOKEN = 0.1
"""Minimum share of transitions with speech nearby; in a video with less, silence is no pause."""


def pauses(material: Material, config: FeatureConfig) -> Features | None:
    """Silence around the transition into each shot, from the last word to the next: log(1 +
    seconds).

    It is 0 if a word spans the transition, and for the first shot, which has no transition.
    Without a transcript, the intervals in which somebody speaks are used instead. A video in which
    hardly anybody speaks has no pauses.
    """
    words = material.transcript.words if material.transcript else ()
    spoken = [word.span for word in words] or material.voice
    if not spoken or not material.shots:
        return None
    changes = np.array([shot.span.start for shot in material.shots])
    begins = np.array([span.start for span in spoken])
    ends = np.maximum.accumulate([span.end for span in spoken])
    later = np.searchsorted(begins, changes)
    after = np.append(begins, np.inf)[later]
    before = np.append(-np.inf, ends)[later]
    silence = np.where(before > changes, 0.0, np.clip(after - before, 0.0, LONGEST_PAUSE))
    silence[0] = 0.0
    if (silence < LONGEST_PAUSE).mean() < MIN_SPOKEN:
        return None
    return Features("pauses", np.log1p(silence)[:, None].astype(np.float32), "silence at changes 1")
