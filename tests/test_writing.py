"""A file is there whole or not at all, whatever writes it and whoever is killed."""

import os
import stat
from pathlib import Path

import numpy as np
import pytest

from storyscope.concepts.detectors import TrainedConcepts, save_trained
from storyscope.models import keep_in_cache
from storyscope.thumbnails import Ranker, save_ranker
from storyscope.transcripts.speech import SpeechJournal
from storyscope.writing import ABANDONED_SECONDS, half_written, write_whole


def keep_ranker(path, number):
    save_ranker(Ranker("net", *np.full((3, 10), number), spread=1.0), path)


def keep_concepts(path, number):
    rows = np.full((2, 1), number, np.float32)
    save_trained(TrainedConcepts(("cat",), rows, rows[0], "net"), path)


def keep_journal(path, number):
    SpeechJournal(path, str(number))._rewrite([])


def keep_cached(path, number):
    if keep_in_cache(path.name, str(number).encode()) is None:
        raise OSError("no room")


WRITERS = [keep_ranker, keep_concepts, keep_journal, keep_cached]


@pytest.mark.parametrize("keep", WRITERS)
def test_whatever_fails_to_be_written_leaves_what_was_there(keep, tmp_path, monkeypatch):
    monkeypatch.setenv("STORYSCOPE_CACHE", str(tmp_path))
    path = tmp_path / "kept"
    keep(path, 1)
    before = path.read_bytes()
    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(OSError, match="no room"):
        keep(path, 2)
    assert path.read_bytes() == before
    monkeypatch.undo()
    monkeypatch.setenv("STORYSCOPE_CACHE", str(tmp_path))
    keep(path, 2)
    assert path.read_bytes() != before
    assert list(tmp_path.iterdir()) == [path]


def test_the_next_to_write_sweeps_what_was_abandoned_and_nothing_else(tmp_path):
    with half_written(tmp_path, [b"long ago"]) as old, half_written(tmp_path, [b"now"]) as new:
        long_ago = new.stat().st_mtime - ABANDONED_SECONDS - 1
        os.utime(old, (long_ago, long_ago))
        write_whole(tmp_path / "other", [b"o", b"k"])
        assert sorted(tmp_path.iterdir()) == [new, tmp_path / "other"]
    assert (tmp_path / "other").read_bytes() == b"ok"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_a_file_is_as_open_to_others_as_any_that_a_person_makes(tmp_path):
    (tmp_path / "by-hand").touch()
    write_whole(tmp_path / "kept", [b""])
    assert mode(tmp_path / "kept") == mode(tmp_path / "by-hand")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def refuse(*_):
    raise OSError("no room")
