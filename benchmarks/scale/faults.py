"""Fault injection while a cluster indexes a film: is the result the same as without faults?

    python -m benchmarks.scale.faults [FILM]

The film is first indexed on one machine without any fault. Then it is indexed by real workers with
a real scheduler and a real database while a fault is injected, and every artefact is compared with
the original by its key and a digest of its content. Without FILM, the first stories of the demo
film are generated at a small size.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks import common
from benchmarks.scale import killing_worker
from benchmarks.scale.dask_cluster import running_cluster
from benchmarks.scale.s3_server import bucket_environment, s3_server
from benchmarks.scale.server import Server, running_server
from storyscope import Library
from storyscope.cluster import index_on_cluster, opened_cluster
from storyscope.library import LocalLibrary
from storyscope.library.copying import artefact_digest
from storyscope.store import Artefact
from storyscope.transcripts import EXTENSIONS
from storyscope_demo import make_demo

SETTINGS = ["transcripts.speech=off"]
"""The same settings everywhere, because they are part of an artefact's key."""
START_SECONDS = 120
SAVES = ("scan", "passages", "titles")
"""Stages during whose save the server is killed."""
MOST_RUNS = 12

Contents = dict[str, tuple[str, str]]


@dataclass(frozen=True)
class Case:
    """A film to be indexed in spite of a fault."""

    server: Server
    library: LocalLibrary
    film: Path
    folder: Path


@dataclass(frozen=True)
class Outcome:
    """The result of indexing with a fault."""

    fault: str
    times: int
    """How often the fault was injected."""
    seconds: float
    artefacts: int
    different: tuple[str, ...]
    """Artefacts that differ from the original, or that only one of the two libraries has."""


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("film", type=Path, nargs="?")
    parser.add_argument("--only", default="", metavar="TEXT", help="faults whose names contain it")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks")
    options = parser.parse_args()
    wanted = [fault for fault in FAULTS if options.only in fault]
    with tempfile.TemporaryDirectory(prefix="scale-faults-") as name:
        outcomes, length = strike_all(wanted, options.film, Path(name))
    print(table_of(outcomes))
    if options.write:
        outcomes = [*(each for each in _written() if each.fault not in wanted), *outcomes]
        outcomes.sort(key=lambda each: list(FAULTS).index(each.fault))
        page = (
            f"# Fault injection while a film is indexed\n\nA film of {length:.0f} seconds.\n\n"
            f"{table_of(outcomes)}\n\nMade by `python -m benchmarks.scale.faults`.\n"
        )
        common.write_page("scale_faults", [asdict(each) for each in outcomes], page)


def strike_all(
    faults: Sequence[str], film: Path | None, folder: Path
) -> tuple[list[Outcome], float]:
    """The outcome of each fault, and the duration of the film in seconds."""
    film = film or make_demo(folder / "demo", scale=0.25, stories=slice(3)).video
    alone = Library(folder / "alone")
    assert isinstance(alone, LocalLibrary)
    alone.keep_settings(SETTINGS)
    undisturbed = contents(alone, alone.add(film).id)
    outcomes = []
    with running_server(folder) as server:
        for number, fault in enumerate(faults):
            (place := folder / f"fault{number}").mkdir()
            outcomes.append(outcome_of(fault, server, film, place, undisturbed))
            print(outcomes[-1], flush=True)
    return outcomes, alone.videos()[0].video.duration


def _written() -> list[Outcome]:
    """Outcomes of an earlier run, for the faults that still exist."""
    path = common.DOCS / "scale_faults.json"
    facts = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    found = [Outcome(**{**each, "different": tuple(each["different"])}) for each in facts]
    return [each for each in found if each.fault in FAULTS]


def table_of(outcomes: list[Outcome]) -> str:
    lines = [
        "| fault | times | seconds in total | artefacts | different |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    lines += [
        f"| {each.fault} | {each.times} | {each.seconds} | {each.artefacts} "
        f"| {', '.join(each.different) or 'none'} |"
        for each in outcomes
    ]
    return "\n".join(lines)


