"""A killed run resumes, with the same result as an undisturbed run."""

import hashlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from storyscope.library import Library

KILLED = """
import json, os, signal, sys
import onnxruntime
from storyscope.concepts.grammar import load_parser
from storyscope.library import Library

load_parser("en")

def add(film, folder, stage, moment):
    def report(step):
        middle = 0 < step.fraction < 1
        reached = {"start": step.done == 0, "middle": middle, "end": step.fraction == 1}
        if step.stage == stage and reached[moment]:
            os.kill(os.getpid(), signal.SIGKILL)

    Library(folder).add(film, report=report)
    os._exit(0)

# Each run is a process of its own, which finds the libraries loaded.
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        add(*json.loads(line))
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


def content(folder: Path):
    """The whole content of a library: the rows of every table and the bytes of every array."""
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
    command = [sys.executable, "-c", KILLED]
    runs = "".join(json.dumps([str(film), str(folder), *at]) + "\n" for at in moments)
    ended = subprocess.run(command, input=runs, stdout=subprocess.PIPE, text=True, check=True)
    codes = dict(zip(moments, map(int, ended.stdout.split()), strict=True))
    assert codes == dict.fromkeys(moments, -signal.SIGKILL)
    Library(folder).add(film)
    assert content(folder) == content(undisturbed)
