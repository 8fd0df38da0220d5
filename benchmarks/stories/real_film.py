"""The whole pipeline on a real film, from the file to its stories, compared with the annotation.

    python -m benchmarks.stories.real_film [--data ../shared/data] [--library FOLDER]

Big Buck Bunny is the only film available with video, sound and annotation. It is indexed with the
default settings and a story model that was trained without it, and its stories are compared with
those in `ovsd/01`, frame by frame. For comparison, the same detector runs on shot timing alone and
on the shots and features of that folder, and the film is cut uniformly into the true number of
stories. Explanations of the boundaries are checked by shuffling one cue at a time.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks import common
from storyscope.core import Segmentation
from storyscope.evaluate import AnnotatedVideo, coverage_overflow, judge, load_collection, mean_iou
from storyscope.evaluate.trivial import equal_shots, equal_times
from storyscope.experiments.detector import LearnedDetector
from storyscope.experiments.report import markdown
from storyscope.experiments.shuffling import losses_when_shuffled
from storyscope.library import Library
from storyscope.library.explaining import cue_importance, draw_importance, explain_boundaries
from storyscope.stories import detect
from storyscope.stories.model import StoryModel
from storyscope.stories.relations import Rhythm
from training.train_stories import trained, videos_of

ROOT = Path(__file__).parents[2]
DOCS = common.DOCS


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared/data")
    parser.add_argument("--library", type=Path, help="keep the index here")
    options = parser.parse_args()
    truth = load_collection(options.data / "ovsd", features=["vgg19", "hsv"])[0]
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "without.safetensors"
        trained(videos_of(options.data, without=truth.name)).save(model)
        library = Library(options.library or Path(folder) / "library")
        library.keep_settings([f"stories.model={model}"])
        film = library.add(options.data / "films/big-buck-bunny.mp4").id
        facts = compared(library, film, truth) | explained(library, film)
        draw_importance("What matters in Big Buck Bunny", facts["importance"], DOCS / "cues.png")
    text = written(facts)
    common.write_page("real_film", facts, text)


def compared(library: Library, film: str, video: AnnotatedVideo) -> dict[str, Any]:
    """Scores of our stories and of other segmentations of the same film."""
    end, fps = video.frame_count, video.fps
    seconds = [shot.span.start for shot in library.shots(film)]
    edges = [*(min(round(start * fps), end - 1) for start in seconds), end]
    changes = [shot.transition.first_frame for shot in library.shots(film)[1:]]
    begun = [0, *(min(change, end - 1) for change in changes), end]
    path = library.path(film)
    features = [each for each in library.features(film) if each.name not in ("audio", "speech")]
    model = StoryModel.load(Path(library.config.stories.model))
    silent = detect(library.shots(film), features, model)
    timing = detect(library.shots(film), [], model)
    count = len(video.truth)
    named = ("vgg19", "hsv")
    ways = {
        "ours, from the film itself": path.stories.on(edges),
        "the same, gradual transitions given to the next shot": path.stories.on(begun),
        "the same, told the true number": path.about(count).on(edges),
        "the same without its sound": silent.stories.on(edges),
        "the same by shot timing alone": timing.stories.on(edges),
        f"ours, {' and '.join(named)} of `ovsd/01`": judge([video], LearnedDetector(model))[
            0
        ].found,
        "equal times, true number, our shots": equal_times(edges, count).on(edges),
        "equal numbers of our shots, true number": equal_shots(len(seconds), count).on(edges),
    }
    return {
        "film": video.name,
        "shots": {"ours": len(seconds), "ovsd": len(video.shots)},
        "cues": library.cues(film),
        "true": count,
        "ways": {name: scored(found, video.truth) for name, found in ways.items()},
    }


def scored(found: Segmentation, truth: Segmentation) -> dict[str, float]:
    parts = coverage_overflow(found, truth)
    return {
        "mean_iou": mean_iou(found, truth),
        "coverage": parts.coverage,
        "overflow": parts.overflow,
        "found": len(found),
    }


def explained(library: Library, film: str) -> dict[str, Any]:
    """The strongest cues of the boundaries, and how often shuffling them lowers the score most."""
    reasons = explain_boundaries(library, film)
    losses = losses_when_shuffled(
        Rhythm.of(library.shots(film)),
        library.features(film),
        StoryModel.load(Path(library.config.stories.model)),
        stories=library.segmentation(film),
    )
    held = [
        reason.strongest == max(losses, key=lambda cue: losses[cue][number])
        for number, reason in enumerate(reasons)
    ]
    return {
        "importance": cue_importance(library, film),
        "boundaries": len(reasons),
        "held": sum(held),
        "strongest": dict(Counter(reason.strongest for reason in reasons).most_common()),
    }


def written(facts: dict[str, Any]) -> str:
    rows = [
        [name, *(f"{way[key]:.3f}" for key in ("mean_iou", "coverage", "overflow")), way["found"]]
        for name, way in facts["ways"].items()
    ]
    rows = [[*map(str, row)] for row in rows]
    table = markdown(["", "mean IoU", "coverage", "overflow", "stories"], rows)
    strongest = ", ".join(f"{cue} {times}" for cue, times in facts["strongest"].items())
    return (
        f"# {facts['film']}, from the file to its stories\n\n{table}\n"
        f"The truth has {facts['true']} stories; we find {facts['shots']['ours']} shots, "
        f"`ovsd/01` has {facts['shots']['ovsd']}. Cues: {', '.join(facts['cues'])}.\n\n"
        f"Shuffling the values of the cue that is named first among the shots cost the "
        f"boundary's score most at {facts['held']} of {facts['boundaries']} boundaries; chance "
        f"would name one of {len(facts['importance'])} cues. Strongest cue: {strongest}.\n\n"
        "![Feature importance by averaged absolute gradients](cues.png)\n\n"
        "Made by `python -m benchmarks.stories.real_film`.\n"
    )


if __name__ == "__main__":
    main()
