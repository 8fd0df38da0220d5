"""A small synthetic benchmark folder, and methods to run on it."""

import json
import os
import time
from pathlib import Path

import numpy as np

from storyscope.core import Segmentation


def write_video(folder: Path, name: str, **changes) -> None:
    """Write a video with eight shots of ten frames, three stories and one feature."""
    folder.mkdir(parents=True)
    description = {
        "name": name,
        "fps": 25.0,
        "frame_count": 80,
        "shots": [[i * 10, i * 10 + 10] for i in range(8)],
        "stories": [[0, 30], [30, 60], [60, 80]],
        "features": {"look": "look.npy"},
        **changes,
    }
    (folder / "video.json").write_text(json.dumps(description))
    rows = np.random.default_rng(len(name)).normal(size=(len(description["shots"]), 3))
    for file in description["features"].values():
        np.save(folder / file, rows)


class Thirds:
    """A method that learns the number of stories and cuts evenly."""

    name = "thirds"

    def fit(self, training, *, seed):
        self.count = round(np.mean([len(video.truth) for video in training]))
        return self

    def find(self, video):
        shots = len(video.shots)
        return Segmentation(tuple(i * shots // self.count for i in range(self.count)), shots)


class Halves:
    """A method that needs no training."""

    name = "halves"

    def fit(self, training, *, seed):
        return self

    def pretrained(self):
        return self

    def find(self, video):
        return Segmentation((0, len(video.shots) // 2), len(video.shots))


class NeedsMore:
    """A method with a missing dependency."""

    name = "needs more"

    def fit(self, training, *, seed):
        from storyscope.errors import MissingDependency

        raise MissingDependency("run `pip install storyscope[train]`")


class Endless:
    """A method that writes its process id and then runs forever."""

    name = "endless"

    def fit(self, training, *, seed):
        (Path(os.environ["WORKERS"]) / str(os.getpid())).touch()
        while True:
            time.sleep(0.1)


class Fails:
    """A method that raises an error."""

    name = "fails"

    def fit(self, training, *, seed):
        return training[0].nonsense


class Seeded:
    """A method whose number of stories is the seed."""

    name = "seeded"

    def fit(self, training, *, seed):
        self.count = seed
        return self

    find = Thirds.find
