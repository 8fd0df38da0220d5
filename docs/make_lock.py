"""Write requirements.lock: every package of the tested set, with its version and SHA-256.

    python -m docs.make_lock

pip itself resolves what is installed here, and reports the digest of every file it would take.
The digests are those of this system and Python; nothing of where the files came from is kept.
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "requirements.lock"


def main() -> None:
    LOCK.write_text(lock_of(report()), encoding="utf-8")
    print(f"{LOCK.name} written")


def report() -> dict[str, Any]:
    """pip's report on the installed packages, pinned to their installed versions."""
    frozen = _pip("freeze", "--exclude-editable")
    with tempfile.TemporaryDirectory() as folder:
        held = Path(folder) / "installed.txt"
        lines = [line for line in frozen.splitlines() if "==" in line and "@" not in line]
        held.write_text("\n".join(lines))
        wanted = Path(folder) / "report.json"
        options = ["--dry-run", "--quiet", "--ignore-installed", "--no-deps"]
        _pip("install", *options, "--report", str(wanted), "--requirement", str(held))
        found: dict[str, Any] = json.loads(wanted.read_text(encoding="utf-8"))
    return found


def lock_of(report: dict[str, Any]) -> str:
    """The lines of a requirements file with hashes, from a report of pip."""
    pinned = {}
    for each in report["install"]:
        name, version = each["metadata"]["name"].lower(), each["metadata"]["version"]
        hashes = each["download_info"].get("archive_info", {}).get("hashes", {})
        if "sha256" in hashes:
            pinned[name.replace("_", "-")] = (version, hashes["sha256"])
    lines = [
        f"# The set that is tested: Python {platform.python_version()}, {platform.system()} "
        f"{platform.machine()}.",
        "# pip install --require-hashes -r requirements.lock && pip install --no-deps -e .",
        *(
            f"{name}=={version} \\\n    --hash=sha256:{digest}"
            for name, (version, digest) in sorted(pinned.items())
        ),
    ]
    return "\n".join(lines) + "\n"


def _pip(*words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "pip", *words], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"pip {words[0]} failed: {done.stderr.strip()[-500:]}")
    return done.stdout


if __name__ == "__main__":
    main()
