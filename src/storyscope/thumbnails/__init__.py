"""Keyframes -> the frame that stands for a story.

`rate_keyframes` looks at every keyframe once, when a video is indexed; `choose_thumbnail` then
costs nothing, so the choice can follow every query. `prefer` learns from a person's choices.
"""

from storyscope.thumbnails.choose import choose_thumbnail, rank_thumbnails
from storyscope.thumbnails.quality import Quality, measure_quality
from storyscope.thumbnails.ranker import (
    Choice,
    Ranker,
    load_ranker,
    prefer,
    save_ranker,
    train_ranker,
    train_ranker_on_pairs,
)
from storyscope.thumbnails.rating import has_beauty, rate_beauty, rate_keyframes

__all__ = [
    "Choice",
    "Quality",
    "Ranker",
    "choose_thumbnail",
    "has_beauty",
    "load_ranker",
    "measure_quality",
    "prefer",
    "rank_thumbnails",
    "rate_beauty",
    "rate_keyframes",
    "save_ranker",
    "train_ranker",
    "train_ranker_on_pairs",
]
