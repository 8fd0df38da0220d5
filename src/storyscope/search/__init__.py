"""A text in, ranked (video, story, thumbnail) out.

`make_passages` files a video when it is indexed; an `Index` of all of them scores every story for
a query, and `judge` says which answer.
"""

from storyscope.search.answer import (
    RELEVANT,
    WEIGHTS,
    Heard,
    Judged,
    Match,
    Weights,
    judge,
    picture_relevance,
    shares_of,
)
from storyscope.search.classes import Lexicon, class_vectors, conse, named_classes
from storyscope.search.index import Index, Place, Scores, Senses, owner_of
from storyscope.search.passages import likeliest, make_passages
from storyscope.search.text_model import TextModel, load_text_model, text_model_digest
from storyscope.search.words import expression, nearest_word, query_terms, quoted_phrases

__all__ = [
    "RELEVANT",
    "WEIGHTS",
    "Heard",
    "Index",
    "Judged",
    "Lexicon",
    "Match",
    "Place",
    "Scores",
    "Senses",
    "TextModel",
    "Weights",
    "class_vectors",
    "conse",
    "expression",
    "judge",
    "likeliest",
    "load_text_model",
    "make_passages",
    "named_classes",
    "nearest_word",
    "owner_of",
    "picture_relevance",
    "query_terms",
    "quoted_phrases",
    "shares_of",
    "text_model_digest",
]
