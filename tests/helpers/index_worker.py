"""A fake index process whose behaviour depends on the name of the film."""

WORKER = """
import json, os, sys, time
step = {"stage": "scan", "fraction": 0.5}
name = os.path.basename(json.loads(sys.stdin.readline())["path"])
print("nonsense" if name == "nonsense" else json.dumps(step), flush=True)
if name in ("nonsense", "slow"):
    time.sleep(60)
print(json.dumps({"failure": "is bad"} if name == "bad" else {"video": name}), flush=True)
"""
