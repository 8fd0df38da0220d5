"""The example of docs/plugins.md, installed and used as a person would."""

import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from films import make_film

PAGE = (Path(__file__).parents[1] / "docs" / "plugins.md").read_text()


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder of installed packages with the example in it."""
    folder = tmp_path_factory.mktemp("example")
    code, project = (
        re.search(rf"```{kind}\n(.*?)```", PAGE, re.S)[1] for kind in ("python", "toml")
    )
    points = tomllib.loads(project)["project"]["entry-points"]
    lines = [
        line
        for group, names in points.items()
        for line in (f"[{group}]", *(f"{name} = {value}" for name, value in names.items()))
    ]
    wheel = folder / "storyscope_example-1.0-py3-none-any.whl"
    info = "storyscope_example-1.0.dist-info"
    with zipfile.ZipFile(wheel, "w") as packed:
        packed.writestr("storyscope_example.py", code)
        packed.writestr(
            f"{info}/METADATA", "Metadata-Version: 2.1\nName: storyscope-example\nVersion: 1.0\n"
        )
        packed.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        packed.writestr(f"{info}/entry_points.txt", "\n".join(lines))
        packed.writestr(f"{info}/RECORD", "")
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps"]
    subprocess.run([*install, "--target", str(folder / "site"), str(wheel)], check=True)
    return folder / "site"


@pytest.fixture
def storyscope(site, monkeypatch):
    """Run the command line in a process that has the example installed."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(site), *filter(None, sys.path)]))

    def run(*words):
        command = [sys.executable, "-m", "storyscope", *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True)

    return run


def test_a_format_of_another_package_is_listed_and_written(storyscope, indexed):
    assert "labels" in storyscope("export", "--format", "list").stdout
    done = storyscope("export", "film", "--format", "labels", "--library", indexed)
    assert done.stdout.startswith("0.0\t")


def test_a_detector_of_another_package_finds_its_shots(storyscope, tmp_path):
    film = make_film(tmp_path / "film.mp4", frame_count=80)
    done = storyscope("shots", film, "--detector", "every-second", "--json")
    shots = json.loads(done.stdout)["shots"]
    assert [shot["first_frame"] for shot in shots] == [0, 25, 50, 75]


def test_a_detector_that_nobody_offers_is_refused_with_the_choices(storyscope, tmp_path):
    film = make_film(tmp_path / "film.mp4", frame_count=10)
    done = storyscope("shots", film, "--detector", "every-secund")
    assert done.returncode == 1
    assert "fast or neural or paper or every-second, got 'every-secund'" in done.stderr
