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
)
from storyscope.search.classes import Lexicon, class_vectors, conse, named_classes
from storyscope.search.evidence import evidence, holds_phrases, matches_in, shown_relevance
from storyscope.search.filter import Filter
from storyscope.search.image_text import (
    CONSE,
    ImageText,
    image_text_digest,
    load_image_text,
    look,
)
from storyscope.search.index import Index, Place
from storyscope.search.passages import likeliest, make_passages
from storyscope.search.segment import Scores, Segment, Senses, open_segment, segment_files
from storyscope.search.shots import owner_of
from storyscope.search.spoken import NOBODY, Spoken
from storyscope.search.text_model import TextModel, load_text_model, text_model_digest
from storyscope.search.words import expression, nearest_word, query_terms, quoted_phrases

__all__ = [
    "CONSE",
    "NOBODY",
    "RELEVANT",
    "WEIGHTS",
    "Filter",
    "Heard",
    "ImageText",
    "Index",
    "Judged",
    "Lexicon",
    "Match",
    "Place",
    "Scores",
    "Segment",
    "Senses",
    "Spoken",
    "TextModel",
    "Weights",
    "class_vectors",
    "conse",
    "evidence",
    "expression",
    "holds_phrases",
    "image_text_digest",
    "judge",
    "likeliest",
    "load_image_text",
    "load_text_model",
    "look",
    "make_passages",
    "matches_in",
    "named_classes",
    "nearest_word",
    "open_segment",
    "owner_of",
    "picture_relevance",
    "query_terms",
    "quoted_phrases",
    "segment_files",
    "shown_relevance",
    "text_model_digest",
]
