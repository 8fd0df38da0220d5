"""A text in, ranked (video, story, thumbnail) out.

`make_passages` files a video when it is indexed; `search` answers a query from what was filed.
"""

from storyscope.search.answer import Answer, Filed, Match, answer
from storyscope.search.classes import class_vectors
from storyscope.search.passages import make_passages
from storyscope.search.text_model import TextModel, load_text_model, text_model_digest
from storyscope.search.words import expression, query_terms

__all__ = [
    "Answer",
    "Filed",
    "Match",
    "TextModel",
    "answer",
    "class_vectors",
    "expression",
    "load_text_model",
    "make_passages",
    "query_terms",
    "text_model_digest",
]
