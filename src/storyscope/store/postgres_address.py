"""The address of a library in PostgreSQL, for the server and for display."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlencode, urlsplit

from storyscope.errors import LibraryError
from storyscope.store.places import FOLDER, address_of

SCHEMA = "storyscope"
"""The schema of a library, unless its address contains another."""


@dataclass(frozen=True)
class PostgresAddress:
    """A library's address, in parts."""

    shown: str
    """The address without its password, which opens the library again and may be shown."""
    server: str
    """The connection string for libpq, without the password."""
    password: str
    arrays: str
    """The folder or bucket of the arrays."""
    schema: str

    @property
    def digest(self) -> str:
        """A name for this library among local files."""
        return hashlib.sha256(self.shown.encode()).hexdigest()[:16]


def parse_address(address: str) -> PostgresAddress:
    """Parse `postgresql://user:password@host/database?arrays=...&schema=...`."""
    parts = urlsplit(address_of(address)[1])
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    arrays = _arrays_of(options.pop("arrays", ""), parts.hostname or parts.path)
    schema = options.pop("schema", SCHEMA)
    if not re.fullmatch(r"[a-z_][a-z0-9_]{0,62}", schema):
        raise LibraryError(
            f"schema={schema} is not a plain name; use lower-case letters, digits and _"
        )
    password = unquote(parts.password or "") or options.pop("password", "")
    server = _without_password(parts)._replace(query=urlencode(options, quote_via=quote))
    more = {"arrays": arrays} | ({"schema": schema} if schema != SCHEMA else {})
    query = urlencode(options | more, quote_via=quote, safe="/:")
    return PostgresAddress(
        server._replace(query=query).geturl(), server.geturl(), password, arrays, schema
    )


def _arrays_of(written: str, where: str) -> str:
    if not written:
        raise LibraryError(
            f"the address of the library at {where} does not say where its arrays are; "
            "end it with ?arrays=/shared/folder or ?arrays=s3://bucket/prefix"
        )
    scheme, address = address_of(written)
    if scheme != FOLDER:
        return address
    return os.path.abspath(Path(address).expanduser())


def _without_password(parts: SplitResult) -> SplitResult:
    name, at, host = parts.netloc.rpartition("@")
    return parts._replace(scheme="postgresql", netloc=f"{name.partition(':')[0]}{at}{host}")
