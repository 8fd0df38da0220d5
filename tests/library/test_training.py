"""`storyscope train` and `storyscope explain`."""

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest

from command_line import storyscope
from storyscope.config import StoryConfig
from storyscope.core import Annotation, Segmentation
from storyscope.cues import Cue, indexed_cues
from storyscope.embedding import Embedding
from storyscope.errors import AnnotationError, InvalidFeatures, ModelError, UnknownVideo
from storyscope.library import Library, local
from storyscope.library.explaining import draw_importance, explain_boundaries
from storyscope.library.training import (
    STYLE_FILE,
    adopt_style,
    count_changes,
    gather_examples,
    learn_embedding,
    stories_over_shots,
)
from storyscope.stories import cluster, model_digest, segment
from storyscope.stories.fine_tuning import FineTuning
from storyscope.stories.model import default_model


@pytest.fixture(scope="module")
def library(indexed, tmp_path_factory):
    return Library(shutil.copytree(indexed, tmp_path_factory.mktemp("style") / "copy"))


def every_shot(library):
    starts = tuple(shot.span.start for shot in library.shots("film"))
    return Annotation("anna", starts, library.video("film").duration)


def test_without_annotations_it_says_what_to_do(library):
    with pytest.raises(AnnotationError, match="storyscope import"):
        gather_examples(library)


def test_a_person_s_stories_begin_at_the_nearest_change_of_shot(library):
    shots = library.shots("film")
    starts = (0.0, shots[2].span.start + 0.1)
    version = Annotation("anna", starts, shots[-1].span.end)
    assert stories_over_shots(version, shots) == Segmentation((0, 2), len(shots))


def test_training_learns_from_the_library_and_keeps_the_model_when_insisted(library):
    pytest.importorskip("torch")
    library.annotate("film", every_shot(library))
    facts = json.loads(storyscope("train", "--insist", "--json", library=library).stdout)
    assert facts["activated"]
    assert [each["name"] for each in facts["videos"]] == [
        "film by anna, first half",
        "film by anna, second half",
    ]
    assert {"before", "after", "uniform", "minutes"} <= set(facts)
    shots = len(library.shots("film"))
    assert facts["stories_per_minute"] == pytest.approx(shots / facts["minutes"], rel=1e-6)
    again = Library(library.folder)
    assert again.config.stories.model == str(library.folder.resolve() / STYLE_FILE)
    again.add(library.video("film").path)
    assert len(again.stories("film")) >= 1
    # The library's model was trained on the film, so it must not be used to evaluate on it.
    assert json.loads(storyscope("train", "--insist", "--json", library=again).stdout) == facts


def test_a_library_that_is_moved_takes_its_model_along(tmp_path):
    here, there = tmp_path / "here", tmp_path / "there"
    library = Library(here)
    tuned = FineTuning(default_model(), {}, {}, {}, 0.0)
    assert adopt_style(library, tuned) == here / STYLE_FILE
    library.keep_settings(["stories.penalty=paper"])
    here.rename(there)
    moved = Library(there).config.stories
    assert (moved.model, moved.penalty) == (str(there / STYLE_FILE), "paper")
    assert model_digest(moved) == default_model().digest


def test_a_file_that_names_no_video_is_refused(library, tmp_path):
    stray = tmp_path / "stray.json"
    stray.write_text('{"starts": [0, 10], "end": 100}')
    with pytest.raises(UnknownVideo, match="which video"):
        gather_examples(library, [str(stray)])


def test_the_paper_s_embedding_is_trained_saved_and_clustered_in(library, tmp_path):
    pytest.importorskip("torch")
    library.annotate("film", every_shot(library))
    file = tmp_path / "triplet.safetensors"
    words = ("train", "film", "--embedding", "triplet", "--output", file, "--json")
    facts = json.loads(storyscope(*words, library=library).stdout)
    space = Embedding.load(file)
    assert (facts["kind"], facts["digest"]) == ("triplet", space.digest)
    assert "appearance" in facts["features"]
    config = StoryConfig(method="cluster", model=str(file), penalty=0.05)
    shots, features = library.shots("film"), library.features("film")
    found = segment(shots, features, config)
    assert found == cluster(space.embed(features), 0.05).segmentation
    assert model_digest(config) == space.digest
    clustered = Library(library.folder, config=replace(library.config, stories=config))
    assert len(explain_boundaries(clustered, "film")) == len(library.stories("film")) - 1
    with pytest.raises(InvalidFeatures, match="trained with appearance"):
        segment(shots, [each for each in features if each.name != "appearance"], config)


