"""A film for those who watch it in a browser: what it is coded in, and a stream in its place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from storyscope.config import MediaConfig
from storyscope.media import wire
from storyscope.media.decoder import decoding
from storyscope.media.fetching import film_at_hand


@dataclass(frozen=True)
class Codecs:
    """What a file is coded in, by FFmpeg's names; `sound` is empty where there is none."""

    container: str
    picture: str
    sound: str


def read_codecs(path: str | Path, config: MediaConfig = MediaConfig()) -> Codecs:
    """What a file is coded in, without reading it through."""
    with film_at_hand(path) as file, decoding("probe", file, config) as decoder:
        facts = decoder.answer()
    chosen = [track["codec"] for track in facts["sound_tracks"] if track["chosen"]]
    return Codecs(facts["container"], facts["codec"], chosen[0] if chosen else "")


def read_title(path: str | Path, config: MediaConfig = MediaConfig()) -> str:
    """The title that a file's own metadata states, in one line; empty where there is none."""
    with film_at_hand(path) as file, decoding("probe", file, config) as decoder:
        return " ".join(str(decoder.answer()["title"]).split())[:200]


@contextmanager
def stream(
    path: str | Path, *, start: float = 0.0, config: MediaConfig = MediaConfig()
) -> Iterator[tuple[str, Iterator[bytes]]]:
    """Any film as one that browsers play, from `start` seconds on: its type, and its bytes.

    It is encoded while it is read and no faster; leaving the block ends the encoder.
    """
    with film_at_hand(path) as file, decoding("stream", file, config, start=start) as encoder:
        messages = iter(encoder)
        told = next(body for header, body in messages if header.kind == wire.NOTE)
        pieces = (body for header, body in messages if header.kind == wire.PIECE)
        yield json.loads(told)["type"], pieces
