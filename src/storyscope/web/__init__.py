"""The library in the browser: a REST API under `/api/v1`, and the page that uses it."""

from storyscope.web.app import create_app
from storyscope.web.server import serve

__all__ = ["create_app", "serve"]
