"""The core types that all packages share; they check their own invariants and do no I/O."""

from storyscope.core.annotation import Annotation
from storyscope.core.concepts import Mined, Phrase
from storyscope.core.features import Features, Keyframes, Ratings, Sound, VisionOutput
from storyscope.core.film import Film
from storyscope.core.frames import Picture, SmallFrame, SoundChunk
from storyscope.core.passages import SOUND_MARK, Looks, Passages
from storyscope.core.path import StoryPath
from storyscope.core.rows import Blobs, Rows, in_batches
from storyscope.core.segmentation import Segmentation
from storyscope.core.span import Span
from storyscope.core.story import Hit, Story, Thumbnail
from storyscope.core.story_count import StoryCount
from storyscope.core.times import format_time, parse_time
from storyscope.core.transcript import Transcript, Word
from storyscope.core.video import (
    VIDEO_SUFFIXES,
    Shot,
    Transition,
    TransitionKind,
    Video,
    shot_edges,
)
from storyscope.core.words import count_stories, counted

__all__ = [
    "SOUND_MARK",
    "VIDEO_SUFFIXES",
    "Annotation",
    "Blobs",
    "Features",
    "Film",
    "Hit",
    "Keyframes",
    "Looks",
    "Mined",
    "Passages",
    "Phrase",
    "Picture",
    "Ratings",
    "Rows",
    "Segmentation",
    "Shot",
    "SmallFrame",
    "Sound",
    "SoundChunk",
    "Span",
    "Story",
    "StoryCount",
    "StoryPath",
    "Thumbnail",
    "Transcript",
    "Transition",
    "TransitionKind",
    "Video",
    "VisionOutput",
    "Word",
    "count_stories",
    "counted",
    "format_time",
    "in_batches",
    "parse_time",
    "shot_edges",
]
