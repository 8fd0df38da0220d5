from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from storyscope.cli.options import (
    DEFAULT_LIBRARY,
    JsonOption,
    LibraryOption,
    QuietOption,
    open_local_library,
)
from storyscope.cli.show import live_progress, print_json, print_table, say
from storyscope.library.training import (
    adopt_style,
    boundary_changes,
    facts_of,
    learn_collection,
    learn_embedding,
    learn_style,
    refuse_other_file,
)
from storyscope.library.transitions import learn_transitions

if TYPE_CHECKING:
    from storyscope.library import LocalLibrary


def train(
    annotations: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ANNOTATIONS]...",
            help="Annotated videos, or files of stories named after them; all if none is given.",
        ),
    ] = None,
    library: LibraryOption = DEFAULT_LIBRARY,
    annotator: Annotated[
        str | None, typer.Option(help="Train only on the versions of this person.")
    ] = None,
    embedding: Annotated[
        str | None,
        typer.Option(
            metavar="triplet|siamese|lstm",
            help="Train one of the paper's networks instead, and write it to --output.",
        ),
    ] = None,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE", help="File to write the --embedding to."),
    ] = Path("embedding.safetensors"),
    preset: Annotated[
        str | None,
        typer.Option(
            help="With --embedding: `paper` or `paper-lite`, to fit everything that the preset "
            "needs."
        ),
    ] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="TABLE.NAME=VALUE", help="With --preset: change a setting."),
    ] = None,
    insist: Annotated[
        bool, typer.Option("--insist", help="Use the new model even if it is not better.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only report what would change.")
    ] = False,
    shots: Annotated[
        bool,
        typer.Option(
            "--shots", help="Train the shot detector on rejected transitions (`shots --reject`)."
        ),
    ] = False,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Train story detection on people's own versions of the stories.

    Training starts from the shipped model, whatever was learned before. Each annotated video in
    turn is left out with all its versions and scored before and after, next to stories of equal
    length in the true number; a single video is scored in halves. The new model is used from the
    next `storyscope add` on if it is better, or with --insist.

    Examples:

        storyscope train

        storyscope train film --annotator anna

        storyscope train film1.vtt film2.json --dry-run

        storyscope train --embedding triplet --output triplet.safetensors

        storyscope train --shots

        storyscope train --embedding triplet --preset paper-lite
    """
    opened = open_local_library(library)
    if shots:
        _train_shots(opened, json, quiet)
        return
    if embedding is not None and preset is not None:
        ready = opened.with_settings(setting or [], preset=preset)
        _train_collection(ready, preset, embedding, annotations or (), annotator, json, quiet)
        return
    if embedding is not None:
        _train_embedding(opened, embedding, annotations or (), annotator, output, json, quiet)
        return
    with live_progress("train", quiet=quiet or json) as report:
        tuned = learn_style(opened, annotations or (), annotator=annotator, report=report)
    changes = boundary_changes(opened, tuned)
    use = not dry_run and (tuned.helped or insist)
    path = adopt_style(opened, tuned) if use else None
    facts = {**facts_of(tuned), "changes": changes}
    if json:
        print_json({**facts, "activated": use, "model": str(path) if path else None})
        return
    if quiet:
        return
    _show(facts)
    if use:
        say(f"kept as {path}; run `storyscope add` to find the stories of your videos again")
    else:
        say("nothing was changed" + ("" if dry_run else "; --insist uses the new model anyway"))


def describe_change(change: dict[str, Any]) -> str:
    """The changes of one video in words: "2 boundaries move, 1 story is split"."""
    words = {
        "moved": ("boundary moves", "boundaries move"),
        "joined": ("story is joined to the next", "stories are joined to the next"),
        "split": ("story is split", "stories are split"),
    }
    counts = [(change[kind], *forms) for kind, forms in words.items()]
    return ", ".join(f"{n} {one if n == 1 else many}" for n, one, many in counts if n)


def _show(facts: dict[str, Any]) -> None:
    for change in facts["changes"]:
        say(f"{change['video']}: {describe_change(change)}")
    if not facts["changes"]:
        say("the stories of your videos stay as they are")
    rows = [
        (row["name"], *(f"{row[column]:.3f}" for column in ("before", "after", "uniform")))
        for row in [*facts["videos"], {**facts, "name": "mean"}]
    ]
    print_table("left out", "before", "after", "equal stories", rows=rows)
    pace = facts["stories_per_minute"]
    rate = f", usually with {pace:.2f} stories per minute" if pace else ""
    gain = f"{facts['gain']:+.3f} mean IoU"
    say(f"learned from {facts['minutes']:.0f} annotated minutes{rate}: {gain}")


def _train_shots(library: LocalLibrary, json: bool, quiet: bool) -> None:
    with live_progress("train", quiet=quiet or json) as report:
        path, rejected, kept = learn_transitions(library, report=report)
    if json:
        print_json({"model": str(path), "rejected": rejected, "kept": kept})
    elif not quiet:
        say(f"learned from {rejected} rejected and {kept} other gradual transitions")
        say(f"kept as {path}; run `storyscope add` to find the shots of your videos again")


def _train_collection(
    library: LocalLibrary,
    preset: str,
    kind: str,
    annotations: Sequence[str],
    annotator: str | None,
    json: bool,
    quiet: bool,
) -> None:
    """Fit the audio mixture, the concept groups and the network of a preset in the library."""
    with live_progress("train", quiet=quiet or json) as report:
        path = learn_collection(library, kind, annotations, annotator=annotator, report=report)
    if json:
        print_json({"model": str(path), "kind": kind, "preset": preset})
        return
    say(f"kept as {path}; `storyscope add --preset {preset}` finds stories with it", quiet=quiet)


def _train_embedding(
    library: LocalLibrary,
    kind: str,
    annotations: Sequence[str],
    annotator: str | None,
    output: Path,
    json: bool,
    quiet: bool,
) -> None:
    refuse_other_file(output)
    with live_progress("train", quiet=quiet or json) as report:
        space = learn_embedding(library, kind, annotations, annotator=annotator, report=report)
    space.save(output)
    if json:
        facts = {"model": str(output), "kind": kind, "features": list(space.layout.names)}
        print_json(facts | {"digest": space.digest})
        return
    say(f"{output}: a {kind} network over {', '.join(space.layout.names)}")
    if kind != "lstm":
        say(
            "find stories in its space with `storyscope config stories.method=cluster "
            f"stories.model={output.resolve()}`, then `storyscope add`"
        )
