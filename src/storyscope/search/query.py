"""A person's words as a query: their terms, the passages that hold them, and what they mean."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from storyscope.config import Config
from storyscope.errors import MediaError
from storyscope.search import (
    CONSE,
    Lexicon,
    Senses,
    expression,
    likeliest,
    load_image_text,
    load_text_model,
    named_classes,
    nearest_word,
    query_terms,
    quoted_phrases,
)
from storyscope.store import MOST_SAID, Store


@dataclass(frozen=True, eq=False)
class Query:
    """A text as search takes it."""

    terms: Sequence[str]
    senses: Senses
    found: Sequence[np.ndarray]
    """For each term, the addresses of the passages that hold it."""
    phrases: Sequence[str]
    """What must be there word by word."""


def ask(text: str, store: Store, config: Config, class_count: int) -> Query:
    """Read a query; words that nobody knows are taken for slips of the keyboard."""
    model = load_text_model(config.search.text_model)
    terms = query_terms(text)
    phrases, found = quoted_phrases(text), []
    for place, term in enumerate(terms):
        addresses = _said(term, store)
        if not len(addresses) and " " not in term and not model.knows(term):
            addresses, terms[place] = _meant_to_type(term, store)
            text = re.sub(rf"\b{re.escape(term)}\b", terms[place], text, flags=re.IGNORECASE)
        found.append(addresses)
    meaning = model.encode([text])[0] if terms else None
    return Query(terms, _senses(text, terms, meaning, config, class_count), found, phrases)


def _senses(
    text: str,
    terms: Sequence[str],
    meaning: np.ndarray | None,
    config: Config,
    class_count: int,
) -> Senses:
    if meaning is not None and config.search.image_text != CONSE:
        (caption,) = load_image_text(config.search.image_text).encode_texts([text])
        return Senses(meaning, caption=caption)
    return Senses(meaning, meaning, named_classes(terms, lexicon(), class_count))


def look_at(image: Path, config: Config) -> tuple[np.ndarray, np.ndarray]:
    """The likeliest classes of an image file, [1, 10], and how likely they are."""
    from PIL import Image, UnidentifiedImageError

    from storyscope.features import describe_pictures, load_backbone

    try:
        with Image.open(image) as opened:
            rgb = np.asarray(opened.convert("RGB"))
    except (OSError, UnidentifiedImageError) as error:
        raise MediaError(f"{image} is no image that can be read; give a JPEG or PNG") from error
    seen = describe_pictures([rgb], load_backbone(config.features.backbone))
    return likeliest(seen.posteriors)


@lru_cache(1)
def lexicon() -> Lexicon:
    """The names of everything that the image network, or a wider concept over it, can see."""
    from storyscope.concepts import detect
    from storyscope.models import class_names, class_synonyms

    names, synonyms = class_names(), class_synonyms()
    nothing = np.zeros((0, len(names)), np.float32)
    known = detect(nothing, class_names=names, class_synonyms=synonyms)
    words = {first.lower(): frozenset([number]) for number, (first, *_) in enumerate(synonyms)}
    return words | {
        name.lower(): covers for name, covers in zip(known.names, known.covers, strict=True)
    }


@lru_cache(1)
def synonyms() -> dict[str, str]:
    """Rarer names of what the image network can see -> the plain name."""
    from storyscope.models import class_synonyms

    return {other.lower(): names[0].lower() for names in class_synonyms() for other in names[1:]}


def _said(term: str, store: Store) -> np.ndarray:
    """Passages with a term, which may be unfinished: one that is said a lot is taken as it is."""
    found = store.find_said(expression([term]))
    if len(found) >= MOST_SAID:
        return found
    return store.find_said(expression([term], unfinished=True))


def _meant_to_type(word: str, store: Store) -> tuple[np.ndarray, str]:
    """For a rare word: passages with its plain name, or with what a slip turned into it.

    The second is the word to go on with.
    """
    if word in synonyms():
        name = synonyms()[word]
        return store.find_said(expression(query_terms(name), unfinished=True)), name
    stem = nearest_word(word, store.said_terms(word[0]))
    if stem is not None:
        found = store.find_said(f'"{stem}"*')
        text = store.said_text(int(found[0])) if len(found) else ""
        said = re.search(rf"\b{re.escape(stem)}\w*", text, re.IGNORECASE)
        return found, said.group().lower() if said else stem
    return np.zeros(0, np.int64), nearest_word(word, lexicon()) or word
