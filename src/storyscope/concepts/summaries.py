"""One sentence for a story: the sentence of its transcript that is nearest to all others."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import log

import numpy as np

from storyscope.concepts.phrases import SENTENCE_END, bare, split_sentences
from storyscope.concepts.spoken import Embed
from storyscope.core import Span, Story, Transcript, Word
from storyscope.core.language import stop_words

SENTENCE_WORDS = range(6, 36)
"""Words in a sentence: a shorter one says little, a longer one is not a summary."""
FEWEST_SENTENCES = 2
"""Minimum number of sentences: a single one may be half of a statement."""
SHORTLIST = 12
"""Maximum number of sentences of a story whose vectors are compared."""
ABOUT_THE_FILE = re.compile(
    r"\b(?:subtitles?|captions?|captioned|transcri(?:pt|bed|ption)|translat(?:ed|ion)"
    r"|sync(?:ed|hroni[sz]ed)?|corrected)\b.*\b(?:by|from)\b"
    r"|https?://|\bwww\.|\.(?:org|com|net)\b|©|\ball rights reserved\b"
    r"|^\W*thanks? (?:you )?(?:so much )?for watching\W*$",
    re.IGNORECASE,
)
"""Credits of subtitles, and what speech models make of silence."""


def about_the_file(transcript: Transcript) -> list[Span]:
    """Time spans of the credits of subtitles: who made them, and where they are from."""
    return [
        Span(sentence[0].span.start, sentence[-1].span.end)
        for sentence in split_sentences(transcript.words)
        if ABOUT_THE_FILE.search(_text(sentence))
    ]


def without(transcript: Transcript, spans: Sequence[Span]) -> Transcript:
    """The transcript without the words in these spans."""
    if not spans:
        return transcript
    kept = [word for word in transcript.words if not any(word.span.middle in s for s in spans)]
    return replace(transcript, words=tuple(kept))


def summarise(stories: Sequence[Story], transcript: Transcript, embed: Embed | None) -> list[str]:
    """The most central sentence of each story; empty where it has no two whole sentences.

    Candidates are whole sentences with many of the words that the story repeats; of these the one
    whose vector is nearest to the mean of all is taken. Without `embed` the words alone decide.
    """
    stops = stop_words(transcript.language)
    sentences = [s for s in split_sentences(transcript.words) if _is_whole(s)]
    return [
        _most_central([s for s in sentences if _middle(s) in story.span], stops, embed)
        for story in stories
    ]


def _most_central(
    sentences: Sequence[Sequence[Word]], stops: frozenset[str], embed: Embed | None
) -> str:
    if len(sentences) < FEWEST_SENTENCES:
        return ""
    contents = [{bare(w.text).lower() for w in s} - stops for s in sentences]
    said = Counter(word for words in contents for word in words)
    weights = [
        sum(log(said[word]) for word in words) / (len(words) + 1) ** 0.5 for words in contents
    ]
    order = sorted(range(len(sentences)), key=lambda n: -weights[n])[:SHORTLIST]
    texts = [_text(sentences[n]) for n in sorted(order)]
    if embed is None:
        return _text(sentences[order[0]])
    vectors = np.asarray(embed(texts), dtype=float)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return texts[int((vectors @ vectors.mean(axis=0)).argmax())]


def _is_whole(sentence: Sequence[Word]) -> bool:
    """Whether it begins and ends like a written sentence, and contains no other."""
    first, last = sentence[0].text.lstrip("\"'“‘«¿¡(["), sentence[-1].text
    begins = first[:1].isupper() or not first[:1].islower()
    return len(sentence) in SENTENCE_WORDS and begins and bool(SENTENCE_END.search(last))


def _middle(sentence: Sequence[Word]) -> float:
    return (sentence[0].span.start + sentence[-1].span.end) / 2


def _text(sentence: Sequence[Word]) -> str:
    return " ".join(word.text for word in sentence)
