"""Settings: one small frozen record per room, read from TOML.

`Config()` is the default. A library keeps its own in `storyscope.toml`; unknown keys are refused
with the nearest one that exists, so a typing mistake never passes for a setting.
"""

from __future__ import annotations

import ast
import difflib
import inspect
import json
import math
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from storyscope.errors import InvalidSetting


def at_least(least: float, default: Any) -> Any:
    """A setting that is a number, no smaller than this."""
    return field(default=default, metadata={"least": least})


def one_of(default: str, *others: str, at_least: float | None = None) -> Any:
    """A setting that is one of these words, the first unless told; or a number, where it may be."""
    return field(default=default, metadata={"choices": (default, *others), "least": at_least})


@dataclass(frozen=True, kw_only=True)
class MediaConfig:
    """How files are decoded, and what a file may cost before it is refused."""

    max_pixels: int = at_least(1, 8192 * 4320)
    """Largest frame that is decoded; a bigger one is refused as a decompression bomb."""
    max_memory_mb: int = at_least(64, 2048)
    """Memory the decoding process may take."""
    stall_seconds: float = at_least(1, 60.0)
    """A decoder that yields nothing for this long is stopped."""
    picture_height: int = at_least(64, 256)
    """Height in pixels of the keyframes that are kept; the width follows the film."""
    pictures_per_second: float = at_least(0.1, 5.0)
    """Most frames a second that are kept at that height; two suffice while little changes."""
    decoder_threads: int = at_least(1, 1)
    """Threads of the decoder; one leaves the other cores to the networks and costs least."""


@dataclass(frozen=True, kw_only=True)
class ShotConfig:
    """How frames are grouped into shots."""

    detector: str = one_of("fast", "neural", "paper")
    """`fast`; `neural` to ask TransNetV2 where that is unsure; `paper` for Apostolidis 2014."""
    min_shot_seconds: float = at_least(0, 0.1)
    """A shorter shot is taken for a flash and joins the one after it."""


@dataclass(frozen=True, kw_only=True)
class TranscriptConfig:
    """Where words come from."""

    speech: str = "off"
    """Speech recognition when no transcript is found: `off`, or a model: `whisper-tiny.en`,
    `whisper-base` (many languages), a folder, or a hub id."""
    language: str = "auto"
    """Language of the words that are wanted, or `auto`."""
    screen: str = one_of("off", "on")
    """`on` reads what is written in the picture, which takes a while."""


@dataclass(frozen=True, kw_only=True)
class ConceptConfig:
    """How terms of the transcript become concept groups."""

    groups: int = at_least(1, 50)
    """K of the paper: concept groups by spectral clustering of the terms."""
    sigma_seconds: float = at_least(0.001, 20.0)
    """sigma_a of the paper: how far a term reaches from where it is said."""
    pipeline: str = "auto"
    """spaCy pipeline that tells nouns; `auto` takes an installed one of the language."""
    vectors: str = "glove-6b-50d"
    """Word vectors: the shipped name, or a file or folder of GloVe or word2vec vectors."""


@dataclass(frozen=True, kw_only=True)
class FeatureConfig:
    """What describes a shot."""

    keyframes_per_shot: int = at_least(1, 3)
    """Uniformly sampled keyframes a shot; the paper takes three."""
    seconds_per_keyframe: float = 1.0
    """A shot has no more keyframes than it lasts times that long, but one at least; 0 for all."""
    candidates_per_shot: int = at_least(1, 12)
    """Most pictures kept while a shot is running, from which keyframes and thumbnails come."""
    backbone: str = "efficientnet-lite0"
    """Image network: a shipped name, a local folder, or a hub id."""
    map: str = one_of("pooled", "full")
    """What is kept of the backbone's 7 x 7 map: its mean (`pooled`), or all of it (`full`)."""
    pooling: str = one_of("max", "mean")
    """Pooling of a shot's keyframes over time: `max` (the paper's choice) or `mean`."""
    sampling: str = one_of("uniform", "different")
    """Keyframes: `uniform`, or `different` for the most different colour histograms."""
    audio: str = one_of("compact", "fisher")
    """`compact`, or `fisher` for the paper's 46,080 numbers."""


@dataclass(frozen=True, kw_only=True)
class StoryConfig:
    """How shots are grouped into stories."""

    method: str = one_of("ours", "cluster")
    """`ours`, or `cluster` for the paper's clustering."""
    model: str = "default"
    """A file of your own: a model of `ours`, or the embedding that `cluster` clusters in.

    `default` is the model that ships; for `cluster`, the features as they are.
    """
    penalty: float | str = one_of("auto", "paper", at_least=0)
    """C of the paper for the method `cluster`: a number, `paper` for its rule, or `auto`."""


@dataclass(frozen=True, kw_only=True)
class ThumbnailConfig:
    """Which frame stands for a story."""

    beauty: float = at_least(0, 0.3)
    """1 - alpha of the paper: weight of beauty beside relevance to the query."""


@dataclass(frozen=True, kw_only=True)
class SearchConfig:
    """How a query is answered."""

    method: str = one_of("fused", "paper")
    """`fused`, or `paper` for the paper's R."""
    text_model: str = "minilm"
    """Sentence vectors: a shipped name, a local folder or a hub id."""
    image_text: str = "conse"
    """How pictures are compared with words: `conse` by the image network's classes, or by a CLIP
    in ONNX: a local folder or a hub id such as `Xenova/clip-vit-base-patch32`."""


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


