"""The paper's figures of frames and maps."""

import io

import numpy as np
from PIL import Image

from storyscope.core import Segmentation
from storyscope.evaluate import VideoScore
from storyscope.experiments.picture import GAP, ROW, TILE, draw_maps, draw_ranking, write_stories


def pixels(png):
    return np.asarray(Image.open(io.BytesIO(png)), int)


def tile(picture, down, across):
    return picture[down * TILE : (down + 1) * TILE, across * TILE : (across + 1) * TILE]


def test_the_second_row_holds_the_frames_from_the_best_down():
    greys = [10, 90, 200]
    frames = [np.full((90, 160, 3), grey, np.uint8) for grey in greys]
    picture = pixels(draw_ranking(frames, np.array([0.2, 0.9, 0.5])))
    assert picture.shape == (2 * TILE, 3 * TILE, 3)
    rows = [[int(tile(picture, down, n).mean()) for n in range(3)] for down in (0, 1)]
    assert rows == [greys, [90, 200, 10]]


def test_a_video_that_one_method_leaves_out_is_drawn_without_it(tmp_path):
    halves, whole = Segmentation((0, 5), 10), Segmentation((0,), 10)
    scores = {
        "paper": [VideoScore("Mountains", whole, halves)],
        "ours": [VideoScore("Caves", halves, halves), VideoScore("Mountains", halves, halves)],
    }
    write_stories(tmp_path, scores)
    heights = {file.stem: pixels(file.read_bytes()).shape[0] for file in tmp_path.iterdir()}
    assert heights["mountains"] - heights["caves"] == ROW + GAP


def test_every_map_is_drawn_from_its_least_to_its_greatest_value():
    frame = np.full((224, 224, 3), 50, np.uint8)
    coarse = np.zeros((2, 2), np.float32)
    coarse[0, 1] = 7
    picture = pixels(draw_maps(frame, [coarse, np.full((4, 4), 3.0, np.float32)]))
    assert picture.shape == (TILE, 3 * TILE, 3)
    assert int(tile(picture, 0, 0).mean()) == 50
    assert tile(picture, 0, 1)[0, -1].tolist() == [255, 255, 255]
    assert tile(picture, 0, 1)[-1, 0].tolist() == [0, 0, 0]
    assert not tile(picture, 0, 2).any()
