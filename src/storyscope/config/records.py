"""Settings: one small frozen record per package, checked when it is created."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

from storyscope.config.checks import Checked, at_least, between, one_of
from storyscope.core import StoryCount
from storyscope.errors import InvalidSetting


@dataclass(frozen=True, kw_only=True)
class MediaConfig(Checked):
    """How files are decoded, and the limits above which a file is refused."""

    table: ClassVar[str] = "media"

    max_pixels: int = at_least(1, 8192 * 4320)
    """Maximum number of pixels in a frame; larger frames are refused as decompression bombs."""
    max_memory_mb: int = at_least(64, 2048)
    """Maximum memory of the decoding process in MB, beyond what the libraries need."""
    stall_seconds: float = at_least(1, 60.0)
    """A decoder that produces nothing for this many seconds is stopped."""
    picture_height: int = at_least(64, 256)
    """Height in pixels of stored keyframes; the width follows from the film's aspect ratio."""
    pictures_per_second: float = at_least(0.1, 5.0)
    """Maximum number of frames per second kept at that height; two while little changes."""
    decoder_threads: int = at_least(1, 1)
    """Number of decoder threads; one leaves the other cores to the networks and costs least in
    total."""
    start: float = at_least(0, 0.0)
    """Time in seconds at which indexing starts; everything before it becomes a story of its own."""
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

    table: ClassVar[str] = "shots"

    detector: str = one_of("fast", "neural", "paper", plugins="storyscope.detectors")
    """`fast`; `neural` to also run TransNetV2 where `fast` is uncertain; `paper` for Apostolidis
    2014."""
    min_shot_seconds: float = at_least(0, 0.1)
    """Shots shorter than this many seconds count as flashes and are joined to the next."""
    model: str = ""
    """Weights written by `storyscope train --shots`; empty for the shipped weights."""


@dataclass(frozen=True, kw_only=True)
class TranscriptConfig(Checked):
    """Where the transcript comes from."""

    table: ClassVar[str] = "transcripts"

    speech: str = "auto"
    """Speech recognition if no transcript is found: `auto` for the best installed model, `off`, or
    a model: `whisper-tiny.en`, `whisper-base` (many languages), a folder, or a hub id that was
    downloaded."""
    language: str = "auto"
    """Language of the transcript, or `auto`."""
    sounds: str = one_of("auto", "off")
    """`auto` names kinds of sound (applause, a dog) once `storyscope models get sounds` was run."""
    screen: str = one_of("off", "on")
    """`on` recognises text on screen, which is slow."""


@dataclass(frozen=True, kw_only=True)
class ConceptConfig(Checked):
    """How terms of the transcript are grouped into concepts."""

    table: ClassVar[str] = "concepts"

    groups: int = at_least(1, 50)
    """K of the paper: number of concept groups in the spectral clustering of the terms."""
    sigma_seconds: float = at_least(0.001, 20.0)
    """sigma_a of the paper: how many seconds a term reaches from where it is spoken."""
    scope: str = one_of("video", "collection")
    """`collection` clusters the terms once for all videos of a library, as in the paper."""
    pipeline: str = "auto"
    """spaCy pipeline that finds nouns; `auto` uses an installed one for the language."""
    vectors: str = "glove-6b-50d"
    """Word vectors: the shipped name, or a file or folder of GloVe or word2vec vectors."""


@dataclass(frozen=True, kw_only=True)
class FeatureConfig(Checked):
    """How shots are described by features."""

    table: ClassVar[str] = "features"

    keyframes_per_shot: int = at_least(1, 3)
    """Number of uniformly sampled keyframes per shot; the paper uses three."""
    seconds_per_keyframe: float = 1.0
    """Minimum seconds of a shot per keyframe, with at least one keyframe; 0 for no limit."""
    candidates_per_shot: int = at_least(1, 12)
    """Maximum number of pictures per shot from which keyframes and thumbnails are chosen."""
    backbone: str = "efficientnet-lite0"
    """Image network: a shipped name, `vgg16` after `storyscope models get`, a file or folder of
    weights, or a hub id that was downloaded."""
    map: str = one_of("pooled", "full")
    """What is stored of the backbone's 7 x 7 map: its mean (`pooled`), or all of it (`full`)."""
    pooling: str = one_of("max", "mean")
    """Pooling of a shot's keyframes over time: `max` (the paper's choice) or `mean`."""
    sampling: str = one_of("uniform", "different")
    """Selection of keyframes: `uniform`, or `different` for the most different colour
    histograms."""
    audio: str = one_of("compact", "fisher")
    """Audio features: `compact`, or `fisher` for the paper's 46,080 numbers."""