def outcome_of(
    fault: str, server: Server, film: Path, folder: Path, undisturbed: Contents
) -> Outcome:
    """Index a copy of the film while a fault is injected, and compare the artefacts."""
    (films := folder / "films").mkdir()
    for path in film.parent.glob(f"{film.stem}.*"):
        if path == film or path.suffix in EXTENSIONS:
            shutil.copy(path, films / path.name)
    with ExitStack() as stack:
        strike, place = FAULTS[fault], server.address(folder)
        if strike is disk_full:
            place = stack.enter_context(_in_bucket(place, films))
        library = Library(place)
        assert isinstance(library, LocalLibrary)
        stack.callback(library.store.close)
        library.keep_settings(SETTINGS)
        began = time.perf_counter()
        times = strike(Case(server, library, films / film.name, folder))
        seconds = round(time.perf_counter() - began, 1)
        (video,) = {record.video.id for record in library.videos()}
        found = contents(library, video)
    differ = {stage for stage, _ in found.items() ^ undisturbed.items()}
    return Outcome(fault, times, seconds, len(found), tuple(sorted(differ)))


def contents(library: LocalLibrary, video: str) -> Contents:
    """The key and content digest of every artefact."""
    return {
        stage: (key, artefact_digest(library.store.load(video, Artefact(stage))))
        for stage, key in library.store.keys(video).items()
    }


def worker_killed(case: Case) -> int:
    """Workers kill themselves when a stage starts, once per stage."""
    preload = killing_worker.__file__
    with (
        running_cluster(case.folder, preload=preload) as (address, _),
        opened_cluster(address) as client,
    ):
        client.wait_for_workers(2, timeout=START_SECONDS)
        for _ in range(MOST_RUNS):
            (result,) = index_on_cluster(case.library, [case.film], client)
            if result.video:
                break
            if "its worker was lost 3 times" not in result.failure:
                raise AssertionError(result.failure)
    return len(list(case.film.parent.glob(f"{case.film.stem}.{killing_worker.MARK}*")))


def server_killed(case: Case) -> int:
    """PostgreSQL is killed with all its processes while a save is in progress."""
    killed = 0
    with ThreadPoolExecutor(1) as pool:
        _hold_saves_of(case, SAVES[0])
        indexing = pool.submit(_index, case)
        while killed < len(SAVES) and not indexing.done():
            if _saving(case):
                case.server.kill()
                killed += 1
                case.server.start_again()
                _hold_saves_of(case, SAVES[killed] if killed < len(SAVES) else None)
            time.sleep(0.05)
        indexing.result()
    return killed


def connections_cut(case: Case) -> int:
    """All connections are terminated whenever a new stage starts."""
    cut: list[str] = []

    def follow(stage: str) -> None:
        if stage not in cut:
            cut.append(stage)
            case.server.cut_connections()

    _index(case, follow)
    return len(cut)


def two_clusters(case: Case) -> int:
    """Two clusters add the same film at the same time."""
    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(_index, case) for _ in range(2)]:
            done.result()
    return 1


def disk_full(case: Case) -> int:
    """The disk that one of two workers uses as a cache is full."""
    small, films = case.folder / "small", [Path(f"s3://films/{case.film.name}")]
    small.mkdir()
    room = f"size={case.film.stat().st_size // 2048}k"
    subprocess.run(["mount", "-t", "tmpfs", "-o", room, "tmpfs", str(small)], check=True)
    try:
        with (
            running_cluster(case.folder, environments=({"XDG_CACHE_HOME": str(small)}, {})) as (
                address,
                _,
            ),
            opened_cluster(address) as client,
        ):
            client.wait_for_workers(2, timeout=START_SECONDS)
            for _ in range(MOST_RUNS):
                (result,) = index_on_cluster(case.library, films, client, again=True)
                if result.failure:
                    raise AssertionError(result.failure)
                if events := client.get_events("storyscope"):
                    break
            return len(events)
    finally:
        subprocess.run(["umount", "--lazy", str(small)], check=True)


