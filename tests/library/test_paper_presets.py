"""The paper's pipeline as a preset: requirements, errors, and models shared by all videos."""

from dataclasses import replace

import pytest

from movie import make_movie
from storyscope import Library
from storyscope.config import PAPER, PAPER_LITE
from storyscope.core import Annotation
from storyscope.embedding import Embedding
from storyscope.embedding.training import EmbeddingRecipe, train_embedding
from storyscope.errors import InvalidFeatures, ModelError, TranscriptError
from storyscope.library.explaining import cue_importance
from storyscope.library.training import learn_collection, learn_ranker
from storyscope.stages.collection import (
    EMBEDDING_FILE,
    GROUPS_FILE,
    SOUND_FILE,
    fit_sound_file,
    require_words,
    with_embedding,
)
from storyscope.stages.executor import given
from storyscope.stages.rankers import TRAINED_RANKER_FILE
from storyscope.store import SCAN
from storyscope.stories.segment import chosen_cues
from storyscope.thumbnails import load_ranker

pytest.importorskip("spacy")
pytest.importorskip("torch")

SIX = {"appearance", "audio", "speech", "time", "visual_concepts", "text_concepts"}


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A library with two annotated films on which all of paper-lite was trained."""
    small = EmbeddingRecipe(layers=(40, 20, 10), epochs=20, later_from=15)
    place = tmp_path_factory.mktemp("trained")
    library = Library(place / "library", config=PAPER_LITE)
    for seed in (1, 2):
        video = library.add(make_movie(place / f"film{seed}.mp4", seed=seed))
        library.annotate(video.id, Annotation("anna", (0.0, 5.0, 10.0), video.duration))
    before = library.features("film1"), library.stories("film1")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(train_embedding, "__defaults__", ("triplet", small))
        learn_collection(library, "triplet")
    return library, before


def test_the_presets_name_the_six_features_of_the_paper():
    for preset in (PAPER, PAPER_LITE):
        assert set(chosen_cues(preset.stories.cues)) == SIX
        assert (preset.stories.method, preset.stories.penalty) == ("cluster", "paper")
        assert (preset.features.audio, preset.concepts.scope) == ("fisher", "collection")
    assert (PAPER.features.backbone, PAPER.stories.model) == ("vgg16", "library")
    assert PAPER_LITE.features.backbone == "efficientnet-lite0"


def test_the_paper_preset_refuses_a_library_without_an_embedding(tmp_path):
    film = make_movie(tmp_path / "film.mp4")
    with pytest.raises(ModelError, match="storyscope train --embedding triplet --preset paper"):
        Library(tmp_path / "library", config=PAPER).add(film)


def test_the_paper_preset_refuses_a_machine_without_vgg16(tmp_path, monkeypatch):
    monkeypatch.setenv("STORYSCOPE_CACHE", str(tmp_path / "cache"))
    film = make_movie(tmp_path / "film.mp4")
    library = Library(tmp_path / "library", config=PAPER)
    monkeypatch.setattr("storyscope.pipeline.with_embedding", lambda config, store: config)
    monkeypatch.setattr("storyscope.stages.indexing.model_digest", lambda config: "")
    with pytest.raises(ModelError, match="storyscope models get vgg16 --file FILE"):
        library.add(film)


def test_the_paper_preset_refuses_a_film_without_words():
    with pytest.raises(TranscriptError, match="--transcript FILE"):
        require_words(PAPER, given(None, key=""))
    require_words(PAPER_LITE, given(None, key=""))


def test_paper_lite_runs_out_of_the_box_and_fits_what_films_share(trained):
    library, (features, stories) = trained
    assert {each.name for each in features} >= SIX
    assert len(stories) >= 1
    assert (library.folder / SOUND_FILE).exists()
    assert (library.folder / GROUPS_FILE).exists()


def test_features_of_all_films_are_made_with_one_mixture_and_one_set_of_groups(trained):
    library, _ = trained
    made = [{f.name: f.producer for f in library.features(film)} for film in ("film1", "film2")]
    assert made[0] == made[1]
    assert "mixture" in made[0]["audio"]
    assert "groups" in made[0]["text_concepts"]


def test_stories_are_found_in_the_embedding_once_it_is_trained(trained):
    library, _ = trained
    embedding = Embedding.load(library.folder / EMBEDDING_FILE)
    assert set(embedding.layout.names) == SIX
    config = with_embedding(library.config, library.store)
    assert config.stories.model == str((library.folder / EMBEDDING_FILE).resolve())
    library.add(library.video("film1").path)
    assert len(library.stories("film1")) >= 1
    assert sum(cue_importance(library, "film1").values()) == pytest.approx(1)


def test_another_mixture_is_not_used(trained):
    library, _ = trained
    original = (library.folder / SOUND_FILE).read_bytes()
    try:
        fit_sound_file(library.store, [library.store.load("film1", SCAN)])
        with pytest.raises(InvalidFeatures, match="audio made by"):
            library.add(library.video("film1").path)
    finally:
        (library.folder / SOUND_FILE).write_bytes(original)


def test_a_ranker_is_trained_for_an_image_network_that_the_shipped_one_does_not_know(
    trained, monkeypatch
):
    library, _ = trained
    file = library.store.document(TRAINED_RANKER_FILE)
    assert not file.exists()
    shipped = replace(load_ranker(), backbone="another")
    monkeypatch.setattr("storyscope.library.training.load_ranker", lambda: shipped)
    try:
        learn_ranker(library, ["film1", "film2"])
        assert load_ranker(file).backbone == "efficientnet-lite0"
    finally:
        file.unlink()