AS_FOUND = 0.5
"""The granularity of the number of stories that the detector itself finds."""


@dataclass(frozen=True, kw_only=True)
class StoryConfig(Checked):
    """How shots are grouped into stories."""

    table: ClassVar[str] = "stories"

    method: str = one_of("ours", "cluster")
    """`ours`, or `cluster` for the paper's clustering."""
    model: str = "default"
    """Path of your own model: for `ours`, a story model; for `cluster`, an embedding. `default` is
    the shipped model; for `cluster`, the unmodified features. `library` is the embedding trained in
    this library; `auto` uses it if there is one."""
    cues: str = "appearance,hue,time"
    """Features that `cluster` uses without an embedding, and that an embedding is trained on if
    there are more than these."""
    penalty: float | str = one_of("auto", "paper", at_least=0)
    """C of the paper for the method `cluster`: a number, `paper` for its rule, or `auto`."""
    granularity: float = between(0, 1, AS_FOUND)
    """Granularity: from 0 (one story) through 0.5 (as many as are found) to 1 (one story per
    shot)."""
    about: int = at_least(0, 0)
    """Approximate number of stories per video; 0 for as many as are found."""
    minutes: float = at_least(0, 0.0)
    """Approximate length of a story in minutes; 0 for as long as they are found."""

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.count  # Raises an error if two of them are set.

    @property
    def count(self) -> StoryCount:
        """The number of stories wanted of each video."""
        return StoryCount(
            None if self.granularity == AS_FOUND else self.granularity,
            self.about or None,
            self.minutes or None,
        )


@dataclass(frozen=True, kw_only=True)
class ThumbnailConfig(Checked):
    """Which frame represents a story."""

    table: ClassVar[str] = "thumbnails"

    beauty: float = at_least(0, 0.3)
    """1 - alpha of the paper: weight of beauty against relevance to the query."""


@dataclass(frozen=True, kw_only=True)
class SearchConfig(Checked):
    """How queries are matched and scored."""

    table: ClassVar[str] = "search"

    method: str = one_of("fused", "paper")
    """Ranking: `fused`, or `paper` for the paper's R."""
    text_model: str = "minilm"
    """Sentence vectors: a shipped name, a local folder, or a hub id that was downloaded."""
    image_text: str = "auto"
    """How pictures are compared with free text: `auto` for CLIP if `storyscope models get clip`
    downloaded it, otherwise the image network's classes; `off` for the classes only; or a CLIP
    model in ONNX: a local folder, or a hub id such as `Xenova/clip-vit-base-patch32` that was
    downloaded."""


@dataclass(frozen=True, kw_only=True)
class ProcessConfig(Checked):
    """Where networks run, and the limits of an indexing process."""

    table: ClassVar[str] = "processes"

    device: str = one_of("auto", "cpu", "cuda")
    """Device of all networks: `auto` uses a GPU if there is one, `cuda` requires one, `cpu` never
    uses one."""

    budget: float = at_least(0.01, 1.0)
    """Factor on the time and memory limits of indexing, for films you trust."""


@dataclass(frozen=True, kw_only=True)
class Config:
    """The settings of all packages, in the order of the pipeline."""

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
"""The `paper-lite` preset: the shipped image network instead of VGG-16, an embedding only if
trained."""

PRESETS = {"default": Config(), "paper": PAPER, "paper-lite": PAPER_LITE}
