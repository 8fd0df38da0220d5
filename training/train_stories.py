"""Train the shipped story detector.

    python -m training.train_stories [--data ../shared/data] [--without NAME] [--output FILE]

It is trained on the eleven episodes in `bbc` and the eight films in `ovsd` together, on their VGG19
and hue features, and compared bit by bit with the model in the package. --output writes it to a
file. --without leaves out a video, so that the model can be evaluated on it.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path

from storyscope.evaluate import AnnotatedVideo, load_collection
from storyscope.experiments.detector import example_of
from storyscope.stories.model import StoryModel, default_model
from storyscope.stories.training import train
from training import pin_weights

ROOT = Path(__file__).parent.parent
FEATURES = ("vgg19", "hsv")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared/data")
    parser.add_argument("--without", default="", help="name of a video to leave out")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    began = time.process_time()
    model = trained(videos_of(options.data, without=options.without))
    print(f"{time.process_time() - began:.0f} CPU seconds, digest {model.digest[:16]}")
    if options.output:
        model.save(options.output)
        pin_weights.main()
    else:
        same = model.digest == default_model().digest
        print("the same weights as the model that ships" if same else "NOT the model that ships")


def videos_of(data: Path, without: str = "") -> list[AnnotatedVideo]:
    """The training videos of the shipped model, without one if it is named."""
    return [
        video
        for folder in ("bbc", "ovsd")
        for video in load_collection(data / folder, features=FEATURES)
        if video.name != without
    ]


def trained_on(folder: Path) -> StoryModel:
    """A model trained on one collection, to be evaluated on another."""
    return trained([*load_collection(folder, features=FEATURES)])


def trained(videos: list[AnnotatedVideo]) -> StoryModel:
    """The model, with a card that says what it was trained on."""
    card = {
        "trained on": f"{len(videos)} videos of BBC Planet Earth and OVSD ({', '.join(FEATURES)})",
        "made by": "training/train_stories.py",
    }
    model = train([example_of(video) for video in videos])
    return replace(model, card=card, trained_on={v.name: v.fingerprint for v in videos})


if __name__ == "__main__":
    main()
