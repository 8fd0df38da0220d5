"""Dask preload module that replaces index processes with fake ones."""

from storyscope.processes import indexing

WORKER = """
import json, os, pathlib, signal, sys, time
path = pathlib.Path(json.loads(sys.stdin.readline())["path"])
tries = path.with_suffix(".tries")
tries.write_text(tries.read_text() + "x" if tries.exists() else "x")
print(json.dumps({"stage": "scan", "fraction": 0.5}), flush=True)
if path.stem.startswith("deadly"):
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(60)
if path.stem.startswith("once") and len(tries.read_text()) == 1:
    time.sleep(60)
if path.stem.startswith("slow"):
    time.sleep(3)
print(json.dumps({"failure": "is bad"} if path.stem == "bad" else {"video": path.stem}), flush=True)
"""


def dask_setup(worker):
    indexing.WORKER = ("-S", "-c", WORKER)
