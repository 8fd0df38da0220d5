"""Benchmark folders, and the isolation of methods from the true stories."""

import gc
import json
from pathlib import Path

import numpy as np
import pytest

from benchmark_folder import write_video
from storyscope.core import Segmentation
from storyscope.errors import AnnotationError
from storyscope.evaluate import UnannotatedVideo, judge, leave_one_out, load_collection


@pytest.fixture
def folder(tmp_path):
    for number, name in enumerate(("ann", "bob", "carol")):
        write_video(tmp_path / f"{number:02}", name)
    return tmp_path


class Spy:
    """A method that records its arguments."""

    name = "spy"

    def __init__(self):
        self.seen = []

    def fit(self, training, *, seed):
        self.seen.append(training)
        return self

    def find(self, video):
        self.seen.append(video)
        return Segmentation((0,), len(video.shots))


def everything_reachable(root):
    seen, queue = {}, [root]
    while queue:
        thing = queue.pop()
        if id(thing) in seen or isinstance(thing, type):
            continue
        seen[id(thing)] = thing
        queue.extend(gc.get_referents(thing))
    return seen.values()


def test_a_folder_gives_its_videos_in_order(folder):
    videos = load_collection(folder)
    assert [video.name for video in videos] == ["ann", "bob", "carol"]
    assert videos[0].truth == Segmentation((0, 30, 60), 80)
    assert videos[0].truth_on_shots == Segmentation((0, 3, 6), 8)
    assert videos[0].features["look"].vectors.shape == (8, 3)
    assert not videos.left_out


def test_a_video_without_a_named_feature_is_left_out_and_named(folder):
    write_video(folder / "99", "dora", features={"sound": "sound.npy"})
    videos = load_collection(folder, features=["look"])
    assert [video.name for video in videos] == ["ann", "bob", "carol"]
    assert videos.left_out == {"dora": "has no look feature"}


def test_a_story_runs_to_the_start_of_the_next_whatever_its_end_says(tmp_path):
    write_video(tmp_path / "overlap", "overlap", stories=[[0, 31], [30, 60], [60, 80]])
    write_video(tmp_path / "gap", "gap", stories=[[0, 20], [30, 60], [60, 75]])
    write_video(tmp_path / "late", "late", stories=[[5, 30], [30, 60], [60, 80]])
    assert {video.truth for video in load_collection(tmp_path)} == {Segmentation((0, 30, 60), 80)}


def test_truth_between_shots_is_scored_where_it_is_and_learned_at_the_nearest_change(tmp_path):
    write_video(tmp_path / "v", "v", stories=[[0, 33], [33, 58], [58, 80]])
    (video,) = load_collection(tmp_path)
    assert video.truth == Segmentation((0, 33, 58), 80)
    assert video.truth_on_shots == Segmentation((0, 3, 6), 8)


def test_a_transition_belongs_to_the_shot_it_leads_into(tmp_path):
    write_video(
        tmp_path / "v",
        "v",
        shots=[[0, 10], [40, 45], [45, 80]],
        stories=[[0, 40], [40, 80]],
    )
    (video,) = load_collection(tmp_path)
    assert video.edges == (0, 10, 45, 80)
    assert video.truth_on_shots == Segmentation((0, 1), 3)


def test_shots_that_overlap_by_a_frame_are_taken(tmp_path):
    write_video(tmp_path / "v", "v", shots=[[0, 41], [40, 80]], stories=[[0, 41], [40, 80]])
    (video,) = load_collection(tmp_path)
    assert video.edges == (0, 40, 80)
    assert video.truth_on_shots == Segmentation((0, 1), 2)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"stories": [[0, 30], [60, 80], [30, 60]]}, "stories must start at rising frames"),
        ({"stories": [[0, 30], [30, 60], [30, 80]]}, "stories must start at rising frames"),
        ({"stories": [[0, 30], [80, 90]]}, "below 80"),
        ({"stories": []}, "at least one of stories"),
        ({"shots": [[10, 20], [0, 10]]}, "shots must start at rising frames"),
        ({"shots": [[0, 10, 20]] * 8}, "not a valid video description"),
        (
            {"shots": [[0, 10], [10, 10], [20, 80]]},
            r"shots must end after they start, got \[10, 10\]",
        ),
        ({"frame_count": float("inf")}, "not a valid video description"),
        ({"fps": "abc"}, "not a valid video description"),
        ({"fps": 0}, "the frame rate must be above 0, got 0"),
        ({"fps": float("nan")}, "the frame rate must be above 0, got nan"),
    ],
)
def test_a_broken_video_is_refused_with_its_file(tmp_path, changes, words):
    write_video(tmp_path / "v", "v", **changes)
    with pytest.raises(AnnotationError, match=words) as refusal:
        load_collection(tmp_path)
    assert str(refusal.value).count("video.json") == 1


