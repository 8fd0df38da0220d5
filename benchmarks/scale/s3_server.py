"""A minimal local S3 server for tests: it can put, get, list and delete objects."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import cast
from unittest.mock import patch
from urllib.parse import parse_qs, unquote, urlsplit

WHEN = "%Y-%m-%dT%H:%M:%S.000Z"


class S3Server(ThreadingHTTPServer):
    """A running server; `objects` maps keys to bodies and modification times."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Requests)
        self.objects: dict[str, tuple[bytes, datetime]] = {}
        self.parts: dict[str, dict[int, bytes]] = {}
        self.numbers = count(1)
        self.asked: list[tuple[str, str]] = []
        """Method and key of every object request so far."""
        self.sent = 0
        """Total bytes of all responses."""

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def keep(self, key: str, body: bytes) -> None:
        self.objects[key] = (body, datetime.now(UTC))


class _Requests(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def s3(self) -> S3Server:
        return cast(S3Server, self.server)

    def do_PUT(self) -> None:
        body, query = self._body(), self._query()
        if "partNumber" in query:
            self.s3.parts[query["uploadId"][0]][int(query["partNumber"][0])] = body
        else:
            self.s3.keep(self._key(), body)
        self._answer(200, tag=body)

    def do_GET(self) -> None:
        if "list-type" in self._query():
            self._list(self._query().get("prefix", [""])[0])
            return
        self.s3.asked.append((self.command, self._key()))
        body, _ = self.s3.objects.get(self._key(), (None, None))
        wanted = self.headers.get("If-Match")
        if body is None:
            self._answer(404, b"<Error><Code>NoSuchKey</Code></Error>")
        elif wanted not in (None, _tag(body)):
            self._answer(412, b"<Error><Code>PreconditionFailed</Code></Error>")
        elif asked := re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", "")):
            first, last = int(asked[1]), min(int(asked[2]), len(body) - 1)
            self._answer(206, body[first : last + 1], tag=body, part=(first, last, len(body)))
        else:
            self._answer(200, body, tag=body)

    do_HEAD = do_GET

    def do_POST(self) -> None:
        body, query = self._body().decode(), self._query()
        if "uploads" in query:
            number = str(next(self.s3.numbers))
            self.s3.parts[number] = {}
            opening = f"<InitiateMultipartUploadResult><UploadId>{number}</UploadId>"
            self._answer(200, f"{opening}</InitiateMultipartUploadResult>".encode())
        elif "uploadId" in query:
            parts = self.s3.parts.pop(query["uploadId"][0])
            whole = b"".join(parts[number] for number in sorted(parts))
            self.s3.keep(self._key(), whole)
            tag = _tag(whole)
            opening = f"<CompleteMultipartUploadResult><ETag>{tag}</ETag>"
            self._answer(200, f"{opening}</CompleteMultipartUploadResult>".encode())
        else:
            keys = re.findall("<Key>(.*?)</Key>", body)
            for name in keys:
                self.s3.objects.pop(name, None)
            gone = "".join(f"<Deleted><Key>{name}</Key></Deleted>" for name in keys)
            self._answer(200, f"<DeleteResult>{gone}</DeleteResult>".encode())

    def _list(self, prefix: str) -> None:
        found = "".join(
            f"<Contents><Key>{key}</Key><LastModified>{when.strftime(WHEN)}</LastModified>"
            f"<ETag>{_tag(body)}</ETag><Size>{len(body)}</Size></Contents>"
            for key, (body, when) in sorted(self.s3.objects.items())
            if key.startswith(prefix)
        )
        self._answer(200, f"<ListBucketResult>{found}</ListBucketResult>".encode())

    def _key(self) -> str:
        return unquote(urlsplit(self.path).path).split("/", 2)[2]

    def _query(self) -> dict[str, list[str]]:
        return parse_qs(urlsplit(self.path).query, keep_blank_values=True)

    def _body(self) -> bytes:
        return self.rfile.read(int(self.headers["Content-Length"]))

    def _answer(
        self,
        status: int,
        body: bytes = b"",
        *,
        tag: bytes = b"",
        part: tuple[int, int, int] | None = None,
    ) -> None:
        self.send_response(status)
        if part:
            self.send_header("Content-Range", f"bytes {part[0]}-{part[1]}/{part[2]}")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", _tag(tag))
        self.send_header("Last-Modified", "Mon, 16 Nov 2026 00:00:00 GMT")
        self.end_headers()
        if self.command != "HEAD":
            self.s3.sent += len(body)
            self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Log nothing."""


@contextmanager
def s3_server() -> Iterator[S3Server]:
    """Run a server without objects."""
    server = S3Server()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def bucket_environment(server: S3Server) -> Iterator[None]:
    """Set environment variables so that this process and its children use the server as S3."""
    variables = {
        "AWS_ENDPOINT": server.address,
        "AWS_ALLOW_HTTP": "true",
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "us-east-1",
    }
    with patch.dict(os.environ, variables):
        yield


def _tag(body: bytes) -> str:
    return f'"{md5(body, usedforsecurity=False).hexdigest()}"'
