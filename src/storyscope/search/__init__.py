"""Search: a query in, ranked stories with a thumbnail and the evidence for each out.

A search runs in one direction, with one module per step:

    query       text -> terms, phrases and query vectors
    candidates  terms -> the passages that contain them
    scores      every story's score in each modality, fused into one probability
    hits        the best stories -> evidence line and thumbnail

`Searcher` joins them over a library. `make_passages` prepares a video for them when it is indexed.
"""

from storyscope.search.filter import Filter, Within
from storyscope.search.image_text import (
    OFF,
    chosen_image_text,
    image_text_digest,
    load_image_text,
)
from storyscope.search.looks import image_vectors, look_at_keyframes
from storyscope.search.opinions import second_opinion
from storyscope.search.passages import make_passages
from storyscope.search.searcher import Searcher
from storyscope.search.text_model import load_text_model, text_model_digest

__all__ = [
    "OFF",
    "Filter",
    "Searcher",
    "Within",
    "chosen_image_text",
    "image_text_digest",
    "image_vectors",
    "load_image_text",
    "load_text_model",
    "look_at_keyframes",
    "make_passages",
    "second_opinion",
    "text_model_digest",
]
