"""Serve the library on a port."""

from __future__ import annotations

import gc
import secrets
import socket
from pathlib import Path

from storyscope.errors import LibraryError
from storyscope.library import LocalLibrary
from storyscope.web.app import create_app
from storyscope.web.connections import PunctualProtocol

MOST_CONNECTIONS = 512
"""Maximum number of connections; further clients are asked to retry later."""
LOCAL_HOSTS = {"127.0.0.1", "localhost", "::1"}


def serve(
    library: LocalLibrary,
    *,
    host: str,
    port: int,
    media_folders: tuple[Path, ...],
    token: str | None,
) -> str:
    """Serve until interrupted; other hosts than this machine need a token."""
    import uvicorn

    token = token or (None if host in LOCAL_HOSTS else secrets.token_urlsafe(16))
    _require_free(host, port)
    app = create_app(library, token=token, media_folders=media_folders)
    address = f"http://{host}:{port}/" + (f"?token={token}" if token else "")
    print(f"Storyscope is open at {address}  (stop with Ctrl-C)", flush=True)
    # Modules and models stay: a collection that visits them all delays a request noticeably.
    gc.freeze()
    # A page that listens for progress never disconnects: do not wait for it.
    uvicorn.run(
        app,
        host=host,
        port=port,
        http=PunctualProtocol,
        limit_concurrency=MOST_CONNECTIONS,
        log_level="warning",
        timeout_graceful_shutdown=2,
    )
    return address


def _require_free(host: str, port: int) -> None:
    try:
        with socket.create_server((host, port), family=_family(host)):
            pass
    except OSError as error:
        raise LibraryError(
            f"{host}:{port} cannot be opened: {error.strerror}; choose another with --port"
        ) from error


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET
