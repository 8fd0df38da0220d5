"""Settings cannot download models, and no code in packages of weights is run."""

import io
import os
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from benchmarks.attacks import films
from storyscope.errors import ModelError
from storyscope.models import SHIPPED
from storyscope.models.loading import cache_folder
from storyscope.shots import weights
from storyscope.thumbnails.ranker import load_ranker

GUARD = """
import os, sys
data_only = {data_only!r}
def refuse(event, arguments):
    if event == "import" and arguments[0].split(".")[0] in data_only:
        print("imported", arguments[0], file=sys.stderr); os._exit(99)
    if event in ("socket.connect", "socket.getaddrinfo"):
        print("contacted", arguments, file=sys.stderr); os._exit(98)
sys.addaudithook(refuse)
"""
CODE_TOO = {"transnetv2", "pp-ocr"}
"""Packages whose code is used as well as their weights."""
DATA_ONLY = {model.module for name, model in SHIPPED.items() if name not in CODE_TOO}

LOAD_ALL = """
from storyscope.concepts import load_vectors
from storyscope.concepts.grammar import load_parser
from storyscope.features import load_backbone
from storyscope.models import class_names, find_model
from storyscope.search import load_text_model
from storyscope.models import SHIPPED, is_installed
from storyscope.transcripts.speech import find_speech_model
for name in filter(is_installed, SHIPPED):
    find_model(name)
class_names(), load_backbone("efficientnet-lite0"), load_text_model("minilm")
if is_installed("glove-6b-50d"):
    load_vectors()
if is_installed("en-core-web-sm"):
    assert [token.pos_ for token in load_parser("en")("a polar bear")][-1] == "NOUN"
if is_installed("whisper-base-part1"):
    find_speech_model("whisper-base")
"""


SETTINGS = ("search.text_model", "search.image_text", "features.backbone", "transcripts.speech")
ADD_ALL = """
from storyscope import Library
from storyscope.errors import ModelError
film, *folders = sys.argv[1:]
for folder in folders:
    try:
        Library(folder).add(film)
        print("added to", folder)
    except ModelError as error:
        print(error)
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """An empty home folder."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def guarded(home, tmp_path_factory):
    """A process that loads every model and adds a film to untrusted libraries.

    It exits at once if it opens a connection or imports a package of weights.
    """
    folder = tmp_path_factory.mktemp("guarded")
    for setting in SETTINGS:
        room, _, name = setting.partition(".")
        (folder / setting).mkdir()
        (folder / setting / "storyscope.toml").write_text(f'[{room}]\n{name} = "stranger/net"\n')
    (folder / "film.mp4").write_bytes(films.film(0))
    code = GUARD.format(data_only=DATA_ONLY) + LOAD_ALL + ADD_ALL
    command = [sys.executable, "-c", code, "film.mp4", *SETTINGS]
    ours = {"HOME": str(home), "STORYSCOPE_CACHE": str(cache_folder())}
    unset = ("ORT_DISABLE_TELEMETRY", "XDG_CACHE_HOME")
    rest = {name: text for name, text in os.environ.items() if name not in unset}
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        cwd=folder,
        env=rest | ours,
        timeout=300,
    )


def test_no_code_of_a_package_of_weights_is_imported(guarded):
    assert (guarded.returncode, guarded.stderr) == (0, "")


def test_no_use_is_recorded_for_a_report_to_others(guarded, home):
    assert guarded.returncode == 0
    assert list(home.rglob("*onnxruntime*")) == []


def test_no_settings_of_a_library_contact_a_hub(guarded):
    answers = guarded.stdout.splitlines()
    assert len(answers) == len(SETTINGS)
    assert all(
        "not been downloaded; run `storyscope models get stranger/net`" in line for line in answers
    )


@pytest.mark.parametrize("kind", ["bomb", "claim"])
def test_weights_that_unpack_to_more_than_they_can_be_are_refused(tmp_path, monkeypatch, kind):
    monkeypatch.setattr(weights, "LARGEST", 4 << 20)
    path = tmp_path / "weights.npz"
    if kind == "bomb":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("first.npy", bytes(8 << 20))
    else:
        header = io.BytesIO()
        wanted = {"descr": "<f4", "fortran_order": False, "shape": (1 << 44,)}
        np.lib.format.write_array_header_1_0(header, wanted)
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("first.npy", header.getvalue())
    with pytest.raises(ModelError, match="cannot be read as weights"):
        weights.load_weights(str(path))


def test_a_thumbnail_ranker_that_nests_without_end_is_refused(tmp_path):
    (tmp_path / "ranker.json").write_text("[" * 100_000)
    with pytest.raises(ModelError, match="not a thumbnail ranker"):
        load_ranker(tmp_path / "ranker.json")
