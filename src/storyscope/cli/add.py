from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from storyscope.cli.options import (
    DEFAULT_LIBRARY,
    LibraryOption,
    QuietOption,
    open_library,
    time_option,
)
from storyscope.cli.show import live_progress, live_progresses, resumable, say
from storyscope.core import count_stories
from storyscope.errors import StoryscopeError
from storyscope.library import LocalLibrary
from storyscope.library.adding import known_video
from storyscope.library.explaining import embedding_of
from storyscope.media import find_videos
from storyscope.processes.parallel import index_videos

if TYPE_CHECKING:
    from storyscope.library import Library, LocalLibrary


def add(
    videos: Annotated[
        list[Path], typer.Argument(metavar="VIDEO...", help="Video files, or folders of them.")
    ],
    library: LibraryOption = DEFAULT_LIBRARY,
    transcript: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Subtitles or transcript of the video."),
    ] = None,
    start: Annotated[float | None, time_option("Start indexing at this time of the video")] = None,
    end: Annotated[float | None, time_option("Stop indexing at this time of the video")] = None,
    preset: Annotated[
        str | None,
        typer.Option(
            help="`paper`: the paper's pipeline; `paper-lite`: the same with the shipped image "
            "network."
        ),
    ] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="TABLE.NAME=VALUE", help="Change a setting for this run."),
    ] = None,
    again: Annotated[
        bool, typer.Option(help="Start over instead of reusing finished stages.")
    ] = False,
    jobs: Annotated[
        int,
        typer.Option(
            "--jobs", "-j", min=1, metavar="N", help="Number of videos to index at the same time."
        ),
    ] = 1,
    cpu_limit: Annotated[
        float | None,
        typer.Option(
            min=1,
            max=100,
            metavar="PERCENT",
            help="Maximum share of all cores to use; other programs go first.",
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Index on the workers of this Dask scheduler; `local` starts some here.",
        ),
    ] = None,
    detach: Annotated[
        bool, typer.Option("--detach", help="Leave the work to the cluster and do not wait.")
    ] = False,
    quiet: QuietOption = False,
) -> None:
    """Index videos: detect their shots, compute features, and split them into stories.

    Files and folders may be mixed. A bad file is reported at the end and does not stop the others;
    an interrupted run resumes where it stopped; an unchanged video is skipped.

    Examples:

        storyscope add film.mp4

        storyscope add film.mp4 --transcript film.srt

        storyscope add recording.ts --start 2:30 --end 1:32:00

        storyscope add ~/Films more/*.mkv --library archive

        storyscope add film.mp4 --set stories.method=cluster --set stories.penalty=0.2

        storyscope add ~/Films --jobs 2

        storyscope add ~/Films --cpu-limit 25

        storyscope add /shared/films --cluster tcp://host:8786 --detach
    """
    paths = find_videos(videos)
    if transcript is not None and len(paths) != 1:
        raise StoryscopeError(
            f"--transcript belongs to one video, but {len(paths)} were given; give one video, or "
            "put each transcript next to its video under the same name"
        )
    part = {name: at for name, at in (("start", start), ("end", end)) if at is not None}
    setting = [*(setting or []), *(f"media.{name}={at}" for name, at in part.items())]
    opened = open_library(library, create=True).with_settings(setting, preset=preset)
    if preset == "paper-lite":
        _say_what_is_swapped(opened, quiet=quiet)
    if detach and cluster in (None, "local"):
        raise StoryscopeError("--detach needs --cluster with the address of a Dask scheduler")
    if isinstance(opened, LocalLibrary):
        _keep_part(opened, paths, part)
    if isinstance(opened, LocalLibrary) and cluster is not None:
        ended = _on_cluster(opened, paths, transcript, again, jobs, cluster, detach, quiet=quiet)
    elif cluster is not None:
        raise StoryscopeError(f"{opened.place} is a served library; give the library itself")
    elif isinstance(opened, LocalLibrary):
        ended = _in_processes(opened, paths, transcript, again, jobs, cpu_limit, quiet=quiet)
    elif jobs > 1 or cpu_limit is not None:
        raise StoryscopeError(
            "--jobs and --cpu-limit are for a library in a folder of this machine"
        )
    else:
        ended = _on_the_server(opened, paths, transcript, again, quiet=quiet)
    with resumable():
        failures = [line for each in ended if (line := _told(opened, *each, quiet=quiet))]
    if isinstance(opened, LocalLibrary):
        _keep_part(opened, paths, part)
    if failures:
        if len(paths) == 1:
            raise StoryscopeError(failures[0])
        lines = "\n  ".join(failures)
        raise StoryscopeError(f"{len(failures)} of {len(paths)} videos failed:\n  {lines}")


