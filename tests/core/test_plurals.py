"""Plural nouns are reduced to the singular."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storyscope.core.plurals import IRREGULAR, KEEP_FINAL_E, UNCHANGED, singular


@pytest.mark.parametrize(
    ("plural", "one"),
    [
        ("bears", "bear"), ("whales", "whale"), ("pandas", "panda"), ("Bears", "bear"),
        ("cities", "city"), ("butterflies", "butterfly"), ("movies", "movie"), ("pies", "pie"),
        ("glasses", "glass"), ("dresses", "dress"), ("buses", "bus"), ("viruses", "virus"),
        ("houses", "house"), ("causes", "cause"), ("horses", "horse"), ("lenses", "lens"),
        ("beaches", "beach"), ("wishes", "wish"), ("boxes", "box"), ("foxes", "fox"),
        ("prizes", "prize"), ("waltzes", "waltz"), ("volcanoes", "volcano"), ("shoes", "shoe"),
        ("wolves", "wolf"), ("mice", "mouse"), ("children", "child"),
    ],
)  # fmt: skip
def test_a_plural_has_its_singular(plural, one):
    assert singular(plural) == one


@pytest.mark.parametrize(
    "word",
    ["glass", "bus", "grass", "series", "species", "news", "ice", "owl", "gas", "axis", "is"],
)
def test_a_word_that_is_no_plural_stays(word):
    assert singular(word) == word


def test_other_languages_are_left_alone():
    assert singular("Haus", "de") == "haus"
    assert singular("maisons", "fr") == "maisons"


def test_no_exception_is_in_two_lists():
    assert not KEEP_FINAL_E & IRREGULAR.keys()
    assert not UNCHANGED & (KEEP_FINAL_E | IRREGULAR.keys())


@given(st.from_regex(r"[a-z]{3,10}", fullmatch=True).filter(lambda word: word[-1] not in "s"))
def test_an_added_s_is_removed_if_no_rule_applies(word):
    plural = f"{word}s"
    if not plural.endswith(("ss", "us", "is", "es")) and plural not in UNCHANGED:
        assert singular(plural) == word
