from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from storyscope.cli.options import (
    DEFAULT_LIBRARY,
    JsonOption,
    LibraryOption,
    open_local_library,
    video_ids,
)
from storyscope.cli.show import live_progress, print_json, print_table, say
from storyscope.config import describe_settings, parse_settings
from storyscope.errors import InvalidSetting
from storyscope.library.video_settings import OF_A_VIDEO, own_settings

if TYPE_CHECKING:
    from storyscope.library import LocalLibrary


def config(
    settings: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TABLE.NAME=VALUE]...", help="Settings to store in the library."),
    ] = None,
    library: LibraryOption = DEFAULT_LIBRARY,
    preset: Annotated[
        str | None, typer.Option(help="Start from `default`, `paper` or `paper-lite`.")
    ] = None,
    video: Annotated[
        str | None,
        typer.Option(
            metavar="VIDEO",
            help="Show or change the settings of this video only.",
            autocompletion=video_ids,
        ),
    ] = None,
    reset: Annotated[
        bool, typer.Option("--reset", help="Drop the video's own settings (with --video).")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Show or change settings: of the library, in its storyscope.toml, or of one video.

    A new number of stories (`stories.about`, `stories.minutes` or `stories.granularity`) takes
    effect immediately in search, export and everything else; other settings take effect when videos
    are added again.

    Examples:

        storyscope config

        storyscope config stories.minutes=5

        storyscope config --video film stories.about=8

        storyscope config features.keyframes_per_shot=5 stories.method=cluster

        storyscope config --preset paper
    """
    opened = open_local_library(library, create=video is None)
    if video is not None:
        _of_a_video(opened, video, settings or [], preset, reset=reset, json=json)
        return
    if reset:
        raise InvalidSetting("--reset is for the settings of one video; give it with --video")
    from dataclasses import asdict

    if settings or preset:
        with live_progress("stories") as report:
            opened.keep_settings(settings or [], preset=preset, report=report)
        say(f"kept in {opened.place}; run `storyscope add` again for what needs indexing")
    if json:
        print_json(asdict(opened.config))
        return
    rows = [(name, str(value), words) for name, value, words in describe_settings(opened.config)]
    print_table("setting", "value", "what it does", rows=rows)


def _of_a_video(
    library: LocalLibrary,
    video: str,
    settings: list[str],
    preset: str | None,
    *,
    reset: bool,
    json: bool,
) -> None:
    if preset is not None:
        raise InvalidSetting("a preset is for the whole library; leave --video out")
    library.video(video)
    if reset:
        library.keep_settings_of(video, {room: {} for room in OF_A_VIDEO})
    if settings:
        library.keep_settings_of(video, parse_settings(settings))
    own = own_settings(library.store, video)
    if json:
        print_json(own)
        return
    for room, values in own.items():
        for name, value in values.items():
            typer.echo(f"{room}.{name}={value}")
    if not own:
        say(f"{video} has no settings of its own; those of the library apply")
    if "media" in parse_settings(settings):
        say(f"run `storyscope add {library.video(video).path}` to index that part")
