"""Runs the command line in this process, so that models are loaded only once."""

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from subprocess import CompletedProcess
from unittest.mock import patch

from storyscope.cli.main import main


def storyscope(*words, library=None, code=0):
    """Run a command; return its output, and check its exit code."""
    place = ["--library", str(getattr(library, "folder", library))] if library else []
    line = ["storyscope", *map(str, words), *place]
    out, err = io.StringIO(), io.StringIO()
    with patch.object(sys, "argv", line), redirect_stdout(out), redirect_stderr(err):
        try:
            main()
            ended = 0
        except SystemExit as end:
            ended = end.code or 0
    done = CompletedProcess(line, ended, out.getvalue(), err.getvalue())
    assert done.returncode == code, done.stderr
    return done
