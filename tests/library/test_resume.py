"""A killed run resumes, and ends with what an undisturbed run would have made."""

import hashlib
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from storyscope.library import Library

KILLED = """
import os, signal, sys
from storyscope.library import Library

film, folder, stage, moment = sys.argv[1:]

def report(step):
    reached = {"start": step.done == 0, "middle": 0 < step.fraction < 1, "end": step.fraction == 1}
    if step.stage == stage and reached[moment]:
        os.kill(os.getpid(), signal.SIGKILL)

Library(folder).add(film, report=report)
"""


def content(folder: Path):
    """Everything a library holds: the rows of every table and the bytes of every array."""
    with sqlite3.connect(folder / "library.sqlite") as connection:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        rows = {
            name: sorted(connection.execute(f'SELECT * FROM "{name}"').fetchall(), key=repr)
            for (name,) in tables.fetchall()
        }
    arrays = {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted((folder / "arrays").rglob("*"))
        if path.is_file()
    }
    return rows, arrays


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL on Windows")
def test_a_run_killed_at_every_boundary_and_inside_stages_ends_the_same(film, tmp_path):
    stages = []
    undisturbed = tmp_path / "undisturbed"
    Library(undisturbed).add(film, report=lambda step: stages.append(step.stage))
    stages = list(dict.fromkeys(stages))

    folder = tmp_path / "killed"
    moments = [(stage, moment) for stage in stages for moment in ("start", "end")]
    moments += [("scan", "middle"), ("vision", "middle")]
    moments.sort(key=lambda at: (stages.index(at[0]), ("start", "middle", "end").index(at[1])))
    for stage, moment in moments:
        command = [sys.executable, "-c", KILLED, str(film), str(folder), stage, moment]
        assert subprocess.run(command, check=False).returncode == -signal.SIGKILL, (stage, moment)
    Library(folder).add(film)
    assert content(folder) == content(undisturbed)
