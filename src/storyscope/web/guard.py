"""What every request is held to, whatever it asks for."""

from __future__ import annotations

import hmac
from urllib.parse import urlsplit

from fastapi import Request
from fastapi.responses import HTMLResponse, JSONResponse, Response
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from storyscope.web.delivery import login_html

POLICY = "; ".join(
    (
        "default-src 'self'",
        "img-src 'self' data: blob:",
        "media-src 'self' blob:",
        "style-src 'self'",
        "script-src 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
UPLOADS = "/api/v1/uploads"
LARGEST_BODY = 4 << 20
"""Bytes of any request but an upload: a version of twenty thousand stories fits."""
LOCAL_NAMES = {"localhost", "127.0.0.1", "::1", "testserver"}


class Guard:
    """Middleware: the token where there is one, no requests from other sites, safe headers."""

    def __init__(self, app: ASGIApp, token: str | None, largest_upload: int) -> None:
        self._app, self._token, self._largest_upload = app, token, largest_upload

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        added = dict(HEADERS)
        if self._token and request.query_params.get("token") == self._token:
            added["Set-Cookie"] = f"storyscope={self._token}; HttpOnly; Path=/; SameSite=strict"

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(added)
            await send(message)

        refusal = _refusal(request, self._token) or _too_large(request, self._largest_upload)
        await (refusal or self._app)(scope, receive, send_guarded)


def _refusal(request: Request, token: str | None) -> Response | None:
    host = urlsplit(f"//{request.headers.get('host', '')}").hostname or ""
    if token is None and host not in LOCAL_NAMES:
        # A page elsewhere may have its name point here: answer to local names only.
        return _refuse(403, "WrongHost", f"this server answers on this machine only, not as {host}")
    if token is not None and not (_has_token(request, token) or _is_public(request)):
        if "text/html" in request.headers.get("accept", ""):
            return HTMLResponse(login_html(), status_code=401)
        return _refuse(401, "TokenWanted", "open the address that `storyscope serve` printed")
    if request.method not in ("GET", "HEAD", "OPTIONS") and not _same_site(request, host):
        return _refuse(403, "CrossSite", "another site may not change this library")
    return None


def _too_large(request: Request, largest_upload: int) -> Response | None:
    """Refuse a body by its stated length, before a byte of it is taken."""
    upload = request.url.path == UPLOADS
    if request.method not in ("POST", "PUT", "PATCH"):
        return None
    stated = request.headers.get("content-length", "")
    if not (stated.isascii() and stated.isdigit()):
        return _refuse(411, "LengthWanted", "say how long the body is: Content-Length")
    limit = largest_upload if upload else LARGEST_BODY
    if int(stated) > limit:
        return _refuse(413, "TooLarge", f"a body here ends at {limit} bytes, this has {stated}")
    return None


def _has_token(request: Request, token: str) -> bool:
    bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
    given = (bearer, request.query_params.get("token", ""), request.cookies.get("storyscope", ""))
    return any(hmac.compare_digest(each.encode(), token.encode()) for each in given)


def _is_public(request: Request) -> bool:
    """The page's own files, which say nothing of the library, and which its login needs."""
    return request.method in ("GET", "HEAD") and request.url.path.startswith("/static/")


def _same_site(request: Request, host: str) -> bool:
    site = request.headers.get("sec-fetch-site")
    if site is not None and site not in ("same-origin", "none"):
        return False
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin).hostname == host


def _refuse(status: int, kind: str, detail: str) -> Response:
    return JSONResponse({"error": kind, "detail": detail}, status_code=status)
