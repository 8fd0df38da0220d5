import numpy as np

from storyscope.core import Span, Transcript, Word
from storyscope.transcripts import group_turns, turns_in


def spoken(*spans):
    return Transcript(tuple(Word("word", Span(start, end)) for start, end in spans))


def test_a_pause_ends_a_turn_and_so_do_eight_seconds():
    words = [(0.0, 0.5), (0.6, 1.0), (2.0, 2.5), *((2.5 + n, 3.5 + n) for n in range(9))]
    turns = turns_in(spoken(*words))
    assert turns == [Span(0.0, 1.0), Span(2.0, 9.5), Span(9.5, 11.5)]


def test_turns_that_sound_alike_are_one_speaker_who_speaks_longest_first():
    spans = [Span(0, 2), Span(2, 6), Span(6, 8), Span(8, 12), Span(12, 12.3)]
    voices = np.array([[0, 10, 1], [10, 0, 1], [3, 10, 1], [10, 3, 1], [0, 10, 1]], float)
    voices /= np.linalg.norm(voices, axis=1, keepdims=True)
    turns = group_turns(spans, voices)
    assert [turn.speaker for turn in turns] == [2, 1, 2, 1, 1]
    assert [turn.span for turn in turns] == spans


def test_one_turn_is_one_speaker_and_a_short_one_nobody():
    voice = np.array([[1.0, 0.0]])
    assert [turn.speaker for turn in group_turns([Span(0, 2)], voice)] == [1]
    assert group_turns([Span(0, 0.5)], voice) == []
