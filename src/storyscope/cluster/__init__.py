"""Indexing on many machines: Dask schedules one task per video, and the store keeps every stage."""

from storyscope.cluster.indexing import index_on_cluster, opened_cluster

__all__ = ["index_on_cluster", "opened_cluster"]
