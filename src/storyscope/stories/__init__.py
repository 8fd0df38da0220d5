"""Story detection: from shots and their features to stories.

`segment` finds them with the given settings, `all_granularities` returns every coarser and finer
segmentation, `explain` gives reasons; `cluster` is the paper's exact clustering of consecutive
shots.
"""

from storyscope.clustering import (
    Clustering,
    Partition,
    PathPoint,
    cheapest_partitions,
    cluster,
    clusterings,
    story_path,
)
from storyscope.stories.detect import detect
from storyscope.stories.explain import BoundaryExplanation, explain, importance
from storyscope.stories.folding import fold
from storyscope.stories.model import StoryModel
from storyscope.stories.segment import all_granularities, model_digest, segment

__all__ = [
    "BoundaryExplanation",
    "Clustering",
    "Partition",
    "PathPoint",
    "StoryModel",
    "all_granularities",
    "cheapest_partitions",
    "cluster",
    "clusterings",
    "detect",
    "explain",
    "fold",
    "importance",
    "model_digest",
    "segment",
    "story_path",
]
