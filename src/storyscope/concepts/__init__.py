"""Concepts from words and pictures.

`title_stories(stories, transcript=..., seen=...)` titles the stories of a video. `mine(transcript)`
collects its terms (extra `concepts`); `detect_in_shots(keyframes, vision, count)` returns what the
pictures show; `semantic_features(shots, mined, load_vectors(), seen=...)` computes the paper's two
features from them, by `group_terms`, `match_classes`, `text_concepts` and `visual_concepts`;
`term_presence` is the paper's P(s, u). `train_concepts` trains new detectors on pictures.
"""

from storyscope.concepts.detectors import (
    TRAINED_FILE,
    Detections,
    TrainedConcepts,
    detect,
    detect_in_shots,
    load_trained,
    mean_map,
    save_trained,
)
from storyscope.concepts.features import (
    match_classes,
    semantic_features,
    term_presence,
    text_concepts,
    visual_concepts,
)
from storyscope.concepts.grammar import mine, why_not
from storyscope.concepts.groups import ConceptGroups, group_terms
from storyscope.concepts.titles import StoryTitle, title_stories
from storyscope.concepts.training import train_concepts
from storyscope.concepts.vectors import WordVectors, load_vectors, read_vectors
from storyscope.concepts.visual import SecondOpinion, chance_right, visual_candidates

__all__ = [
    "TRAINED_FILE",
    "ConceptGroups",
    "Detections",
    "SecondOpinion",
    "StoryTitle",
    "TrainedConcepts",
    "WordVectors",
    "chance_right",
    "detect",
    "detect_in_shots",
    "group_terms",
    "load_trained",
    "load_vectors",
    "match_classes",
    "mean_map",
    "mine",
    "read_vectors",
    "save_trained",
    "semantic_features",
    "term_presence",
    "text_concepts",
    "title_stories",
    "train_concepts",
    "visual_candidates",
    "visual_concepts",
    "why_not",
]