def test_an_lstm_is_no_space_to_cluster_in(library, tmp_path):
    pytest.importorskip("torch")
    library.annotate("film", every_shot(library))
    space = learn_embedding(library, "lstm", ["film"])
    space.save(tmp_path / "lstm.safetensors")
    config = StoryConfig(method="cluster", model=str(tmp_path / "lstm.safetensors"))
    with pytest.raises(ModelError, match="scores boundaries"):
        segment(library.shots("film"), library.features("film"), config)


def test_a_file_to_learn_from_changes_nothing_in_the_library(library, tmp_path):
    kept = every_shot(library)
    library.annotate("film", kept)
    file = tmp_path / "film.anna.json"
    file.write_text(
        json.dumps({"starts": [0, 2], "end": len(library.shots("film")), "annotator": "anna"})
    )
    examples = gather_examples(library, [str(file)])
    ((name, example),) = examples["film"].items()
    assert (name, example.truth.starts, [*examples]) == ("film by anna", (0, 2), ["film"])
    assert library.annotations("film") == {"anna": kept}


def test_explanations_are_facts_about_every_boundary(library):
    drawn = library.folder / "importance.png"
    said = storyscope("explain", "film", "--json", "--plot", drawn, library=library).stdout
    facts = json.loads(said)
    assert drawn.read_bytes().startswith(b"\x89PNG")
    assert len(facts["boundaries"]) == len(Library(library.folder).stories("film")) - 1
    assert sum(facts["importance"].values()) == pytest.approx(1.0)
    for boundary in facts["boundaries"]:
        assert set(boundary["cues"]) == set(facts["importance"])
    assert "importance" in storyscope("explain", "film", library=library).stdout


def test_the_longest_bar_is_the_cue_that_matters_most(tmp_path):
    from PIL import Image

    file = tmp_path / "importance.png"
    draw_importance("film", {"time": 0.2, "appearance": 0.7, "colour": 0.1}, file)
    pixels = np.asarray(Image.open(file).convert("RGB")).astype(int)
    bars = (pixels == (31, 78, 140)).all(axis=2).sum(axis=1)
    top, middle, bottom = (bars[38 + 34 * row + 10] for row in range(3))
    assert (top / bottom, middle / bottom) == pytest.approx((7, 2), rel=0.05)


@pytest.mark.parametrize("level", [0.0, 0.3, 1.0])
def test_boundaries_of_every_granularity_are_explained(library, level):
    library = Library(library.folder)
    starts = [story.span.start for story in library.stories("film", granularity=level)]
    assert [reason["start"] for reason in library.explain("film", granularity=level)] == starts[1:]


def test_the_library_explains_each_story_but_the_first(library):
    stories = Library(library.folder).stories("film")
    reasons = Library(library.folder).explain("film")
    assert [each["index"] for each in reasons] == list(range(1, len(stories)))
    assert [each["start"] for each in reasons] == [story.span.start for story in stories[1:]]
    for each in reasons:
        assert 0 <= each["confidence"] <= 1
        assert sum(map(abs, each["cues"].values())) == pytest.approx(1.0)
    json.dumps(reasons)


@pytest.mark.parametrize(
    ("before", "after", "counts"),
    [
        ({0, 10, 20}, {0, 12, 20}, (1, 0, 0)),
        ({0, 10, 20, 30}, {0, 30}, (0, 2, 0)),
        ({0, 30}, {0, 10, 20, 30}, (0, 0, 2)),
        ({0, 10, 40}, {0, 12, 14, 30}, (2, 0, 1)),
        ({0, 10, 40, 50}, {0, 40, 45, 50}, (0, 1, 1)),
    ],
)
def test_changes_are_reported_as_moved_joined_and_split(before, after, counts):
    assert tuple(count_changes(before, after).values()) == counts


def test_a_library_older_than_a_cue_still_explains(library, monkeypatch):
    before = Library(library.folder).explain("film")
    later = Cue(name="smell", label="smells", extractor=lambda material, config: None)
    known = (*indexed_cues(), later)
    monkeypatch.setattr(local, "indexed_cues", lambda: known)
    assert Library(library.folder).explain("film") == before
