"""Embedded shots in, stories out: exact clustering of consecutive shots."""

from storyscope.stories.cluster import Clustering, cluster, clusterings, story_path
from storyscope.stories.cluster_path import PathPoint
from storyscope.stories.cluster_runs import Partition
from storyscope.stories.segment import segment

__all__ = [
    "Clustering",
    "Partition",
    "PathPoint",
    "cluster",
    "clusterings",
    "segment",
    "story_path",
]
