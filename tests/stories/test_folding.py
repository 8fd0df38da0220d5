"""Blank stretches are no stories, and the closing credits are one."""

from hypothesis import given
from hypothesis import strategies as st

from storyscope.core import StoryPath
from storyscope.stories import fold


def path_of(order, natural):
    return StoryPath(tuple(order), natural, (1.0, *(0.5 for _ in order)))


def test_a_black_stretch_between_two_stories_joins_the_weaker_side():
    path = path_of([3, 2, 1, 4], natural=3)
    assert path.stories.starts == (0, 2, 3)
    folded = fold(path, [False, False, True, False, False], credits_start=5)
    assert folded.stories.starts == (0, 3)


def test_black_at_the_beginning_and_the_end_belongs_to_the_stories_there():
    path = path_of([1, 4, 2, 3], natural=3)
    folded = fold(path, [True, False, False, False, True], credits_start=5)
    assert folded.stories.starts == (0,)
    assert folded.about(2).starts == (0, 2)


def test_the_closing_credits_are_one_story():
    path = path_of([2, 3, 4, 1], natural=4)
    folded = fold(path, [False] * 5, credits_start=2)
    assert folded.stories.starts == (0, 2)


@st.composite
def cases(draw):
    shots = draw(st.integers(1, 12))
    order = draw(st.permutations(range(1, shots)))
    blank = draw(st.lists(st.booleans(), min_size=shots, max_size=shots))
    return path_of(order, draw(st.integers(1, shots))), blank, draw(st.integers(0, shots))


@given(cases())
def test_no_story_is_blank_at_the_natural_number_or_below(case):
    path, blank, credits_start = case
    folded = fold(path, blank, credits_start=credits_start)
    if all(blank) or credits_start == 0:
        assert folded == path
        return
    for count in range(1, folded.natural + 1):
        assert not any(all(blank[shot] for shot in part) for part in folded.about(count))
    assert set(folded.stories.starts) <= set(path.stories.starts)
