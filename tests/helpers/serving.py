"""Runs a real server on a free port for tests."""

import socket
import threading
from contextlib import contextmanager

import uvicorn
from fastapi.testclient import TestClient


@contextmanager
def served(app):
    """Serve the app while the block runs; yield its address."""
    door = socket.socket()
    door.bind(("127.0.0.1", 0))
    door.listen()
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([door],), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{door.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(timeout=5)
        server.force_exit = True
        thread.join(timeout=10)
        assert not thread.is_alive(), "the server did not stop; a request must hang in it"


def client_of(app, **options):
    """A client that sends the same host name and header as the page."""
    return TestClient(app, base_url="http://localhost", headers={"X-Storyscope": "1"}, **options)
