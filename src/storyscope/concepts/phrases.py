"""Phrases that could name a story, found without a tagger."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from storyscope.concepts.english import BEFORE_NOUN, BEFORE_VERB, FAINT, VAGUE, common_verbs
from storyscope.core import Phrase, Span, Transcript, Word
from storyscope.core.language import stop_words
from storyscope.core.plurals import singular


def plain_phrases(transcript: Transcript, *, is_prose: bool = True) -> list[Phrase]:
    """Runs of up to three words between short words and punctuation.

    Without a tagger, a noun is recognised by its context: it follows "the", "of" or "his" more
    often than "to" or "they". This works for any language that has spaces, and better for English.
    In prose, a capital at the start of a sentence is ignored; elsewhere every capital counts.
    """
    sentences = list(split_sentences(transcript.words))
    casing = Casing(sentences, skip_first=is_prose)
    stops = stop_words(transcript.language)
    is_english = transcript.language == "en"
    nouns = _noun_likelihood(sentences) if is_english else {}
    verbs = common_verbs() if is_english else frozenset()
    return [
        phrase
        for sentence in sentences
        for run in _runs(sentence, stops, verbs)
        if (phrase := _phrase(run, casing, nouns, transcript.language)) is not None
    ]


def split_sentences(words: Sequence[Word]) -> Iterator[list[Word]]:
    """Words up to a full stop, a pause, or forty words without punctuation."""
    sentence: list[Word] = []
    for word in words:
        paused = sentence and word.span.start - sentence[-1].span.end > LONGEST_PAUSE
        if paused or len(sentence) >= LONGEST_SENTENCE:
            yield sentence
            sentence = []
        sentence.append(word)
        if SENTENCE_END.search(word.text) and not ABBREVIATION.fullmatch(word.text):
            yield sentence
            sentence = []
    if sentence:
        yield sentence


def bare(text: str) -> str:
    """A word without the punctuation around it and without a possessive."""
    text = re.sub(r"^\W+|\W+$", "", text)
    return re.sub(r"['’]s$", "", text)


class Casing:
    """The spelling of each word inside sentences, where only names are capitalised."""

    def __init__(self, sentences: Sequence[Sequence[Word]], *, skip_first: bool = True) -> None:
        first = int(skip_first)
        inner = Counter(bare(word.text) for sentence in sentences for word in sentence[first:])
        letters = "".join(inner)
        # Captions in capitals say nothing about names.
        self.shouted = sum(map(str.isupper, letters)) > 0.7 * sum(map(str.isalpha, letters))
        self.forms: dict[str, str] = {}
        for form, _ in sorted(inner.items(), key=lambda item: (item[1], item[0])):
            self.forms[form.lower()] = form

    def write(self, text: str) -> str:
        if self.shouted:
            return text.lower()
        return self.forms.get(text.lower(), text.lower())


LONGEST_PAUSE = 2.0
LONGEST_SENTENCE = 40
LONGEST_PHRASE = 3
SENTENCE_END = re.compile(r"[.!?…。！？][\"'’”»)\]]*$")
ABBREVIATION = re.compile(r"(?:Mr|Mrs|Ms|Dr|St|Prof|vs|[A-Z])\.")
BREAK = re.compile(r"[,;:.!?…—–\"”»)\]]$")
NOT_A_HEAD = re.compile(r".+(?:ly|ing|ed|ive|ous|ful|able|ible|less)$")
NOT_A_START = re.compile(r".+ly$")


def _runs(
    sentence: Sequence[Word], stops: frozenset[str], verbs: frozenset[str]
) -> Iterator[list[Word]]:
    """Words between short words, verbs and punctuation; "the hunt" is not a verb."""
    run: list[Word] = []
    before = ""
    for word in sentence:
        text = bare(word.text)
        plain = text.lower().replace("’", "'")
        is_verb = plain in verbs and before not in BEFORE_NOUN
        wanted = len(text) > 1 and plain not in stops and not text.isdigit() and not is_verb
        ends = BREAK.search(word.text) and not ABBREVIATION.fullmatch(word.text)
        if wanted:
            run.append(word)
        if run and (not wanted or ends):
            yield run
            run = []
        before = plain
    if run:
        yield run


def _phrase(
    run: Sequence[Word], casing: Casing, nouns: dict[str, float], language: str
) -> Phrase | None:
    words = list(run)
    if language == "en":
        while words and not _is_head(bare(words[-1].text), casing, nouns):
            words.pop()
        while words and _adds_nothing(bare(words[0].text).lower()):
            words.pop(0)
    words = words[-LONGEST_PHRASE:]
    if not words:
        return None
    texts = [casing.write(bare(word.text)) for word in words]
    return Phrase(
        text=" ".join(texts),
        key=tuple(singular(text, language) for text in texts),
        span=Span(words[0].span.start, words[-1].span.end),
        is_name=texts[-1][:1].isupper(),
    )


def _adds_nothing(word: str) -> bool:
    return word in FAINT or NOT_A_START.fullmatch(word) is not None


def _is_head(text: str, casing: Casing, nouns: dict[str, float]) -> bool:
    if casing.write(text)[:1].isupper():
        return True
    if text.lower() in VAGUE:
        return False
    likely = nouns.get(text.lower(), 0.5)
    return likely >= (0.6 if NOT_A_HEAD.fullmatch(text.lower()) else 0.4)


def _noun_likelihood(sentences: Sequence[Sequence[Word]]) -> dict[str, float]:
    """Share of a word's mentions in the context of a noun; one half if unknown."""
    as_noun: Counter[str] = Counter()
    as_verb: Counter[str] = Counter()
    for sentence in sentences:
        texts = [bare(word.text).lower() for word in sentence]
        for index, (before, text) in enumerate(zip(["", *texts], texts, strict=False)):
            last_of_run = index + 1 == len(texts) or texts[index + 1] in stop_words("en")
            as_noun[text] += before in BEFORE_NOUN and last_of_run
            as_verb[text] += before in BEFORE_VERB
    return {
        word: (as_noun[word] + 0.5) / (as_noun[word] + as_verb[word] + 1)
        for word in {*as_noun, *as_verb}
    }
