from __future__ import annotations

from storyscope.cli.options import (
    DEFAULT_LIBRARY,
    JsonOption,
    LibraryOption,
    VideoArgument,
    open_library,
)
from storyscope.cli.show import print_json, print_table, say

BAR = 24


def explain(
    video: VideoArgument, library: LibraryOption = DEFAULT_LIBRARY, json: JsonOption = False
) -> None:
    """Say why each boundary is where it is: how sure, and which cues speak for it.

    A cue's number is what it adds to the log-odds of the boundary; below 0 it speaks against it.
    The bars show how much each cue matters over the whole video, by averaged absolute gradients.

    Examples:

        storyscope explain film

        storyscope explain film --json
    """
    from storyscope.core import format_time
    from storyscope.stories import explain as explain_boundaries
    from storyscope.stories import importance
    from storyscope.stories.segment import load_model

    shelf = open_library(library)
    shots, features = shelf.shots(video), shelf.features(video)
    model = load_model(shelf.config.stories.model)
    reasons = explain_boundaries(shots, features, model, stories=shelf.segmentation(video))
    matters = importance(shots, features, model)
    held = sum(reason.holds for reason in reasons)
    if json:
        boundaries = [
            {
                "seconds": reason.seconds,
                "shot": reason.shot,
                "confidence": reason.confidence,
                "score": reason.score,
                "cues": dict(reason.cues),
            }
            for reason in reasons
        ]
        print_json(
            {
                "video": video,
                "boundaries": boundaries,
                "importance": matters,
                "ablation": {"checked": len(reasons), "held": held},
            }
        )
        return
    cues = list(matters)
    rows = [
        (
            format_time(reason.seconds),
            f"{reason.confidence:.0%}",
            *(f"{reason.cues[cue]:+.1f}" for cue in cues),
        )
        for reason in reasons
    ]
    print_table("boundary", "sure", *cues, rows=rows)
    bars = [(cue, "█" * round(BAR * share), f"{share:.0%}") for cue, share in matters.items()]
    print_table("cue", "importance", "", rows=bars)
    if reasons:
        say(
            f"silencing the cue said to matter most changed the boundary most at {held} of "
            f"{len(reasons)} boundaries"
        )