PAPER = Config(
    shots=ShotConfig(detector="paper"),
    features=FeatureConfig(
        seconds_per_keyframe=0.0, backbone="timm/vgg16.tv_in1k", map="full", audio="fisher"
    ),
    stories=StoryConfig(method="cluster", penalty="paper"),
    search=SearchConfig(method="paper"),
)
"""The `paper` preset: every part as the paper has it."""

PRESETS = {"default": Config(), "paper": PAPER}


def load_config(path: Path) -> Config:
    """Read settings from a TOML file; a missing file gives the defaults.

    A story model that lies beside the file may be named from there.
    """
    if not path.exists():
        return Config()
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidSetting(f"{path} is not a TOML file: {error}") from error
    preset = values.pop("preset", "default")
    config = with_settings(preset_called(preset, where=str(path)), values, where=str(path))
    beside = path.parent.resolve() / config.stories.model
    return _with_model(config, beside) if beside.is_file() else config


def preset_called(name: Any, *, where: str = "settings") -> Config:
    """All settings of a preset."""
    if name not in PRESETS:
        raise InvalidSetting(f"{where}: {_unknown('preset', str(name), list(PRESETS))}")
    return PRESETS[name]


def with_settings(config: Config, values: Mapping[str, Any], *, where: str = "settings") -> Config:
    """A copy of `config` with `values` laid over it, room by room."""
    laid: Config = _lay_over(config, values, where)
    return laid


def parse_settings(lines: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Settings written as `room.name=value` into the tables a TOML file would hold."""
    tables: dict[str, dict[str, Any]] = {}
    for line in lines:
        path, equals, text = line.partition("=")
        room, dot, name = path.strip().partition(".")
        if not (equals and dot and room and name):
            raise InvalidSetting(f"a setting is written as room.name=value, got {line!r}")
        try:
            value = tomllib.loads(f"value = {text.strip()}")["value"]
        except tomllib.TOMLDecodeError:
            value = text.strip()
        tables.setdefault(room, {})[name] = value
    return tables


def to_toml(config: Config, *, preset: str = "default", home: Path | None = None) -> str:
    """The settings that differ from a preset, as the text of a TOML file.

    A story model inside `home`, the folder of that file, is named from there: they move together.
    """
    model = Path(config.stories.model)
    if home is not None and model.is_relative_to(home.resolve()):
        config = _with_model(config, model.relative_to(home.resolve()))
    lines = [] if preset == "default" else [f"preset = {json.dumps(preset)}"]
    for room in fields(config):
        record, base = getattr(config, room.name), getattr(PRESETS[preset], room.name)
        changed = [
            f.name for f in fields(record) if getattr(record, f.name) != getattr(base, f.name)
        ]
        if changed:
            lines += ["", f"[{room.name}]"]
            lines += [f"{name} = {_as_toml(getattr(record, name))}" for name in changed]
    return "\n".join(lines).strip() + "\n"


def _with_model(config: Config, model: Path) -> Config:
    return replace(config, stories=replace(config.stories, model=str(model)))


def _as_toml(value: Any) -> str:
    """A string or number as TOML writes it: like JSON, but for one character that must be told."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def describe_settings(config: Config) -> Iterator[tuple[str, Any, str]]:
    """Yield every setting's name, value and the words its record documents it with."""
    for room in fields(config):
        record = getattr(config, room.name)
        words = _field_docs(type(record))
        for setting in fields(record):
            yield f"{room.name}.{setting.name}", getattr(record, setting.name), words[setting.name]


def _lay_over(record: Any, values: Mapping[str, Any], where: str) -> Any:
    names = [f.name for f in fields(record)]
    hints = get_type_hints(type(record))
    changes: dict[str, Any] = {}
    for name, value in values.items():
        if name not in names:
            raise InvalidSetting(f"{where}: {_unknown('setting', name, names)}")
        current = getattr(record, name)
        if is_dataclass(current):
            if not isinstance(value, Mapping):
                raise InvalidSetting(f"{where}: {name} is a table of settings, got {value!r}")
            changes[name] = _lay_over(current, value, f"{where}: {name}")
        else:
            limits = next(f.metadata for f in fields(record) if f.name == name)
            changes[name] = _checked(name, value, hints[name], limits, where)
    return replace(record, **changes)


def _checked(name: str, value: Any, wanted: Any, limits: Mapping[str, Any], where: str) -> Any:
    kinds = get_args(wanted) if get_origin(wanted) is not None else (wanted,)
    if float in kinds and type(value) is int:
        value = float(value)
    if type(value) not in kinds:
        words = " or ".join(kind.__name__ for kind in kinds)
        raise InvalidSetting(f"{where}: {name} wants {words}, got {value!r}")
    choices, least = limits.get("choices"), limits.get("least")
    if choices and isinstance(value, str) and value not in choices:
        words = " or ".join([*choices, *(["a number"] if float in kinds else [])])
        raise InvalidSetting(f"{where}: {name} is {words}, got {value!r}")
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidSetting(f"{where}: {name} wants a finite number, got {value!r}")
    if least is not None and not isinstance(value, str) and value < least:
        raise InvalidSetting(f"{where}: {name} is at least {least}, got {value!r}")
    return value


def _unknown(what: str, name: str, names: list[str]) -> str:
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"choose from {', '.join(names)}"
    return f"no {what} called {name!r}; {hint}"


def _field_docs(record: type) -> dict[str, str]:
    """The docstring under each field of a settings record."""
    (body,) = ast.parse(inspect.getsource(record)).body
    docs: dict[str, str] = {}
    assert isinstance(body, ast.ClassDef)
    for line, below in pairwise(body.body):
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
            text = below.value if isinstance(below, ast.Expr) else None
            docs[line.target.id] = str(text.value) if isinstance(text, ast.Constant) else ""
    return docs