def _keep_part(library: LocalLibrary, paths: list[Path], part: dict[str, float]) -> None:
    """Store which part of the videos is indexed, for those that the library knows by now."""
    for path in paths if part else ():
        if (video := known_video(library.store, path)) is not None:
            kept = {name: at for name, at in part.items() if at > 0}
            library.keep_settings_of(video.id, {"media": kept})


def _say_what_is_swapped(library: Library, *, quiet: bool) -> None:
    """Print how the lite preset differs from the paper's pipeline."""
    say("paper-lite: EfficientNet-lite0 replaces the paper's VGG-16", quiet=quiet)
    if isinstance(library, LocalLibrary) and embedding_of(library) is None:
        say(
            "paper-lite: this library has no trained embedding, so shots are clustered by their "
            "unmodified features; `storyscope train --embedding triplet --preset paper-lite` "
            "trains one",
            quiet=quiet,
        )


def _told(library: Library, path: Path, video: str, failure: str, *, quiet: bool) -> str:
    """Print what was found in a video, or why it failed."""
    if failure:
        return failure if str(path) in failure else f"{path}: {failure}"
    count = len(library.stories(video))
    say(f"{video}: {count_stories(count)}", quiet=quiet)
    if isinstance(library, LocalLibrary) and (damage := library.damage(video)):
        say(f"{path} is damaged: {damage}; the readable part was indexed")
    return ""


def _on_the_server(
    library: Library, paths: list[Path], transcript: Path | None, again: bool, *, quiet: bool
) -> Iterator[tuple[Path, str, str]]:
    """Upload videos one after another, and yield (path, id, error)."""
    for number, path in enumerate(paths, start=1):
        title = path.name if len(paths) == 1 else f"{number}/{len(paths)} {path.name}"
        try:
            with live_progress(title, quiet=quiet) as report:
                video = library.add(path, transcript=transcript, again=again, report=report)
            yield path, video.id, ""
        except StoryscopeError as error:
            yield path, "", str(error)


def _on_cluster(
    library: LocalLibrary,
    paths: list[Path],
    transcript: Path | None,
    again: bool,
    jobs: int,
    address: str,
    detach: bool,
    *,
    quiet: bool,
) -> Iterator[tuple[Path, str, str]]:
    """Index videos on the workers of a cluster, and yield (path, id, error) as each ends."""
    from storyscope.cluster import index_on_cluster, opened_cluster

    with opened_cluster(address, workers=jobs) as client, live_progresses(quiet=quiet) as shown:
        say(f"dashboard: {client.dashboard_link}", quiet=quiet)
        for ended in index_on_cluster(
            library,
            paths,
            client,
            transcript=transcript,
            again=again,
            follow=lambda path, step: shown.report(str(path), step),
            detach=detach,
        ):
            shown.close(str(ended.path))
            yield ended.path, ended.video, ended.failure
        if detach:
            say(
                f"{address} continues without this process; `storyscope list` shows the progress",
                quiet=quiet,
            )


def _in_processes(
    library: LocalLibrary,
    paths: list[Path],
    transcript: Path | None,
    again: bool,
    jobs: int,
    cpu_limit: float | None,
    *,
    quiet: bool,
) -> Iterator[tuple[Path, str, str]]:
    """Index videos on this machine, each in its own process, and yield (path, id, error) as each
    ends."""
    names = [path.name for path in paths]
    titles = {path: path.name if names.count(path.name) == 1 else str(path) for path in paths}
    with live_progresses(quiet=quiet) as progresses:
        for ended in index_videos(
            library,
            paths,
            transcript=transcript,
            again=again,
            jobs=jobs,
            cpu_limit=cpu_limit,
            follow=lambda path, step: progresses.report(titles[path], step),
        ):
            progresses.close(titles[ended.path])
            yield ended.path, ended.video, ended.failure