def scheduler_restarted(case: Case) -> int:
    """The scheduler and its workers stop in the middle of a film, and new ones are started."""
    port, restarted = _free_port(), []
    with ExitStack() as first, ExitStack() as second:
        (case.folder / "first").mkdir()
        (case.folder / "second").mkdir()
        address, _ = first.enter_context(running_cluster(case.folder / "first", port=port))
        client = second.enter_context(opened_cluster(address))
        client.wait_for_workers(2, timeout=START_SECONDS)

        def restart() -> None:
            _wait_for_job(case)
            first.close()
            second.enter_context(running_cluster(case.folder / "second", port=port))
            restarted.append(True)

        with ThreadPoolExecutor(1) as pool:
            restarting = pool.submit(restart)
            (result,) = index_on_cluster(case.library, [case.film], client)
            restarting.result()
        if result.failure:
            raise AssertionError(result.failure)
    return len(restarted)


FAULTS: dict[str, Callable[[Case], int]] = {
    "`kill -9` of a worker as a stage begins": worker_killed,
    "`kill -9` of PostgreSQL in the middle of a save": server_killed,
    "all connections cut (`pg_terminate_backend`)": connections_cut,
    "two clusters that add one film": two_clusters,
    "full disk on one of two workers, film and arrays in a bucket": disk_full,
    "scheduler restarted, with its workers": scheduler_restarted,
}


def _index(case: Case, follow: Callable[[str], None] = lambda stage: None) -> None:
    """Index the film with a new cluster; it must succeed."""
    library = Library(case.library.place)
    assert isinstance(library, LocalLibrary)
    with opened_cluster("local") as client:
        for result in index_on_cluster(
            library, [case.film], client, follow=lambda path, step: follow(step.stage)
        ):
            if result.failure:
                raise AssertionError(result.failure)
    library.store.close()


def _hold_saves_of(case: Case, stage: str | None) -> None:
    """Delay the commit of saved artefacts of some stages, so that a fault can hit them."""
    schema = case.library.store.address.schema  # type: ignore[attr-defined]
    case.server.execute(f"DROP TRIGGER IF EXISTS held ON {schema}.artefact")
    if stage is None:
        return
    case.server.execute(
        f"CREATE OR REPLACE FUNCTION {schema}.hold() RETURNS trigger LANGUAGE plpgsql"
        " AS $$ BEGIN PERFORM pg_sleep(3); RETURN NEW; END $$"
    )
    case.server.execute(
        f"CREATE TRIGGER held AFTER INSERT OR UPDATE ON {schema}.artefact FOR EACH ROW"
        f" WHEN (NEW.stage = '{stage}') EXECUTE FUNCTION {schema}.hold()"
    )


def _saving(case: Case) -> bool:
    """Whether a delayed save is in progress."""
    ((count,),) = case.server.execute(
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
    )
    return int(count) > 0


def _wait_for_job(case: Case) -> None:
    """Wait until a worker has finished the first stage of the film."""
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        stages = [json.loads(facts)["stage"] for facts in case.library.store.jobs.all().values()]
        if any(stage not in ("", "decode", "scan") for stage in stages):
            return
        time.sleep(0.05)


@contextmanager
def _in_bucket(place: str, films: Path) -> Iterator[str]:
    """The library's address with arrays and films in a bucket of the local S3 server."""
    with s3_server() as bucket, bucket_environment(bucket):
        for path in films.iterdir():
            bucket.keep(path.name, path.read_bytes())
        before, _, after = place.partition("&arrays=")
        yield f"{before}&arrays=s3://films/arrays&{after.partition('&')[2]}"


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as door:
        return int(door.getsockname()[1])


if __name__ == "__main__":
    main()
