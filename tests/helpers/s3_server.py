"""As much of S3 as arrays need, on the loopback address: put, get, list and delete objects."""

import re
import threading
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

WHEN = "%Y-%m-%dT%H:%M:%S.000Z"


class _S3(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_PUT(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.objects[self._key()] = (body, datetime.now(UTC))
        self._answer(200, tag=body)

    def do_GET(self):
        parts = urlsplit(self.path)
        if "list-type" in parts.query:
            self._list(parse_qs(parts.query).get("prefix", [""])[0])
        elif self._key() in self.server.objects:
            body, _ = self.server.objects[self._key()]
            self._answer(200, body, tag=body)
        else:
            self._answer(404, b"<Error><Code>NoSuchKey</Code></Error>")

    do_HEAD = do_GET

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        keys = re.findall("<Key>(.*?)</Key>", body)
        for key in keys:
            self.server.objects.pop(key, None)
        gone = "".join(f"<Deleted><Key>{key}</Key></Deleted>" for key in keys)
        self._answer(200, f"<DeleteResult>{gone}</DeleteResult>".encode())

    def _list(self, prefix):
        found = "".join(
            f"<Contents><Key>{key}</Key><LastModified>{when.strftime(WHEN)}</LastModified>"
            f'<ETag>"{md5(body).hexdigest()}"</ETag><Size>{len(body)}</Size></Contents>'
            for key, (body, when) in sorted(self.server.objects.items())
            if key.startswith(prefix)
        )
        self._answer(200, f"<ListBucketResult>{found}</ListBucketResult>".encode())

    def _key(self):
        return unquote(urlsplit(self.path).path).split("/", 2)[2]

    def _answer(self, status, body=b"", *, tag=b""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", f'"{md5(tag).hexdigest()}"')
        self.send_header("Last-Modified", "Mon, 16 Nov 2026 00:00:00 GMT")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *args):
        """Nothing is logged."""


@contextmanager
def s3_server():
    """A running server with no objects; `objects` are its bodies by key."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _S3)
    server.objects = {}
    server.address = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
