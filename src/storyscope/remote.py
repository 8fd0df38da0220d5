"""A library that `storyscope serve` has opened elsewhere, with the verbs of `Library`."""

from __future__ import annotations

import json
import os
import re
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import parse_qs, quote, urlencode, urlsplit
from urllib.request import Request, urlopen

from storyscope import errors
from storyscope.core import Annotation, Hit, Segmentation, Span, Story, Thumbnail, Video
from storyscope.errors import LibraryError, StoryscopeError, UnknownVideo
from storyscope.progress import Report, Step, silent
from storyscope.store import VideoRecord

PAGE = 500
"""Videos asked for at a time."""


def as_address(place: str | Path) -> str | None:
    """The address of a served library, or None for a folder; a Path loses a slash of it."""
    found = re.match(r"(https?):/+(.+)", os.fspath(place))
    return f"{found[1]}://{found[2]}" if found else None


class RemoteLibrary:
    """Videos and their stories behind an address; `?token=` in it, or STORYSCOPE_TOKEN, is sent."""

    def __init__(self, address: str, *, timeout: float = 60.0) -> None:
        parts = urlsplit(address)
        self.address = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"
        given = parse_qs(parts.query).get("token", [os.environ.get("STORYSCOPE_TOKEN", "")])
        self._token, self._timeout = given[0], timeout

    def add(
        self,
        path: str | Path,
        *,
        transcript: str | Path | None = None,
        report: Report = silent,
        glance: float = 0.2,
    ) -> Video:
        """Index a video that lies in a media folder of the server; wait until it is ready.

        `glance` is how often, in seconds, the server is asked how far it is.
        """
        wanted = {"path": os.fspath(path)} | ({"transcript": str(transcript)} if transcript else {})
        (number, *_) = self._ask("POST", "/videos", wanted)["jobs"]
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
        """Every video with its state, in the order of their ids."""
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
        annotator: str | None = None,
    ) -> list[Story]:
        """The stories of a video, as the machine found them or as a person marked them."""
        query = {"granularity": granularity, "count": count, "annotator": annotator}
        facts = self._ask("GET", f"/videos/{_safe(video)}/stories", query=query)["stories"]
        return [_story(video, f"{video}/{n}", fact) for n, fact in enumerate(facts, start=1)]

    def segmentation(self, video: str) -> Segmentation:
        """The machine's stories, over shots."""
        stories = self.stories(video)
        return Segmentation(tuple(s.shots.start for s in stories), stories[-1].shots.stop)

    def search(self, text: str, *, limit: int = 10) -> list[Hit]:
        """Stories that answer the text, best first; nothing relevant is an answer too."""
        found = self._ask("GET", "/search", query={"q": text, "limit": limit})["hits"]
        return [
            Hit(
                hit["video"],
                _story(hit["video"], hit["story"]["id"], hit["story"]),
                Thumbnail(hit["story"]["id"], hit["thumbnail"]["seconds"], hit["score"]),
                hit["score"],
                hit["parts"],
                hit["evidence"],
            )
            for hit in found
        ]

    def picture(self, video: str, seconds: float) -> Path:
        """A file with the keyframe nearest to a time, fetched into a folder for passing files."""
        folder = Path(tempfile.gettempdir()) / f"storyscope-{os.getuid()}"
        folder.mkdir(mode=0o700, exist_ok=True)
        taken = self._fetch("GET", f"/videos/{_safe(video)}/picture?{urlencode({'at': seconds})}")
        handle, name = tempfile.mkstemp(dir=folder, suffix=".jpg")
        with os.fdopen(handle, "wb") as out:
            out.write(taken)
        return Path(name)

    def cues(self, video: str) -> list[str]:
        """Names of the cues that the stories of this video stand on."""
        return list(self._ask("GET", f"/videos/{_safe(video)}")["cues"])

    def comparison(self, video: str) -> dict[str, Any]:
        """All versions of the stories, how far each pair agrees, and the consensus of people."""
        compared: dict[str, Any] = self._ask("GET", f"/videos/{_safe(video)}/annotations")
        return compared

    def annotate(self, video: str, annotation: Annotation) -> None:
        """Keep a person's version of the stories beside the machine's."""
        version = {name: getattr(annotation, name) for name in ("starts", "titles", "thumbnails")}
        where = f"/videos/{_safe(video)}/annotations/{_safe(annotation.annotator)}"
        self._ask("PUT", where, version)

    def discard_annotation(self, video: str, annotator: str) -> None:
        """Forget a person's version."""
        self._ask("DELETE", f"/videos/{_safe(video)}/annotations/{_safe(annotator)}")

    def annotations(self, video: str) -> dict[str, Annotation]:
        """Every person's version of the stories, by annotator."""
        end = self.video(video).duration
        people = self._ask("GET", f"/videos/{_safe(video)}")["annotators"]
        versions = {name: self.stories(video, annotator=name) for name in people}
        return {
            name: Annotation(
                name, tuple(s.span.start for s in stories), end, tuple(s.title for s in stories)
            )
            for name, stories in versions.items()
        }

    def remove(self, video: str) -> None:
        """Forget a video and all that was made of it; its file is not touched."""
        self._ask("DELETE", f"/videos/{_safe(video)}")

    def facts(self) -> list[dict[str, Any]]:
        """What `list --json` says of every video."""
        return [{k: v for k, v in facts.items() if k != "file"} for facts in self._listed()]

    def story_facts(self, video: str, stories: Sequence[Story]) -> dict[str, Any]:
        """What `stories --json` says."""
        (about,) = (facts for facts in self.facts() if facts["id"] == video)
        told = [
            {
                "start": story.span.start,
                "end": story.span.end,
                "title": story.title,
                "keywords": list(story.keywords),
                "shots": [story.shots.start, story.shots.stop],
            }
            for story in stories
        ]
        return {"video": about, "stories": told}

    def __getattr__(self, name: str) -> Any:
        raise LibraryError(
            f"a library at an address cannot do `{name}`; run it where the folder is"
        )

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
        return json.loads(answer) if answer else None

    def _fetch(self, method: str, path: str, body: Any = None) -> bytes:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"} if data else {}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        request = Request(f"{self.address}/api/v1{path}", data, headers, method=method)
        try:
            with urlopen(request, timeout=self._timeout) as answer:
                taken: bytes = answer.read()
                return taken
        except HTTPError as refusal:
            raise _refused(refusal) from refusal
        except (URLError, TimeoutError) as failure:
            reason = getattr(failure, "reason", failure)
            raise LibraryError(
                f"no library answers at {self.address} ({reason}); is `storyscope serve` running?"
            ) from failure


def _refused(refusal: HTTPError) -> StoryscopeError:
    """The server's own error, of the class that it would have been here."""
    try:
        facts = json.loads(refusal.read())
    except ValueError:
        facts = {}
    kind = getattr(errors, str(facts.get("error", "")), LibraryError)
    known = isinstance(kind, type) and issubclass(kind, StoryscopeError)
    detail = facts.get("detail") or f"the server answered {refusal.code}"
    return (kind if known else LibraryError)(str(detail))


def _story(video: str, id: str, facts: dict[str, Any]) -> Story:
    span = Span(facts["start"], facts["end"])
    return Story(
        video=video,
        id=id,
        span=span,
        shots=range(*facts["shots"]),
        title=facts["title"],
        keywords=tuple(facts["keywords"]),
    )


def _safe(name: str) -> str:
    return quote(name, safe="")
