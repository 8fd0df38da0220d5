"""Whether a story shows what it is said to show, asked of the image-text model."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from storyscope.core import Passages, Story
from storyscope.search.image_text import OFF, load_image_text


def second_opinion(
    passages: Passages, network: str
) -> Callable[[Story, Sequence[str]], Sequence[float] | None] | None:
    """A function that says how far names stand out for the pictures of a story of this video.

    A name's cosine with a picture is set against those of the thousand class names, in deviations;
    over a story the median counts. The function is None where the model did not look at the video,
    and what it returns is None where it did not look at the story.
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
