"""Dask preload module that makes a worker report a different text model."""

from dataclasses import replace

from storyscope.cluster import task

WEIGHTS = task.weights


def dask_setup(worker):
    task.weights = lambda config: replace(WEIGHTS(config), text="another")
