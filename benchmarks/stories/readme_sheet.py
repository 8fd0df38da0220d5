"""The README's picture of a real film: Big Buck Bunny, by a model that never saw it.

    python -m benchmarks.stories.readme_sheet [--data ../shared/data] [--library FOLDER]

The film is indexed with the default settings and a story model that was trained without it; the
sheet shows its true stories, from `ovsd/01`, above those that were found.
"""

from __future__ import annotations

import argparse
import tempfile
from itertools import pairwise
from pathlib import Path

from benchmarks.stories.real_film import ROOT
from storyscope.core import Segmentation, Span
from storyscope.evaluate import load_collection, mean_iou
from storyscope.library import LocalLibrary
from storyscope.report import Truth, contact_sheet
from training.train_stories import trained, videos_of

SHEET = ROOT / "docs/images/film-sheet.jpg"
CREDIT = "Big Buck Bunny, © 2008 Blender Foundation, CC BY 3.0, peach.blender.org"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared/data")
    parser.add_argument("--library", type=Path, help="keep the index here")
    options = parser.parse_args()
    video = load_collection(options.data / "ovsd", features=["vgg19", "hsv"])[0]
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "without.safetensors"
        trained(videos_of(options.data, without=video.name)).save(model)
        library = LocalLibrary(options.library or Path(folder) / "library")
        library.keep_settings([f"stories.model={model}"])
        film = library.add(options.data / "films/big-buck-bunny.mp4").id
        starts = [round(story.span.start * video.fps) for story in library.stories(film)]
        found = Segmentation.from_cuts(starts[1:], video.frame_count)
        edges = [frame / video.fps for frame in (*video.truth.starts, video.frame_count)]
        spans = tuple(Span(start, end) for start, end in pairwise(edges))
        truth = Truth(spans, mean_iou=mean_iou(found, video.truth))
        contact_sheet(library.findings(film, truth=truth), SHEET, lines=1, credit=CREDIT)
    print(f"mean IoU {truth.mean_iou:.3f}, {len(found)} stories found, {len(spans)} true")


if __name__ == "__main__":
    main()
