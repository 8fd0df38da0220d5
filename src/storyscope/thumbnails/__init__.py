"""Choose the frame that represents a story.

`rate_keyframes` rates every keyframe once, when a video is indexed; `choose_thumbnail` is then
cheap, so the choice can depend on the query. `prefer` learns from a person's choices.
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
