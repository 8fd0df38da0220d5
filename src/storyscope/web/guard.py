"""Rules that apply to every request."""

from __future__ import annotations

import asyncio
import hmac
from urllib.parse import urlencode, urlsplit

from fastapi import Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
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
"""Maximum bytes of any request except uploads: a version of twenty thousand stories fits."""
LOCAL_NAMES = {"localhost", "127.0.0.1", "::1"}
LONGEST_ADDRESS = 8192
"""Maximum bytes of a path and its query together."""
BODY_SECONDS = 60.0
"""Timeout in seconds for the next part of a body."""
GUESS_SECONDS = 1.0
"""Seconds by which the response to a wrong token is delayed."""
SENT_BY_US = "x-storyscope"
"""A header that no form of another site can send; the page and `RemoteLibrary` do."""
PORTS = {"http": 80, "https": 443}


class Guard:
    """Middleware: check the token if there is one, reject requests from other sites, add safe
    headers."""

    def __init__(self, app: ASGIApp, token: str | None, largest_upload: int) -> None:
        self._app, self._token, self._largest_upload = app, token, largest_upload

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
            await send(message)

        if _is_wrong_guess(request, self._token):
            await asyncio.sleep(GUESS_SECONDS)
        refusal = (
            _refusal(request, self._token)
            or _too_large(request, self._largest_upload)
            or _without_token(request, self._token)
        )
        limit = self._largest_upload if scope["path"] == UPLOADS else LARGEST_BODY
        await (refusal or self._app)(scope, _Bounded(receive, limit), send_guarded)


class _Bounded:
    """The body of a request, with limits on its size and on how slowly it arrives."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self._receive, self._left, self._whole = receive, limit, False

    async def __call__(self) -> Message:
        if self._whole:
            return await self._receive()
        try:
            message = await asyncio.wait_for(self._receive(), BODY_SECONDS)
        except TimeoutError:
            return {"type": "http.disconnect"}
        self._left -= len(message.get("body", b""))
        self._whole = not message.get("more_body", False)
        return message if self._left >= 0 else {"type": "http.disconnect"}


def _refusal(request: Request, token: str | None) -> Response | None:
    if len(request.scope.get("raw_path") or b"") + len(request.scope["query_string"]) > (
        LONGEST_ADDRESS
    ):
        return _refuse(
            414, "AddressTooLong", f"an address may have at most {LONGEST_ADDRESS} bytes"
        )
    host = _host_of(request.headers.get("host", ""))
    if token is None and host not in LOCAL_NAMES:
        # DNS rebinding: another site may let its name point here, so accept local names only.
        return _refuse(
            403, "WrongHost", f"this server can be used on this machine only, not as {host}"
        )
    if token is not None and not (_has_token(request, token) or _is_public(request)):
        if "text/html" in request.headers.get("accept", ""):
            wrong = "token" in request.query_params
            return HTMLResponse(login_html(wrong_token=wrong), status_code=401)
        return _refuse(
            401,
            "TokenWanted",
            "an access token is required; open the address that `storyscope serve` printed",
        )
    changes = request.method not in ("GET", "HEAD", "OPTIONS")
    if (changes or request.url.path.startswith("/api/")) and not _same_site(request):
        return _refuse(403, "CrossSite", "requests from other sites are not allowed")
    if changes and not _is_deliberate(request):
        return _refuse(
            403,
            "HeaderWanted",
            "send the header X-Storyscope: 1 with requests that change something",
        )
    return None


def _without_token(request: Request, token: str | None) -> Response | None:
    """Move the token from a page's address to a cookie: addresses are stored, sent and shown."""
    if token is None or "token" not in request.query_params:
        return None
    if request.method != "GET" or request.url.path.startswith("/api/"):
        return None
    rest = [(name, text) for name, text in request.query_params.multi_items() if name != "token"]
    # A second slash would make the path another host's.
    path = "/" + request.url.path.lstrip("/\\")
    answer = RedirectResponse(f"{path}?{urlencode(rest)}".rstrip("?"), status_code=303)
    secure = request.url.scheme == "https"
    answer.set_cookie("storyscope", token, httponly=True, samesite="strict", secure=secure)
    return answer


def _too_large(request: Request, largest_upload: int) -> Response | None:
    """Reject a body by its stated length, before any of it is read."""
    upload = request.url.path == UPLOADS
    if request.method not in ("POST", "PUT", "PATCH"):
        return None
    if "transfer-encoding" in request.headers:
        return _refuse(
            411, "LengthWanted", "chunked bodies are not accepted; send a Content-Length"
        )
    stated = request.headers.get("content-length", "")
    if not (stated.isascii() and stated.isdigit() and len(stated) < 20):
        return _refuse(411, "LengthWanted", "send the length of the body: Content-Length")
    limit = largest_upload if upload else LARGEST_BODY
    if int(stated) > limit:
        return _refuse(
            413, "TooLarge", f"a body may have at most {limit} bytes, this one has {stated}"
        )
    return None


def _has_token(request: Request, token: str) -> bool:
    return any(
        # A cookie may contain characters that have no bytes.
        hmac.compare_digest(each.encode(errors="replace"), token.encode())
        for each in _given_tokens(request)
    )


def _given_tokens(request: Request) -> tuple[str, ...]:
    bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
    return bearer, request.query_params.get("token", ""), request.cookies.get("storyscope", "")


def _is_wrong_guess(request: Request, token: str | None) -> bool:
    return token is not None and any(_given_tokens(request)) and not _has_token(request, token)


def _is_public(request: Request) -> bool:
    """The page's own files, which contain nothing of the library and are needed for login."""
    return request.method in ("GET", "HEAD") and request.url.path.startswith("/static/")


def _same_site(request: Request) -> bool:
    site = request.headers.get("sec-fetch-site")
    if site is not None and site not in ("same-origin", "none"):
        return False
    here = _origin_of(f"{request.url.scheme}://{request.headers.get('host', '')}")
    return all(
        here is not None and _origin_of(origin) == here
        for origin in request.headers.getlist("origin")
    )


def _is_deliberate(request: Request) -> bool:
    """Whether a request has what forms, images and links of another site cannot send."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    return SENT_BY_US in request.headers or kind == "application/json"


def _origin_of(address: str) -> tuple[str, str, int] | None:
    """Scheme, host and port; None if the address is invalid or names a user."""
    if "@" in address:
        return None
    try:
        parts = urlsplit(address)
        port = parts.port or PORTS.get(parts.scheme, 0)
    except ValueError:
        return None
    return (parts.scheme, parts.hostname, port) if parts.hostname else None


def _host_of(header: str) -> str:
    try:
        return urlsplit(f"//{header}").hostname or ""
    except ValueError:
        return ""


def _refuse(status: int, kind: str, detail: str) -> Response:
    return JSONResponse({"error": kind, "detail": detail}, status_code=status)
