"""What many tests share."""

import os

import pytest
from hypothesis import HealthCheck, settings

from movie import make_movie

os.environ.setdefault("OMP_NUM_THREADS", "1")

# A busy machine is slow, not wrong.
settings.register_profile(
    "patient", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
settings.load_profile("patient")


@pytest.fixture(scope="session")
def film(tmp_path_factory):
    """A small film of three stories with sound, and its transcript beside it."""
    return make_movie(tmp_path_factory.mktemp("films") / "film.mp4")


@pytest.fixture(scope="session")
def indexed(film, tmp_path_factory):
    """A library that holds the small film, indexed once; copy it before changing anything."""
    from storyscope import Library

    folder = tmp_path_factory.mktemp("indexed") / "library"
    Library(folder).add(film)
    return folder
