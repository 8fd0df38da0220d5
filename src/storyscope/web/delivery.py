"""Delivery of the page's own files: content-addressed and compressed."""

from __future__ import annotations

import re
from contextlib import suppress
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from fastapi.staticfiles import StaticFiles
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

STATIC = Path(str(files("storyscope.web"))) / "static"
A_YEAR = "public, max-age=31536000, immutable"
ANEW = "no-cache"
ALONE = {"theme.js", "reference.js"}
"""Scripts that are not modules of the page."""
NOT_TEXT = re.compile(r"/(media|stream|picture|poster|sprites\.jpg|events|uploads)$|/export/")
"""Responses that are compressed already, are read by ranges, or are streamed."""


class Assets(StaticFiles):
    """Static files; with a digest in their path they never change and are cached for a year."""

    def __init__(self, cache: str) -> None:
        super().__init__(directory=STATIC)
        self._cache = cache

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = self._cache
        return response


class Compressed:
    """Middleware: compress text for clients that accept it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app, self._compressed = app, GZipMiddleware(app, minimum_size=700)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        plain = scope["type"] != "http" or NOT_TEXT.search(scope["path"])
        await (self._app if plain else self._compressed)(scope, receive, send)


class HeadAnswers:
    """Middleware: answer HEAD with the headers of GET."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return

        async def send_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                await send(message)
            else:
                # The body, a film or an endless stream, is not produced.
                raise _HeadersSent

        with suppress(_HeadersSent):
            await self._app({**scope, "method": "GET"}, receive, send_headers)
        await send({"type": "http.response.body", "body": b""})


class _HeadersSent(Exception):
    """The whole response has been sent."""


def content_name() -> str:
    """A digest of the static files: other content has another one."""
    digest = sha256()
    for path in sorted(STATIC.rglob("*")):
        if path.is_file():
            digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def page_html(name: str) -> str:
    """The page with content-addressed files, and preloading of all modules."""
    modules = sorted(path.name for path in STATIC.glob("*.js") if path.name not in ALONE)
    preloads = "\n".join(
        f'<link rel="modulepreload" href="/static/{module}">' for module in modules
    )
    html = (STATIC / "index.html").read_text(encoding="utf-8")
    return _named(html.replace("</head>", f"{preloads}\n</head>"), name)


def reference_html(name: str) -> str:
    """The API reference, with content-addressed files."""
    return _named((STATIC / "reference.html").read_text(encoding="utf-8"), name)


WRONG_TOKEN = '<p class="warn" role="alert">That is not the access token of this library.</p>'


def login_html(*, wrong_token: bool = False) -> str:
    """The page for visitors without the access token."""
    html = (STATIC / "login.html").read_text(encoding="utf-8")
    return html.replace("</form>", f"</form>\n{WRONG_TOKEN}") if wrong_token else html


def _named(html: str, name: str) -> str:
    return html.replace("/static/", f"/static/{name}/")
