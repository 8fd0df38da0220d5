"""Query images are decoded only if that is safe; anything else is a clear error."""

import os

import numpy as np
import pytest
from PIL import Image

from storyscope.errors import MediaError
from storyscope.search import images
from storyscope.search.images import read_image

PIXELS = np.zeros((4, 6, 3), np.uint8)
PIXELS[:, :3] = (250, 0, 0)


@pytest.mark.parametrize("suffix", ["png", "webp", "jpg"])
def test_the_three_formats_are_read(tmp_path, suffix):
    path = tmp_path / f"image.{suffix}"
    Image.fromarray(PIXELS).save(path, quality=100)
    rgb = read_image(path)
    assert rgb.shape == (4, 6, 3)
    assert rgb[0, 0, 0] > 200
    assert rgb[0, 5, 0] < 50


def test_transparency_and_palettes_become_plain_colours(tmp_path):
    path = tmp_path / "image.png"
    Image.fromarray(PIXELS).convert("P").save(path)
    assert read_image(path).shape == (4, 6, 3)


def test_a_photograph_is_turned_upright(tmp_path):
    path = tmp_path / "image.jpg"
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.fromarray(PIXELS).save(path, exif=exif)
    assert read_image(path).shape == (6, 4, 3)


@pytest.mark.parametrize("kind", ["GIF", "BMP", "TIFF", "PPM", "EPS"])
def test_other_formats_are_refused_whatever_their_name(tmp_path, kind):
    path = tmp_path / "image.png"
    Image.fromarray(PIXELS).save(path, format=kind)
    with pytest.raises(MediaError, match="cannot be read as an image; give a JPEG, PNG or WebP"):
        read_image(path)


@pytest.mark.parametrize("kept", [0.0, 0.01, 0.5])
@pytest.mark.parametrize("suffix", ["png", "webp", "jpg"])
def test_a_damaged_file_is_refused(tmp_path, suffix, kept):
    path = tmp_path / f"image.{suffix}"
    noise = np.random.default_rng(0).integers(0, 256, (64, 64, 3), np.uint8)
    Image.fromarray(noise).save(path)
    path.write_bytes(path.read_bytes()[: int(kept * path.stat().st_size)])
    with pytest.raises(MediaError, match="cannot be read as an image"):
        read_image(path)


def test_too_many_pixels_are_refused_before_they_are_decoded(tmp_path, monkeypatch):
    path = tmp_path / "image.png"
    Image.fromarray(PIXELS).save(path)
    monkeypatch.setattr(images, "MAX_PIXELS", 23)
    with pytest.raises(MediaError, match="6 x 4 pixels are more than 23"):
        read_image(path)


def test_a_decompression_bomb_is_refused(tmp_path):
    path = tmp_path / "bomb.png"
    Image.new("1", (20_000, 10_000)).save(path, compress_level=1)
    with pytest.raises(MediaError, match="cannot be read as an image"):
        read_image(path)


def test_what_is_no_regular_file_is_refused_without_waiting(tmp_path):
    os.mkfifo(tmp_path / "pipe.png")
    for path in (tmp_path / "pipe.png", tmp_path, "/dev/zero"):
        with pytest.raises(MediaError, match=r"not a regular file|is a folder"):
            read_image(type(tmp_path)(path))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(MediaError, match=r"gone\.png cannot be read as an image: there is no such"):
        read_image(tmp_path / "gone.png")
