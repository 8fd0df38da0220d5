"""Faces are found when somebody asks, grouped, named, searched by name, and forgotten."""

import io
import shutil
from dataclasses import dataclass

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from storyscope import Library
from storyscope.cli.main import build_app
from storyscope.errors import UnknownName
from storyscope.features.faces import Face
from storyscope.library import faces
from storyscope.library.faces import Sighting, group_faces
from storyscope.library.people import FACES, SPEAKERS, Portrait
from storyscope.search import Filter


@dataclass
class Whoever:
    """Networks that see one face in the first half of the keyframes, and another in the rest."""

    keyframes: int
    looked: int = 0

    def find(self, picture):
        self.looked += 1
        return [Face(np.array([4.0, 6.0, 30.0, 40.0]), np.zeros((5, 2)), 0.9)]

    def encode(self, picture, face):
        first = self.looked <= self.keyframes // 2
        return np.array([1.0, 0.0] if first else [0.0, 1.0], np.float32)


@pytest.fixture
def library(indexed, tmp_path, monkeypatch):
    opened = Library(shutil.copytree(indexed, tmp_path / "library"))
    count = len(opened.store.load("film", faces.SCAN).keyframes)
    monkeypatch.setattr(faces, "load_face_networks", lambda: Whoever(count))
    return opened


def test_faces_are_found_named_searched_and_forgotten(library):
    assert library.faces("film") == []
    library.find_faces("film")
    early = min(library.faces("film"), key=lambda row: row["appearances"][0])
    assert early["appearances"][0] == [0.0, library.shots("film")[0].span.end]
    picture = Image.open(io.BytesIO(library.face_picture("film", early["face"])))
    assert picture.size == (68, 68)
    library.name_faces("film", {early["face"]: "Ann"})
    hits = library.search("ANN")
    assert library.stories("film")[0] in [hit.story for hit in hits]
    assert library.stories("film")[-1] not in [hit.story for hit in hits]
    assert {hit.evidence.split(",")[0] for hit in hits} == {"Face"}
    shown = library.search("camel", only=Filter(face="Ann"))
    seen = [hit.story for hit in hits]
    assert shown == [hit for hit in library.search("camel") if hit.story in seen]
    library.forget_faces("film")
    assert library.faces("film") == []
    with pytest.raises(UnknownName, match="no face called 'Ann'"):
        library.search("camel", only=Filter(face="Ann"))
    with pytest.raises(UnknownName, match="film has no face 1"):
        library.face_picture("film", 1)


def test_somebody_heard_and_seen_is_found_by_either(library):
    library.find_faces("film")
    first, *_, last = library.stories("film")
    SPEAKERS.keep(library.store, "film", [(last.span, 1)])
    library.name_speakers("film", {1: "Ann"})
    early = min(library.faces("film"), key=lambda row: row["appearances"][0])
    library.name_faces("film", {early["face"]: "Ann"})
    kinds = {hit.story.id: hit.evidence.split(",")[0] for hit in library.search("Ann")}
    assert kinds[first.id] == "Face"
    assert kinds[last.id] == "Speaker"
    assert library.search("camel", only=Filter(speaker="Ann", face="Ann")) == []


def test_what_is_known_of_faces_goes_with_the_video(library):
    library.find_faces("film")
    library.remove("film")
    assert "film" not in FACES.document.read(library.store)


def test_one_command_deletes_speakers_and_faces(library):
    def run(*words):
        done = CliRunner().invoke(build_app(), [*words, "--library", str(library.folder)])
        assert done.exit_code == 0, done.output
        return done.stdout

    first, second, *_ = run("faces", "film").splitlines()
    assert first.startswith("  1  Face 1 ")
    assert second.startswith("  2  Face 2 ")
    assert "  2  Ann " in run("faces", "film", "--name", "2=Ann")
    SPEAKERS.keep(library.store, "film", [(library.stories("film")[0].span, 1)])
    assert run("speakers", "film", "--forget") == ""
    assert library.faces("film") == library.speakers("film") == []


def sightings(*seen):
    """Sightings from (keyframe, shot, angle of the face's vector in degrees)."""
    return [
        Sighting(n, shot, Portrait(n, 0, 0, 0.1, 0.1), np.array([np.cos(a), np.sin(a)], np.float32))
        for n, shot, a in ((n, shot, np.deg2rad(angle)) for n, shot, angle in seen)
    ]


def test_similar_faces_are_one_person_over_all_shots_and_passers_by_are_nobody():
    seen = sightings((0, 0, 0), (1, 0, 10), (1, 0, 90), (2, 1, 95), (3, 2, 5), (4, 2, 180))
    people = group_faces(seen)
    assert [[s.keyframe for s in of] for of in people] == [[0, 1, 3], [1, 2]]


def test_a_film_without_faces_has_none():
    assert group_faces([]) == []
