"""Checks of recognised classes with the image-text model."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from storyscope.core import Passages, Story
from storyscope.search.image_text import OFF, load_image_text


def second_opinion(
    passages: Passages, network: str
) -> Callable[[Story, Sequence[str]], Sequence[float] | None] | None:
    """A function that measures how far names stand out for the pictures of a story of this video.

    The cosine of a name with a picture is compared with those of the thousand class names, in
    standard deviations; the result for a story is the median. The function is None if the video was
    not encoded, and it returns None if the story was not.
    """
    if network == OFF or not passages.looks.size:
        return None
    model = load_image_text(network)
    looks = passages.looks.astype(np.float32)
    mean, deviation = passages.backgrounds.astype(np.float32).T

    def ask(story: Story, names: Sequence[str]) -> Sequence[float] | None:
        inside = (passages.shots >= story.shots.start) & (passages.shots < story.shots.stop)
        rows = np.flatnonzero(inside & (deviation > 0))
        texts = model.encode_texts(names)
        if not len(rows) or texts.shape[1] != looks.shape[1]:
            return None
        stands_out = (texts @ looks[rows].T - mean[rows]) / deviation[rows]
        return [float(value) for value in np.median(stands_out, axis=1)]

    return ask
