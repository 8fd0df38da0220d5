"""Playback of films in a browser: their codecs, and converted streams."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from storyscope.config import MediaConfig
from storyscope.decoder import wire
from storyscope.errors import MediaError
from storyscope.media.fetching import film_at_hand, film_outline, find_film, is_fetched
from storyscope.media.process import decoding
from storyscope.store import in_bucket


@dataclass(frozen=True)
class Codecs:
    """The codecs of a file, by FFmpeg's names; `sound` is empty if there is none."""

    container: str
    picture: str
    sound: str


def read_codecs(path: str | Path, config: MediaConfig = MediaConfig()) -> Codecs:
    """The codecs of a file, without reading it or downloading it completely."""
    facts = None
    if in_bucket(path) and not is_fetched(path, found := find_film(path)):
        # If the container's index is elsewhere, the whole film is downloaded.
        with suppress(MediaError):
            facts = _stated(film_outline(path, found), config)
    facts = facts or _stated(film_at_hand(path), config)
    chosen = [track["codec"] for track in facts["sound_tracks"] if track["chosen"]]
    return Codecs(facts["container"], facts["codec"], chosen[0] if chosen else "")


def read_title(path: str | Path, config: MediaConfig = MediaConfig()) -> str:
    """The title in a file's own metadata, in one line; empty if there is none."""
    return " ".join(str(_stated(film_at_hand(path), config)["title"]).split())[:200]


def _stated(film: AbstractContextManager[Path], config: MediaConfig) -> dict[str, Any]:
    """The facts in the container of a film."""
    with film as file, decoding("probe", file, config) as decoder:
        facts: dict[str, Any] = decoder.answer()
        return facts


@contextmanager
def stream(
    path: str | Path, *, start: float = 0.0, config: MediaConfig = MediaConfig()
) -> Iterator[tuple[str, Iterator[bytes]]]:
    """Any film converted for browsers, from `start` seconds on: its type, and its bytes.

    It is encoded only as fast as it is read; leaving the block ends the encoder.
    """
    with film_at_hand(path) as file, decoding("stream", file, config, start=start) as encoder:
        messages = iter(encoder)
        note = next(body for header, body in messages if header.kind == wire.NOTE)
        pieces = (body for header, body in messages if header.kind == wire.PIECE)
        yield json.loads(note)["type"], pieces
