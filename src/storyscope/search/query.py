"""The text of a query -> its terms, its phrases and its vectors."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from storyscope.config import Config
from storyscope.core.language import stop_words
from storyscope.search.classes import class_lexicon, class_synonyms, named_classes
from storyscope.search.image_text import OFF, chosen_image_text, load_image_text
from storyscope.search.spelling import nearest_word
from storyscope.search.text_model import load_text_model
from storyscope.store import Store, TextQuery

_PARTS = re.compile(r'"([^"]+)"|(\w[\w\'’-]*)')
MIN_PREFIX = 3
"""Number of letters of the shortest term that is also searched as a prefix."""


@dataclass(frozen=True, eq=False)
class QueryVectors:
    """A query in the spaces of the models; None for a modality that is not available."""

    text: np.ndarray | None = None
    """float32 [dimensions], unit length: compared with windows of the transcript."""
    visual: np.ndarray | None = None
    """float32 [dimensions], unit length, in the same space: compared with shots by ConSE."""
    class_weights: np.ndarray | None = None
    """float32 [classes]: share of the query's terms that name each class of the image network."""
    image_text: np.ndarray | None = None
    """float32 [dimensions], unit length, in the space of an image-text model."""


@dataclass(frozen=True)
class Term:
    """A word or quoted phrase of a query, after spelling correction."""

    text: str
    lookup: TextQuery
    """The expression for the full-text index."""


@dataclass(frozen=True, eq=False)
class Query:
    """The parsed text of a query."""

    terms: Sequence[Term]
    phrases: Sequence[str]
    """Quoted phrases, which a hit must contain literally."""
    vectors: QueryVectors


def parse_query(text: str, store: Store, config: Config, class_count: int) -> Query:
    """Parse a query; a word that neither the text model nor the library knows is a typo."""
    model = load_text_model(config.search.text_model)
    terms, phrases = [], quoted_phrases(text)
    for word in query_terms(text):
        term = Term(word, _lookup([word]))
        if " " not in word and not model.knows(word) and not _is_there(term, store):
            term = _corrected(word, store)
            text = re.sub(rf"\b{re.escape(word)}\b", term.text, text, flags=re.IGNORECASE)
        terms.append(term)
    if not terms:
        return Query((), phrases, QueryVectors())
    vector = model.encode([text])[0]
    weights = named_classes([term.text for term in terms], class_lexicon(), class_count)
    network, image_text = chosen_image_text(config.search.image_text), None
    if network != OFF:
        (image_text,) = load_image_text(network).encode_texts([text])
    return Query(terms, phrases, QueryVectors(vector, vector, weights, image_text))


def query_terms(text: str, *, language: str = "en") -> list[str]:
    """The words and "quoted phrases" of a query, in order, without stop words."""
    stops = stop_words(language)
    found = []
    for phrase, word in _PARTS.findall(text):
        term = (phrase or word).lower()
        if phrase or term not in stops:
            found.append(term)
    return found


def quoted_phrases(text: str) -> list[str]:
    """The "quoted phrases" of a query, in lower case."""
    return [phrase.lower() for phrase, _ in _PARTS.findall(text) if phrase]


def _lookup(terms: Sequence[str]) -> TextQuery:
    """Any of the terms; the last may be incomplete, as in a search box with live results."""
    last = terms[-1]
    return TextQuery(tuple(terms), prefix=" " not in last and len(last) >= MIN_PREFIX)


def _is_there(term: Term, store: Store) -> bool:
    return len(store.text.find(term.lookup, limit=1)) > 0


def _corrected(word: str, store: Store) -> Term:
    """The common name of a rare synonym, otherwise the known word that is nearest to a typo."""
    if word in class_synonyms():
        name = class_synonyms()[word]
        return Term(name, _lookup(query_terms(name)))
    stem = nearest_word(word, store.text.vocabulary(word[0]))
    if stem is None:
        known = nearest_word(word, class_lexicon()) or word
        return Term(known, _lookup([known]))
    lookup = TextQuery((stem,), prefix=True)
    found = store.text.find(lookup, limit=1)
    text = store.text.at(int(found[0])) if len(found) else ""
    whole = re.search(rf"\b{re.escape(stem)}\w*", text, re.IGNORECASE)
    return Term(whole.group().lower() if whole else stem, lookup)
