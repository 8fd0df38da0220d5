"""The example image of a search."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

from storyscope.errors import MediaError
from storyscope.reading import open_regular

FORMATS = ("JPEG", "PNG", "WEBP")
"""The only Pillow decoders that untrusted files may reach."""
MAX_PIXELS = 100_000_000
"""Maximum number of pixels of an image: four times those of a 24-megapixel photograph."""


def read_image(path: Path) -> np.ndarray:
    """uint8 [height, width, 3]: the pixels of a JPEG, PNG or WebP file, upright."""
    from PIL import Image, ImageOps

    try:
        opened = open_regular(path)
    except FileNotFoundError as error:
        raise MediaError(f"{path} cannot be read as an image: there is no such file") from error
    except OSError as error:
        raise MediaError(f"{path} cannot be read as an image: {error.strerror}") from error
    try:
        with open(opened, "rb") as file, warnings.catch_warnings():
            # Pillow warns of large images; we have our own limit.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(file, formats=FORMATS) as image:
                if image.width * image.height > MAX_PIXELS:
                    raise MediaError(
                        f"{path} cannot be read as an image: {image.width} x {image.height} pixels "
                        f"are more than {MAX_PIXELS:,}; make it smaller"
                    )
                return np.asarray(ImageOps.exif_transpose(image).convert("RGB"))
    except MediaError:
        raise
    except Exception as error:  # Pillow raises errors of any kind for a damaged file.
        raise MediaError(
            f"{path} cannot be read as an image; give a JPEG, PNG or WebP file"
        ) from error
