"""Settings: one small frozen record per room, each checked when it is made."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

from storyscope.config.checks import Checked, at_least, between, one_of
from storyscope.core import StoryCount
from storyscope.errors import InvalidSetting


@dataclass(frozen=True, kw_only=True)
class MediaConfig(Checked):
    """How files are decoded, and what a file may cost before it is refused."""

    room: ClassVar[str] = "media"

    max_pixels: int = at_least(1, 8192 * 4320)
    """Largest frame that is decoded; a bigger one is refused as a decompression bomb."""
    max_memory_mb: int = at_least(64, 2048)
    """Maximum memory of the decoding process."""
    stall_seconds: float = at_least(1, 60.0)
    """A decoder that yields nothing for this long is stopped."""
    picture_height: int = at_least(64, 256)
    """Height in pixels of the keyframes that are kept; the width follows the film."""
    pictures_per_second: float = at_least(0.1, 5.0)
    """Maximum frames per second kept at that height; two while little changes."""
    decoder_threads: int = at_least(1, 1)
    """Threads of the decoder; one leaves the other cores to the networks and costs least."""
    start: float = at_least(0, 0.0)
    """Time in seconds at which indexing starts; what comes before is a story of its own."""
    end: float = at_least(0, 0.0)
    """Time in seconds at which indexing ends; 0 for the end of the film."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if 0 < self.end <= self.start:
            raise InvalidSetting(
                f"the part to index must end after it starts, got {self.start:g} to {self.end:g} s"
            )


@dataclass(frozen=True, kw_only=True)
class ShotConfig(Checked):
    """How frames are grouped into shots."""

    room: ClassVar[str] = "shots"

    detector: str = one_of("fast", "neural", "paper", plugins="storyscope.detectors")
    """`fast`; `neural` to ask TransNetV2 where that is unsure; `paper` for Apostolidis 2014."""
    min_shot_seconds: float = at_least(0, 0.1)
    """A shorter shot counts as a flash and is joined to the next."""
    model: str = ""
    """A file that `storyscope train --shots` wrote, or nothing for the weights that ship."""


@dataclass(frozen=True, kw_only=True)
class TranscriptConfig(Checked):
    """Where words come from."""

    room: ClassVar[str] = "transcripts"

    speech: str = "auto"
    """Speech recognition when no transcript is found: `auto` by the best model that is installed,
    `off`, or a model: `whisper-tiny.en`, `whisper-base` (many languages), a folder, or a
    hub id that was downloaded."""
    language: str = "auto"
    """Language of the transcript, or `auto`."""
    screen: str = one_of("off", "on")
    """`on` reads the text on screen, which takes a while."""


@dataclass(frozen=True, kw_only=True)
class ConceptConfig(Checked):
    """How terms of the transcript become concept groups."""

    room: ClassVar[str] = "concepts"

    groups: int = at_least(1, 50)
    """K of the paper: concept groups by spectral clustering of the terms."""
    sigma_seconds: float = at_least(0.001, 20.0)
    """sigma_a of the paper: how far a term reaches from where it is said."""
    scope: str = one_of("video", "collection")
    """`collection` clusters the terms once for all videos of a library, as the paper does."""
    pipeline: str = "auto"
    """spaCy pipeline that finds nouns; `auto` uses an installed one for the language."""
    vectors: str = "glove-6b-50d"
    """Word vectors: the shipped name, or a file or folder of GloVe or word2vec vectors."""


@dataclass(frozen=True, kw_only=True)
class FeatureConfig(Checked):
    """What describes a shot."""

    room: ClassVar[str] = "features"

    keyframes_per_shot: int = at_least(1, 3)
    """Number of uniformly sampled keyframes per shot; the paper takes three."""
    seconds_per_keyframe: float = 1.0
    """A shot has no more keyframes than it lasts times that long, but one at least; 0 for all."""
    candidates_per_shot: int = at_least(1, 12)
    """Maximum number of pictures of a shot from which keyframes and thumbnails are chosen."""
    backbone: str = "efficientnet-lite0"
    """Image network: a shipped name, `vgg16` once `storyscope models get` has it, a file or folder
    of weights, or a hub id that was downloaded."""
    map: str = one_of("pooled", "full")
    """What is kept of the backbone's 7 x 7 map: its mean (`pooled`), or all of it (`full`)."""
    pooling: str = one_of("max", "mean")
    """Pooling of a shot's keyframes over time: `max` (the paper's choice) or `mean`."""
    sampling: str = one_of("uniform", "different")
    """Keyframes: `uniform`, or `different` for the most different colour histograms."""
    audio: str = one_of("compact", "fisher")
    """`compact`, or `fisher` for the paper's 46,080 numbers."""


AS_FOUND = 0.5
"""The granularity at which stories are those that the detector itself finds."""


@dataclass(frozen=True, kw_only=True)
class StoryConfig(Checked):
    """How shots are grouped into stories."""

    room: ClassVar[str] = "stories"

    method: str = one_of("ours", "cluster")
    """`ours`, or `cluster` for the paper's clustering."""
    model: str = "default"
    """A file of your own: a model of `ours`, or the embedding that `cluster` clusters in.

    `default` is the model that ships; for `cluster`, the features as they are. `library` is the
    embedding trained in this library, `auto` the same where there is one.
    """
    cues: str = "appearance,hue,time"
    """Features that `cluster` looks at without an embedding, and that an embedding is trained on
    where they are more than these."""
    penalty: float | str = one_of("auto", "paper", at_least=0)
    """C of the paper for the method `cluster`: a number, `paper` for its rule, or `auto`."""
    granularity: float = between(0, 1, AS_FOUND)
    """From 0 (one story) through 0.5 (as many as are found) to 1 (one story per shot)."""
    about: int = at_least(0, 0)
    """About this many stories in each video; 0 for as many as are found."""
    minutes: float = at_least(0, 0.0)
    """Stories of about this many minutes each; 0 for as long as they are."""

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.count  # Refuses two wishes at once.

    @property
    def count(self) -> StoryCount:
        """How many stories are wanted of each video."""
        return StoryCount(
            None if self.granularity == AS_FOUND else self.granularity,
            self.about or None,
            self.minutes or None,
        )


@dataclass(frozen=True, kw_only=True)
class ThumbnailConfig(Checked):
    """Which frame stands for a story."""

    room: ClassVar[str] = "thumbnails"

    beauty: float = at_least(0, 0.3)
    """1 - alpha of the paper: weight of beauty against relevance to the query."""


@dataclass(frozen=True, kw_only=True)
class SearchConfig(Checked):
    """How a query is answered."""

    room: ClassVar[str] = "search"

    method: str = one_of("fused", "paper")
    """`fused`, or `paper` for the paper's R."""
    text_model: str = "minilm"
    """Sentence vectors: a shipped name, a local folder, or a hub id that was downloaded."""
    image_text: str = "auto"
    """How pictures are compared with free text: `auto` by CLIP where `storyscope models get clip`
    fetched it, else by the image network's classes; `off` by the classes alone; or by a CLIP in
    ONNX: a local folder, or a hub id such as `Xenova/clip-vit-base-patch32` that was fetched."""


@dataclass(frozen=True, kw_only=True)
class ProcessConfig(Checked):
    """Where networks run, and what an index process may take before it is stopped."""

    room: ClassVar[str] = "processes"

    device: str = one_of("auto", "cpu", "cuda")
    """Processor of all networks: auto takes a GPU where there is one, cuda insists on it."""

    budget: float = at_least(0.01, 1.0)
    """Factor on the time and memory limits of indexing, for films you trust."""


@dataclass(frozen=True, kw_only=True)
class Config:
    """Every room's settings, in the order data flows."""

    media: MediaConfig = field(default_factory=MediaConfig)
    shots: ShotConfig = field(default_factory=ShotConfig)
    transcripts: TranscriptConfig = field(default_factory=TranscriptConfig)
    concepts: ConceptConfig = field(default_factory=ConceptConfig)
    features: FeatureConfig = field(default_factory=FeatureConfig)
    stories: StoryConfig = field(default_factory=StoryConfig)
    thumbnails: ThumbnailConfig = field(default_factory=ThumbnailConfig)
    search: SearchConfig = field(default_factory=SearchConfig)
    processes: ProcessConfig = field(default_factory=ProcessConfig)


SIX_FEATURES = "appearance,audio,speech,time,visual_concepts,text_concepts"

PAPER = Config(
    shots=ShotConfig(detector="paper"),
    concepts=ConceptConfig(scope="collection"),
    features=FeatureConfig(seconds_per_keyframe=0.0, backbone="vgg16", map="full", audio="fisher"),
    stories=StoryConfig(method="cluster", model="library", cues=SIX_FEATURES, penalty="paper"),
    search=SearchConfig(method="paper"),
)
"""The `paper` preset: six features, an embedding trained on them, and the paper's rule for C."""

PAPER_LITE = replace(
    PAPER,
    features=replace(PAPER.features, backbone="efficientnet-lite0", map="pooled"),
    stories=replace(PAPER.stories, model="auto"),
)
"""The `paper-lite` preset: the shipped image network for VGG-16, an embedding only if trained."""

PRESETS = {"default": Config(), "paper": PAPER, "paper-lite": PAPER_LITE}
