"""One record per cue, used by indexing, the detector, explanations and the ablation."""

import numpy as np
import pytest

from storyscope import Library, cues
from storyscope.config import FeatureConfig
from storyscope.core import Features
from storyscope.cues import BUILT_IN, Cue, evidence_labels, find_cue, indexed_cues
from storyscope.errors import StoryscopeError, UnknownName
from storyscope.experiments.ablation import _names_of_evidence
from storyscope.stages.words import stage_words
from storyscope.stories.similarity import compare_shots, cues_of


def loudness(material, config):
    rows = np.arange(len(material.shots), dtype=np.float32)[:, None]
    return Features("loudness", rows, "made up")


LOUDNESS = Cue(
    name="loudness",
    label="loudness",
    progress="measuring loudness",
    extractor=loudness,
    vote=0.5,
    also_called=("volume",),
)


@pytest.fixture
def with_loudness(monkeypatch):
    monkeypatch.setattr(cues, "plugin_names", lambda group: ["loudness"])
    monkeypatch.setattr(cues, "load_plugin", lambda group, name: LOUDNESS)
    cues.all_cues.cache_clear()
    yield
    cues.all_cues.cache_clear()


@pytest.mark.parametrize("cue", BUILT_IN, ids=lambda cue: cue.name)
def test_every_record_is_complete(cue):
    assert cue.label
    assert set(cue.settings) <= set(vars(FeatureConfig()))
    assert not cue.indexed or (cue.progress and callable(cue.load_extractor()))


def test_a_feature_that_is_no_cue_is_an_error():
    rows = np.ones((3, 2), np.float32)
    with pytest.raises(UnknownName, match=r"'smell'; choose from appearance, .*appearance:smell"):
        cues_of([Features("smell", rows, "made up")])
    assert [*cues_of([Features("appearance:smell", rows, "made up")])] == ["appearance"]
    assert [*cues_of([Features("hsv", rows, "made up")])] == ["colour"]


def test_a_cue_of_another_package_is_indexed_seen_and_explained(with_loudness, film, tmp_path):
    library = Library(tmp_path)
    steps = []
    library.add(film, report=lambda step: steps.append(step.stage))
    assert "loudness" in steps
    assert library.cues("film").count("loudness") == 1
    assert all("loudness" in reason["cues"] for reason in library.explain("film"))
    assert stage_words("loudness") == "measuring loudness"
    assert evidence_labels()["loudness"] == "loudness"
    assert find_cue("volume") == LOUDNESS
    assert _names_of_evidence()["loudness"] == ["loudness", "volume"]
    (features,) = (each for each in library.features("film") if each.name == "loudness")
    assert "loudness" in compare_shots(cues_of([features]))


@pytest.mark.parametrize("offered", ["no record", BUILT_IN[0], Cue(name="loudness", label="x")])
def test_a_package_must_offer_a_record_of_the_name_with_an_extractor(
    with_loudness, offered, monkeypatch
):
    monkeypatch.setattr(cues, "load_plugin", lambda group, name: offered)
    with pytest.raises(StoryscopeError, match="must be a Cue of that name"):
        indexed_cues()
