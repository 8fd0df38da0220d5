"""The published layouts of BBC Planet Earth and Ally McBeal."""

import pytest

from storyscope.core import VIDEO_SUFFIXES, Segmentation
from storyscope.errors import AnnotationError
from storyscope.experiments.published import read_ally, read_bbc


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.fixture
def bbc(tmp_path):
    notes = tmp_path / "bbc" / "annotations"
    for stem in ("01_From_Pole_to_Pole", "02_Mountains"):
        write(notes / "shots" / f"{stem}.txt", "0 9\n10 24\n30 39\n40 59\n")
        write(notes / "scenes" / "annotator_0" / f"{stem}.txt", "0,2")
        write(notes / "scenes" / "annotator_1" / f"{stem}.txt", "0, 1, 3\n")
    return tmp_path / "bbc"


def test_bbc_is_read_with_all_its_annotators(bbc):
    pole, mountains = read_bbc(bbc)
    assert (pole.name, mountains.name) == ("From Pole to Pole", "Mountains")
    assert pole.shots == ((0, 10), (10, 25), (30, 40), (40, 60))
    assert pole.annotations == {"annotator_0": (0, 2), "annotator_1": (0, 1, 3)}
    assert pole.stories("annotator_0") == Segmentation((0, 30), 60)
    assert pole.stories("annotator_1") == Segmentation((0, 10, 40), 60)


def test_videos_and_transcripts_are_found_in_any_subfolder(bbc):
    video = write(bbc / "videos" / "01_From_Pole_to_Pole.mp4", "")
    words = write(bbc / "transcripts" / "01_From_Pole_to_Pole.srt", "")
    pole, mountains = read_bbc(bbc)
    assert (pole.video, pole.transcript) == (video, words)
    assert (mountains.video, mountains.transcript) == (None, None)


def test_whatever_can_be_added_is_taken_for_the_film(bbc):
    assert {".mp4", ".mkv", ".m2ts", ".wmv"} <= VIDEO_SUFFIXES
    for suffix in VIDEO_SUFFIXES:
        video = write(bbc / "videos" / f"02_Mountains{suffix.upper()}", "")
        assert read_bbc(bbc)[1].video == video
        video.unlink()


def test_ends_may_be_the_frame_after_the_last(bbc):
    write(bbc / "annotations/shots/02_Mountains.txt", "0\t10\n10\t25\n25\t40\n40\t60\n")
    assert read_bbc(bbc)[1].shots == ((0, 10), (10, 25), (25, 40), (40, 60))


def test_shots_and_frames_may_be_counted_from_one(bbc):
    for stem in ("01_From_Pole_to_Pole", "02_Mountains"):
        write(bbc / f"annotations/shots/{stem}.txt", "1 10\n11 25\n26 40\n41 60\n")
        write(bbc / f"annotations/scenes/annotator_0/{stem}.txt", "1,3")
        write(bbc / f"annotations/scenes/annotator_1/{stem}.txt", "1,2,4")
    pole = read_bbc(bbc)[0]
    assert pole.shots[0] == (0, 10)
    assert pole.annotations["annotator_1"] == (0, 1, 3)
    assert pole.stories("annotator_0") == Segmentation((0, 25), 60)


def test_a_slightly_shorter_file_keeps_its_length_and_another_edition_is_refused(bbc):
    pole = read_bbc(bbc)[0]
    assert pole.stories("annotator_0", 59) == Segmentation((0, 30), 59)
    with pytest.raises(AnnotationError, match="has 50 frames, its annotation 60"):
        pole.stories("annotator_0", 50)


@pytest.mark.parametrize(
    ("file", "text", "says"),
    [
        (
            "shots/02_Mountains.txt",
            "0 9\nten 20\n",
            r"02_Mountains\.txt:2: expected first and last frame",
        ),
        ("shots/02_Mountains.txt", "0 9\n30 39\n10 24\n", r"02_Mountains\.txt:3: .* in order"),
        ("shots/02_Mountains.txt", "\n", r"02_Mountains\.txt:1: expected one shot per line"),
        ("scenes/annotator_0/02_Mountains.txt", "0,3,2", r"Mountains\.txt:1: .* must rise, got 2"),
        ("scenes/annotator_0/02_Mountains.txt", "0,3,3", r"Mountains\.txt:1: .* must rise, got 3"),
        (
            "scenes/annotator_0/02_Mountains.txt",
            "0,9",
            r"Mountains\.txt:1: '9' is not one of the 4 shots",
        ),
        ("scenes/annotator_0/02_Mountains.txt", "0,4", r"Mountains\.txt: shot 4 of 4, counted"),
        ("scenes/annotator_0/02_Mountains.txt", "", r"Mountains\.txt:1: expected the first shots"),
    ],
)
def test_a_mistake_is_named_with_file_and_line(bbc, file, text, says):
    write(bbc / "annotations" / file, text)
    with pytest.raises(AnnotationError, match=says):
        read_bbc(bbc)


def test_a_missing_annotation_is_named(bbc):
    (bbc / "annotations/scenes/annotator_1/02_Mountains.txt").unlink()
    with pytest.raises(AnnotationError, match=r"02_Mountains\.txt is missing"):
        read_bbc(bbc)


def test_ally_is_a_table_of_shots_and_stories(tmp_path):
    write(tmp_path / "annotations/ally_1.csv", "first,last,story\n0,9,a\n10,19,a\n20,29,b\n")
    write(tmp_path / "annotations/ally_2.csv", "0;9;1\n10;19;2\n20;29;1\n")
    video = write(tmp_path / "ally_1.avi", "")
    first, second = read_ally(tmp_path)
    assert (first.name, first.video) == ("Ep. 1", video)
    assert first.stories("annotator_0") == Segmentation((0, 20), 30)
    assert second.annotations == {"annotator_0": (0, 1, 2)}


def test_a_broken_table_is_refused(tmp_path):
    write(tmp_path / "ally_1.csv", "0,9,a\n10,x,a\n")
    with pytest.raises(
        AnnotationError, match=r"ally_1\.csv:2: expected first frame, last frame, story"
    ):
        read_ally(tmp_path)


def test_an_empty_folder_says_what_is_wanted(tmp_path):
    with pytest.raises(AnnotationError, match="annotations/shots"):
        read_bbc(tmp_path)
    with pytest.raises(AnnotationError, match="expected one line per shot"):
        read_ally(tmp_path)