def test_a_feature_with_too_few_rows_is_refused(folder):
    np.save(folder / "00" / "look.npy", np.zeros((7, 3)))
    with pytest.raises(AnnotationError, match=r"look\.npy: expected one row per shot, 8, got 7"):
        load_collection(folder)


def test_a_broken_array_is_refused_and_a_missing_one_is_a_missing_feature(folder):
    (folder / "00" / "look.npy").write_text("no array")
    with pytest.raises(AnnotationError, match=r"look\.npy is not an array"):
        load_collection(folder)
    (folder / "00" / "look.npy").unlink()
    assert load_collection(folder, features=["look"]).left_out == {"ann": "has no look feature"}
    assert not load_collection(folder)[0].features


def test_a_video_laid_out_otherwise_is_refused(tmp_path):
    write_video(tmp_path / "v", "v", stories=[0, 30, 60])
    with pytest.raises(AnnotationError, match=r"video\.json is not a valid video description"):
        load_collection(tmp_path)


@pytest.mark.parametrize("content", ["3", "[]", "null", '"film"'])
def test_a_description_without_names_and_values_is_refused(tmp_path, content):
    write_video(tmp_path / "v", "v")
    (tmp_path / "v" / "video.json").write_text(content)
    with pytest.raises(AnnotationError, match=r"video\.json is not a valid video description"):
        load_collection(tmp_path)


@pytest.mark.parametrize("rows", [np.full((8, 3), np.nan), np.full((8, 3), "word")])
def test_a_feature_that_holds_no_numbers_is_refused_with_its_file(folder, rows):
    np.save(folder / "00" / "look.npy", rows)
    with pytest.raises(AnnotationError, match=r"look\.npy cannot be used"):
        load_collection(folder)


def test_an_empty_folder_says_what_a_benchmark_is(tmp_path):
    with pytest.raises(AnnotationError, match=r"expected a folder with a video\.json"):
        load_collection(tmp_path)


def test_a_method_is_trained_on_the_other_videos_only(folder):
    spy = Spy()
    leave_one_out(load_collection(folder), spy)
    trainings, videos = spy.seen[::2], spy.seen[1::2]
    assert [video.name for video in videos] == ["ann", "bob", "carol"]
    for training, video in zip(trainings, videos, strict=True):
        assert {v.name for v in training} == {"ann", "bob", "carol"} - {video.name}


def test_nothing_a_method_holds_leads_to_the_held_out_truth(folder):
    for number in range(3):
        stories = [[0, 11 + number], [11 + number, 80]]
        others = {"anna": [[0, 50 + number], [50 + number, 80]]}
        file = folder / f"{number:02}" / "video.json"
        changes = {"stories": stories, "annotations": others}
        file.write_text(json.dumps(json.loads(file.read_text()) | changes))
    collection = load_collection(folder)
    for held_out in range(3):
        spy = Spy()
        leave_one_out(collection, spy, only=[held_out])
        reachable = list(everything_reachable(spy.seen))
        truths = {thing.cuts for thing in reachable if isinstance(thing, Segmentation)}
        assert truths == {(11 + number,) for number in range(3) if number != held_out}
        assert not any(isinstance(thing, Path) for thing in reachable)
        assert type(spy.seen[1]) is UnannotatedVideo
        assert not hasattr(spy.seen[1], "truth")


def test_what_is_found_does_not_change_with_the_held_out_truth(folder):
    class CountsStories:
        name = "counts stories"

        def fit(self, training, *, seed):
            self.count = len(training[0].truth)
            return self

        def find(self, video):
            return Segmentation(tuple(range(self.count)), len(video.shots))

    def found():
        return leave_one_out(load_collection(folder), CountsStories(), only=[0])[0].found

    before = found()
    file = folder / "00" / "video.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"stories": [[0, 80]]}))
    assert found() == before


def test_features_cannot_be_changed_by_a_method(folder):
    vectors = load_collection(folder)[0].features["look"].vectors
    with pytest.raises(ValueError, match="read-only"):
        vectors[0] = 0


def test_scores_are_taken_over_frames(folder):
    class Halves:
        def find(self, video):
            return Segmentation((0, 3, 6), len(video.shots))

    for score in judge(load_collection(folder), Halves()):
        assert score.mean_iou == 1.0
        assert score.found.end == 80


def test_an_answer_over_too_few_shots_is_refused(folder):
    class Short:
        def find(self, video):
            return Segmentation((0,), 3)

    with pytest.raises(AnnotationError, match="halves splits 3 positions of ann, which has 8"):
        judge(load_collection(folder), Short(), name="halves")


def test_one_video_cannot_be_left_out(tmp_path):
    write_video(tmp_path / "v", "v")
    with pytest.raises(AnnotationError, match="needs two or more"):
        leave_one_out(load_collection(tmp_path), Spy())
