"""From words and pictures to concepts.

`title_stories(stories, transcript=..., seen=...)` names the stories of a video.
`mine(transcript)` collects its terms (extra `concepts`), `group_terms` parts them into concept
groups, `match_classes` finds the visual class of each, and `text_concepts` and `visual_concepts`
are the two features of the paper; `term_presence` is its P(s, u).
"""

from storyscope.concepts.features import (
    match_classes,
    term_presence,
    text_concepts,
    visual_concepts,
)
from storyscope.concepts.grammar import Mined, mine, why_not
from storyscope.concepts.groups import ConceptGroups, group_terms
from storyscope.concepts.phrases import Phrase
from storyscope.concepts.titles import Seen, StoryTitle, title_stories
from storyscope.concepts.vectors import WordVectors, load_vectors, read_vectors

__all__ = [
    "ConceptGroups",
    "Mined",
    "Phrase",
    "Seen",
    "StoryTitle",
    "WordVectors",
    "group_terms",
    "load_vectors",
    "match_classes",
    "mine",
    "read_vectors",
    "term_presence",
    "text_concepts",
    "title_stories",
    "visual_concepts",
    "why_not",
]
