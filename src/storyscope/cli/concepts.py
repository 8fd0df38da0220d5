from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from storyscope.cli.options import (
    DEFAULT_LIBRARY,
    JsonOption,
    LibraryOption,
    QuietOption,
    VideoArgument,
    open_local_library,
)
from storyscope.cli.show import live_progress, print_json, say
from storyscope.concepts import TRAINED_FILE, group_terms, load_trained, load_vectors, mine
from storyscope.concepts.taxonomy import CLASSES, GROUPS
from storyscope.errors import TranscriptError
from storyscope.library.concepts import find_classes, keep_concepts, teach_concepts

app = typer.Typer(
    help="Train new visual concepts, and show what a video is about.",
    no_args_is_help=True,
)


@app.command()
def train(
    folder: Annotated[
        Path,
        typer.Argument(metavar="FOLDER", help="Folder with one folder of pictures per concept."),
    ],
    library: LibraryOption = DEFAULT_LIBRARY,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Train new visual concepts from folders of pictures.

    Every folder inside FOLDER defines a concept with its name; ten pictures are enough to start
    with, a hundred are better. A folder called `background` contains pictures of anything else.
    Concepts trained before are replaced. Videos use them when they are added again.

    Examples:

        storyscope concepts train pictures    (pictures/glacier/*.jpg, pictures/husky/*.jpg)

        storyscope concepts train pictures --library archive
    """
    opened = open_local_library(library, create=True)
    with live_progress("concepts", quiet=quiet or json) as report:
        trained = teach_concepts(folder, backbone=opened.config.features.backbone, report=report)
    keep_concepts(opened.store, trained)
    if json:
        counts = {name: len(paths) for name, paths in find_classes(folder).items()}
        concepts = [{"name": name, "pictures": counts[name]} for name in trained.names]
        print_json({"concepts": concepts, "backbone": trained.producer})
        return
    say(f"{len(trained.names)} concepts learned: {', '.join(trained.names)}", quiet=quiet)


@app.command("list")
def list_concepts(library: LibraryOption = DEFAULT_LIBRARY, json: JsonOption = False) -> None:
    """List visual concepts: those trained in this library, and the built-in ones.

    Examples:

        storyscope concepts list
    """
    trained = load_trained(open_local_library(library).store.document(TRAINED_FILE))
    names = trained.names if trained else ()
    if json:
        print_json({"trained": list(names), "wider": list(GROUPS), "classes": CLASSES})
        return
    print(f"trained: {', '.join(names) or 'none yet (see `storyscope concepts train --help`)'}")
    print(f"built in: {CLASSES} classes of the image network, and {len(GROUPS)} broader ones:")
    print(", ".join(GROUPS))


@app.command()
def show(
    video: VideoArgument, library: LibraryOption = DEFAULT_LIBRARY, json: JsonOption = False
) -> None:
    """Show what a video is about: its concept groups and their terms, most frequent first.

    Needs a transcript and the extra `concepts`.

    Examples:

        storyscope concepts show film
    """
    from collections import Counter

    opened = open_local_library(library)
    words = opened.transcript(video)
    if words is None:
        raise TranscriptError(
            f"{video} has no transcript, so it has no terms; "
            "add it again with --transcript or switch on transcripts.speech"
        )
    settings = opened.config.concepts
    terms = [term.text for term in mine(words, pipeline=settings.pipeline).terms]
    counts = Counter(terms)
    groups = group_terms(terms, load_vectors(settings.vectors), groups=settings.groups)
    members: dict[int, list[str]] = {}
    for word, group in zip(groups.words, groups.group.tolist(), strict=True):
        members.setdefault(group, []).append(word)
    listed = [sorted(words, key=lambda word: (-counts[word], word)) for words in members.values()]
    listed.sort(key=lambda words: (-sum(counts[word] for word in words), words))
    if json:
        facts = [{"terms": {word: counts[word] for word in words}} for words in listed]
        print_json({"video": video, "groups": facts})
        return
    for number, words_of_group in enumerate(listed, start=1):
        print(f"{number:3}  {', '.join(words_of_group)}")
