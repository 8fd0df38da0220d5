import numpy as np
import pytest
from PIL import Image

from storyscope.errors import MissingDependency
from storyscope.features import load_face_networks
from storyscope.features.faces import (
    ALIGNED_SIZE,
    INPUT_SIZE,
    LANDMARKS,
    STRIDES,
    FaceNetworks,
    aligned,
    decode,
    overlap,
    similarity,
)


def nothing_seen():
    """Outputs of a detector that sees no face."""
    cells = {stride: (INPUT_SIZE // stride) ** 2 for stride in STRIDES}
    sizes = {"cls": 1, "obj": 1, "bbox": 4, "kps": 10}
    return {
        f"{part}_{stride}": np.zeros((1, cells[stride], size), np.float32)
        for part, size in sizes.items()
        for stride in STRIDES
    }


def with_face(outputs, *, stride, row, column, size, score=1.0):
    cell = row * (INPUT_SIZE // stride) + column
    outputs[f"cls_{stride}"][0, cell] = outputs[f"obj_{stride}"][0, cell] = score
    outputs[f"bbox_{stride}"][0, cell] = (0.5, 0.5, np.log(size / stride), np.log(size / stride))
    outputs[f"kps_{stride}"][0, cell] = 0.25
    return outputs


class Detector:
    """A detector with given outputs, which remembers what it was shown."""

    def __init__(self, outputs):
        self.outputs = outputs

    def run(self, names, given):
        self.shown = given["input"]
        return [self.outputs[name] for name in names]


def test_a_cell_of_the_grid_becomes_a_box_and_landmarks():
    (face,) = decode(with_face(nothing_seen(), stride=16, row=3, column=10, size=64))
    assert face.box == pytest.approx([168 - 32, 56 - 32, 64, 64])
    assert face.landmarks == pytest.approx(np.tile([164, 52], (5, 1)))
    assert face.score == 1.0


def test_of_overlapping_boxes_the_most_certain_is_kept():
    outputs = with_face(nothing_seen(), stride=16, row=3, column=10, size=64, score=0.9)
    with_face(outputs, stride=16, row=3, column=11, size=64)
    with_face(outputs, stride=32, row=15, column=15, size=90)
    with_face(outputs, stride=8, row=60, column=60, size=40, score=0.5)
    assert [face.box[2] for face in decode(outputs)] == pytest.approx([64, 90])


def test_overlap_is_intersection_over_union():
    box = np.array([0.0, 0.0, 2.0, 2.0])
    assert overlap(box, np.array([1.0, 0.0, 2.0, 2.0])) == pytest.approx(1 / 3)
    assert overlap(box, np.array([5.0, 5.0, 2.0, 2.0])) == 0


def test_boxes_are_in_pixels_of_the_picture_and_small_faces_are_left_out():
    outputs = with_face(nothing_seen(), stride=32, row=5, column=5, size=160)
    with_face(outputs, stride=8, row=10, column=10, size=24)
    detector = Detector(outputs)
    picture = np.zeros((180, 320, 3), np.uint8)
    picture[..., 0] = 200
    (face,) = FaceNetworks(detector, None).find(picture)
    assert face.box[2:] == pytest.approx([80, 80])
    assert detector.shown.shape == (1, 3, INPUT_SIZE, INPUT_SIZE)
    assert detector.shown[0, :, 10, 10] == pytest.approx([0, 0, 200])
    assert not detector.shown[0, :, 400:].any()


def test_the_alignment_undoes_size_place_and_tilt():
    angle = np.deg2rad(20)
    turn = 1.7 * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    rotation, shift = similarity(LANDMARKS, LANDMARKS @ turn.T + [30, 12])
    assert rotation == pytest.approx(turn)
    assert shift == pytest.approx([30, 12])


def test_an_aligned_face_has_its_landmarks_where_they_are_expected():
    points = 2 * LANDMARKS + [40, 20]
    picture = np.zeros((300, 320, 3), np.uint8)
    for x, y in points.round().astype(int):
        picture[y - 3 : y + 4, x - 3 : x + 4] = 255
    found = aligned(picture, points)
    assert found.shape == (ALIGNED_SIZE, ALIGNED_SIZE, 3)
    assert all(found[y, x].min() > 200 for x, y in LANDMARKS.round().astype(int))


def test_without_the_weights_the_error_says_how_to_get_them(monkeypatch):
    monkeypatch.setattr("storyscope.models.downloads.downloaded_file", lambda name: None)
    load_face_networks.cache_clear()
    with pytest.raises(MissingDependency, match="storyscope models get faces"):
        load_face_networks()


def test_the_real_networks_find_an_astronaut_and_recognise_her_mirrored(fetched_faces):
    data = pytest.importorskip("skimage.data")
    load_face_networks.cache_clear()
    networks = load_face_networks()
    picture = np.asarray(Image.fromarray(data.astronaut()).resize((256, 256)))
    mirrored = np.ascontiguousarray(picture[:, ::-1])
    (face,), (other,) = networks.find(picture), networks.find(mirrored)
    assert overlap(face.box, np.array([84.0, 30.0, 58.0, 70.0])) > 0.5
    vector = networks.encode(picture, face)
    assert np.linalg.norm(vector) == pytest.approx(1)
    assert vector @ networks.encode(mirrored, other) > 0.8
    assert networks.find(np.asarray(Image.fromarray(data.coffee()).resize((384, 256)))) == []
