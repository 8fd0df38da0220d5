"""The paper's exact clustering of consecutive shots, for any penalty."""

from storyscope.clustering.cluster import Clustering, cluster, clusterings, story_path
from storyscope.clustering.path import PathPoint
from storyscope.clustering.runs import Partition, cheapest_partitions

__all__ = [
    "Clustering",
    "Partition",
    "PathPoint",
    "cheapest_partitions",
    "cluster",
    "clusterings",
    "story_path",
]
