"""A library served by `storyscope serve`, with the methods of `Library`."""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import asdict
from hashlib import sha256
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import SplitResult, parse_qs, quote, urlencode, urlsplit
from urllib.request import Request, urlopen

from storyscope import errors
from storyscope.core import Annotation, Hit, Shot, Story, StoryCount, Video
from storyscope.errors import LibraryError, MediaError, StoryscopeError, UnknownVideo
from storyscope.library.base import Library
from storyscope.library.remote_facts import hit_of, shot_of, story_of
from storyscope.models import cache_folder, keep_in_cache
from storyscope.progress import Report, Step, silent
from storyscope.search import Filter
from storyscope.store import VideoRecord, address_of

PAGE = 500
"""Number of videos per request."""
PIECE = 1 << 20
"""Bytes per chunk while a file is uploaded."""
MOST_PICTURES = 500
"""Maximum number of cached pictures of served libraries: commands print their paths."""
FOR_PAGE = {"file", "title", "modified", "same_as"}
"""Fields of a video in the API in addition to those of `list --json`."""


class RemoteLibrary(Library, schemes=("http", "https")):
    """Videos and their stories at an address; `?token=` in it, or STORYSCOPE_TOKEN, is sent."""

    def __init__(self, place: str | Path, *, timeout: float = 60.0) -> None:
        _, self.place = address_of(place)
        parts = _parts(self.place)
        self.address = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"
        given = parse_qs(parts.query).get("token", [os.environ.get("STORYSCOPE_TOKEN", "")])
        self._token, self._timeout = given[0], timeout
        self._count = StoryCount()
        """The temporary number of stories, if there is one."""

    def add(
        self,
        path: str | Path,
        *,
        transcript: str | Path | None = None,
        again: bool = False,
        report: Report = silent,
        glance: float = 0.2,
    ) -> Video:
        """Index a video and wait until it is ready; a file that the server does not have is
        uploaded.

        `glance` is the interval in seconds at which the server is asked for progress.
        """
        if again:
            raise LibraryError(
                "a remote library cannot start over; "
                "run `storyscope add --again` where the folder is"
            )
        words = Path(transcript).absolute() if transcript else None
        number = self._queue(Path(path).absolute(), words)
        while True:
            jobs = self._ask("GET", "/jobs")["jobs"]
            job = next(job for job in jobs if job["id"] == number)
            if job["state"] == "ready":
                return self.video(job["video"])
            if job["state"] in ("failed", "cancelled"):
                raise LibraryError(f"{path} was not indexed: {job['failure'] or job['state']}")
            report(Step(job["stage"], job["fraction"], 1.0))
            time.sleep(glance)

    def videos(self) -> list[VideoRecord]:
        return [
            VideoRecord(Video(**facts["file"]), facts["state"], 0, 0, facts["failure"])
            for facts in self._listed()
        ]

    def video(self, video: str) -> Video:
        for record in self.videos():
            if record.video.id == video:
                return record.video
        raise UnknownVideo(f"no video called {video!r} at {self.address}")

    def stories(
        self,
        video: str,
        *,
        granularity: float | None = None,
        count: int | None = None,
        minutes: float | None = None,
        annotator: str | None = None,
    ) -> list[Story]:
        wanted = StoryCount(granularity, count, minutes) or self._count
        query = {**_asked(wanted), "annotator": annotator}
        facts = self._ask("GET", f"/videos/{_safe(video)}/stories", query=query)["stories"]
        return [story_of(video, f"{video}/{n}", fact) for n, fact in enumerate(facts, start=1)]

    def shots(self, video: str) -> tuple[Shot, ...]:
        facts = self._ask("GET", f"/videos/{_safe(video)}/shots")["shots"]
        return tuple(shot_of(fact) for fact in facts)

    def search(
        self, text: str, *, limit: int = 10, offset: int = 0, only: Filter | None = None
    ) -> list[Hit]:
        filters = asdict(only) if only else {}
        query = {"q": text, "limit": limit, "offset": offset, **filters, **_asked(self._count)}
        found = self._ask("GET", "/search", query=query)["hits"]
        return [hit_of(facts) for facts in found]

    def picture(self, video: str, seconds: float) -> Path:
        """A file with the keyframe nearest to a time, stored in the cache folder."""
        taken = self._fetch("GET", f"/videos/{_safe(video)}/picture?{urlencode({'at': seconds})}")
        return keep_picture(taken)

    def speakers(self, video: str) -> list[dict[str, Any]]:
        return list(self._ask("GET", f"/videos/{_safe(video)}/speakers")["speakers"])

    def name_speakers(self, video: str, names: Mapping[int, str]) -> None:
        for number, name in names.items():
            self._ask("PUT", f"/videos/{_safe(video)}/speakers/{number}", {"name": name})

    def forget_speakers(self, video: str) -> None:
        self._ask("DELETE", f"/videos/{_safe(video)}/speakers")

    def faces(self, video: str) -> list[dict[str, Any]]:
        return list(self._ask("GET", f"/videos/{_safe(video)}/faces")["faces"])

    def name_faces(self, video: str, names: Mapping[int, str]) -> None:
        for number, name in names.items():
            self._ask("PUT", f"/videos/{_safe(video)}/faces/{number}", {"name": name})

    def forget_faces(self, video: str) -> None:
        self._ask("DELETE", f"/videos/{_safe(video)}/faces")

    def cues(self, video: str) -> list[str]:
        return list(self._ask("GET", f"/videos/{_safe(video)}")["cues"])

    def comparison(self, video: str, *, baselines: bool = False) -> dict[str, Any]:
        query = {"baselines": "true"} if baselines else {}
        where = f"/videos/{_safe(video)}/annotations"
        compared: dict[str, Any] = self._ask("GET", where, query=query)
        return compared

    def explain(self, video: str, *, granularity: float | None = None) -> list[dict[str, Any]]:
        level = "" if granularity is None else f"?granularity={granularity}"
        return list(self._ask("GET", f"/videos/{_safe(video)}/explanation{level}")["boundaries"])

    def cue_importance(self, video: str) -> dict[str, float]:
        return dict(self._ask("GET", f"/videos/{_safe(video)}/explanation")["importance"])

    def prefer_thumbnail(self, story: Story, seconds: float) -> float:
        video, _, number = story.id.rpartition("/")
        where = f"/videos/{_safe(video)}/stories/{number}/thumbnail"
        return float(self._ask("PUT", where, {"seconds": seconds})["seconds"])

    def own_version(self, video: str) -> str | None:
        own: str | None = self._ask("GET", f"/videos/{_safe(video)}")["own"]
        return None if self._count else own

    def story_count(self, video: str) -> StoryCount:
        wanted = self._ask("GET", f"/videos/{_safe(video)}/stories")["wanted"]
        return self._count or StoryCount(**wanted)

    def keep_story_count(self, video: str, count: StoryCount | None) -> None:
        self._ask("PUT", f"/videos/{_safe(video)}/stories/wanted", count.facts if count else {})

    def with_story_count(self, count: StoryCount) -> RemoteLibrary:
        seen = copy(self)
        seen._count = count
        return seen

    def with_settings(self, settings: Sequence[str], *, preset: str | None = None) -> RemoteLibrary:
        """The library itself: a served library is indexed with its own settings only."""
        if settings or preset:
            raise LibraryError(
                "a remote library is indexed with its own settings; "
                "change them with `storyscope config` where the folder is"
            )
        return self

    def annotate(self, video: str, annotation: Annotation) -> None:
        version = {name: getattr(annotation, name) for name in ("starts", "titles", "thumbnails")}
        where = f"/videos/{_safe(video)}/annotations/{_safe(annotation.annotator)}"
        self._ask("PUT", where, version)

    def discard_annotation(self, video: str, annotator: str) -> None:
        self._ask("DELETE", f"/videos/{_safe(video)}/annotations/{_safe(annotator)}")

    def annotations(self, video: str) -> dict[str, Annotation]:
        end = self.video(video).duration
        people = self._ask("GET", f"/videos/{_safe(video)}")["annotators"]
        where = f"/videos/{_safe(video)}/stories"
        versions = {
            name: self._ask("GET", where, query={"annotator": name})["stories"] for name in people
        }
        return {
            name: Annotation(
                name,
                tuple(story["start"] for story in stories),
                end,
                tuple(story["title"] for story in stories),
                tuple(story["chosen"] for story in stories),
            )
            for name, stories in versions.items()
        }

    def remove(self, video: str) -> None:
        self._ask("DELETE", f"/videos/{_safe(video)}")

    def facts(self) -> list[dict[str, Any]]:
        return [{k: v for k, v in facts.items() if k not in FOR_PAGE} for facts in self._listed()]

    def _storyboard(self, video: str, stories: list[Story] | None, annotator: str | None) -> str:
        query = urlencode(_asked(self._count) | ({"annotator": annotator} if annotator else {}))
        return self._fetch("GET", f"/videos/{_safe(video)}/export/html?{query}").decode()

    def _queue(self, path: Path, transcript: Path | None) -> int:
        """The number of the job: by path if the server has the file, otherwise the file is
        uploaded."""
        wanted = {"path": str(path)} | ({"transcript": str(transcript)} if transcript else {})
        try:
            (number, *_) = self._ask("POST", "/videos", wanted)["jobs"]
        except MediaError:
            if not path.is_file():
                raise
            (number,) = self._send_files({"file": path, "transcript": transcript})["jobs"]
        return int(number)

    def _send_files(self, files: dict[str, Path | None]) -> Any:
        """Files as form data, read while they are sent."""
        mark = secrets.token_hex(16)
        parts: list[bytes | Path] = []
        for name, path in files.items():
            if path is not None:
                title = quote(path.name, safe=" ._-")
                says = f'Content-Disposition: form-data; name="{name}"; filename="{title}"'
                parts += [f"--{mark}\r\n{says}\r\n\r\n".encode(), path, b"\r\n"]
        parts.append(f"--{mark}--\r\n".encode())
        size = sum(p.stat().st_size if isinstance(p, Path) else len(p) for p in parts)
        headers = {
            "Content-Type": f"multipart/form-data; boundary={mark}",
            "Content-Length": str(size),
        }
        return json.loads(self._send("POST", "/uploads", _read(parts), headers))

    def _cannot(self, verb: str) -> LibraryError:
        return LibraryError(f"a remote library cannot do `{verb}`; run it where the folder is")

    def _listed(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        while True:
            page = self._ask("GET", "/videos", query={"offset": len(found), "limit": PAGE})
            found += page["videos"]
            if len(found) >= page["total"] or not page["videos"]:
                return found

    def _ask(
        self, method: str, path: str, body: Any = None, query: dict[str, Any] | None = None
    ) -> Any:
        given = {name: value for name, value in (query or {}).items() if value is not None}
        answer = self._fetch(method, path + (f"?{urlencode(given)}" if given else ""), body)
        try:
            return json.loads(answer) if answer else None
        except ValueError as error:
            raise LibraryError(f"{self.address} is not a Storyscope server") from error

    def _fetch(self, method: str, path: str, body: Any = None) -> bytes:
        data = None if body is None else json.dumps(body).encode()
        return self._send(method, path, data, {"Content-Type": "application/json"} if data else {})

    def _send(
        self, method: str, path: str, data: Iterable[bytes] | bytes | None, headers: dict[str, str]
    ) -> bytes:
        if self._token:
            headers = {**headers, "Authorization": f"Bearer {self._token}"}
        headers = {**headers, "X-Storyscope": "1"}
        request = Request(f"{self.address}/api/v1{path}", data, headers, method=method)
        try:
            with urlopen(request, timeout=self._timeout) as answer:
                taken: bytes = answer.read()
                return taken
        except HTTPError as refusal:
            raise _refused(refusal) from refusal
        except (OSError, HTTPException) as failure:
            reason = getattr(failure, "reason", failure)
            raise LibraryError(
                f"no library answers at {self.address} ({reason}); is `storyscope serve` running?"
            ) from failure


def _parts(address: str) -> SplitResult:
    try:
        parts = urlsplit(address)
        if parts.hostname and parts.port != 0:
            return parts
        reason = "it names no host"
    except ValueError as error:
        reason = str(error)
    raise LibraryError(f"no library is at {address!r}: {reason}; write it as http://host:8000")


def _read(parts: Iterable[bytes | Path]) -> Iterator[bytes]:
    for part in parts:
        if isinstance(part, bytes):
            yield part
        else:
            with part.open("rb") as file:
                while piece := file.read(PIECE):
                    yield piece


def _refused(refusal: HTTPError) -> StoryscopeError:
    """The server's own error, as the class that it has locally."""
    try:
        facts = json.loads(refusal.read())
    except ValueError:
        facts = {}
    kind = getattr(errors, str(facts.get("error", "")), LibraryError)
    known = isinstance(kind, type) and issubclass(kind, StoryscopeError)
    detail = facts.get("detail") or f"the server answered {refusal.code}"
    return (kind if known else LibraryError)(str(detail))


def _asked(count: StoryCount) -> dict[str, float]:
    """The wanted number of stories, with the names that the server uses."""
    return {"count" if name == "about" else name: value for name, value in count.facts.items()}


def _safe(name: str) -> str:
    return quote(name, safe="")


def keep_picture(picture: bytes) -> Path:
    """Store a picture in the cache, which keeps the `MOST_PICTURES` most recently used."""
    name = f"pictures/{sha256(picture).hexdigest()[:32]}.jpg"
    path = keep_in_cache(name, picture)
    if path is None:
        raise LibraryError(f"{cache_folder()} cannot be written; set STORYSCOPE_CACHE to a folder")
    ages = {each: each.stat().st_mtime for each in path.parent.glob("*.jpg") if each.exists()}
    for old in sorted(ages, key=ages.__getitem__)[:-MOST_PICTURES]:
        old.unlink(missing_ok=True)
    return path
