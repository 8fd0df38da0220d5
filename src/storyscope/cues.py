"""Every cue of story detection has one record here.

Indexing makes a stage of each record, the detector uses its features as the record says, and the
command line, the page, the explanations and the ablation take its label from it. So a new cue is an
extractor and a record here, or a record that another package declares as an entry point in the
group `storyscope.cues`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, Literal

from storyscope.errors import StoryscopeError, UnknownName
from storyscope.plugins import load_plugin, plugin_names

Source = Literal["film", "seen", "words", "voice", "mixture"]
"""What a cue can be computed from: shots, keyframes and sound; the image network's output; words;
speech intervals; the audio mixture of the collection."""
View = Literal["appearance", "own", "boundary", "timing"]
"""How the detector compares shots by a cue: as an appearance view, as a view of its own, or not at
all, because the cue describes the transition into a shot or the times of the shots."""

PLUGINS = "storyscope.cues"


@dataclass(frozen=True, kw_only=True)
class Cue:
    """A kind of evidence that two shots belong together."""

    name: str
    label: str
    """Label in an explanation, as in "mostly by colours"."""
    progress: str = ""
    """Label in the progress display while the cue is computed, such as "describing the colours"."""
    extractor: str | Callable[..., Any] | None = None
    """A function of (material, settings), or its location as "package.module:function"; None if
    another stage makes the features."""
    made_from: tuple[Source, ...] = ("film",)
    settings: tuple[str, ...] = ()
    """Names of the feature settings that the extractor reads; other settings do not make it run
    again."""
    version: int = 1
    """Increase this number when the same inputs would give other features."""
    indexed: bool = True
    """Whether the cue is computed for every indexed video."""
    evidence: str = ""
    """Cues with the same evidence are explained as one; empty means the name of the cue."""
    view: View = "own"
    vote: float = 1.0
    """Weight relative to colour if the detector was not trained on such features; 0 for none. For a
    boundary cue, the log-odds of a boundary per standard deviation. The built-in weights are
    derived from the measurements in the model card."""
    also_called: tuple[str, ...] = ()
    """The name of such features in benchmark folders."""

    @property
    def explained_as(self) -> str:
        return self.evidence or self.name

    def load_extractor(self) -> Callable[..., Any]:
        """Import the extractor and return it."""
        if self.extractor is None:
            raise UnknownName(f"{self.name} is made by a stage of its own, and by no extractor")
        if callable(self.extractor):
            return self.extractor
        module, _, function = self.extractor.partition(":")
        found: Callable[..., Any] = getattr(import_module(module), function)
        return found


BUILT_IN = (
    Cue(
        name="appearance",
        label="appearance",
        progress="describing the pictures",
        extractor="storyscope.features.appearance:appearance",
        made_from=("film", "seen"),
        settings=("map", "pooling", "sampling", "keyframes_per_shot"),
        view="appearance",
        also_called=("vgg19", "vgg16", "mobilenet", "inceptionresnetv2", "resnet50", "clip"),
    ),
    Cue(
        name="hue",
        label="colours",
        progress="describing the colours",
        extractor="storyscope.features.colour:hue",
        settings=("sampling", "keyframes_per_shot"),
        evidence="colour",
        also_called=("hsv",),
    ),
    Cue(
        name="colour",
        label="colours",
        progress="describing the colours",
        extractor="storyscope.features.colour:colour",
        settings=("sampling", "keyframes_per_shot"),
        indexed=False,
    ),
    Cue(
        name="audio",
        label="sound",
        progress="describing the sound",
        extractor="storyscope.features.audio:audio",
        made_from=("film", "mixture"),
        settings=("audio",),
        vote=0.63,
    ),
    Cue(
        name="speech",
        label="voice",
        progress="measuring speech",
        extractor="storyscope.features.speech:speech",
        made_from=("film", "words"),
        vote=0.0,
    ),
    Cue(
        name="pauses",
        label="pauses in speech",
        progress="measuring pauses",
        extractor="storyscope.features.speech:pauses",
        made_from=("film", "words", "voice"),
        view="boundary",
        vote=0.52,
    ),
    Cue(
        name="time",
        label="editing rhythm",
        progress="measuring the shots",
        extractor="storyscope.features.time:time",
        view="timing",
    ),
    Cue(name="visual_concepts", label="visual concepts", indexed=False, vote=0.0),
    Cue(name="text_concepts", label="topics of speech", indexed=False, vote=0.46),
)


@cache
def all_cues() -> tuple[Cue, ...]:
    """Every cue; those of installed packages come last."""
    return (*BUILT_IN, *(_from_package(name) for name in plugin_names(PLUGINS)))


def indexed_cues() -> tuple[Cue, ...]:
    """The cues that describe every indexed video, in the order in which they are computed."""
    return tuple(cue for cue in all_cues() if cue.indexed)


def find_cue(feature: str) -> Cue:
    """The cue that features of this name belong to.

    `appearance:resnet50` belongs to appearance, whatever follows the colon.
    """
    name = feature.partition(":")[0]
    for cue in all_cues():
        if name == cue.name or feature in cue.also_called:
            return cue
    names = ", ".join(cue.name for cue in all_cues())
    raise UnknownName(
        f"no cue is called {feature!r}; choose from {names}, "
        f"or call features of an image network `appearance:{feature}`"
    )


def evidence_labels() -> dict[str, str]:
    """Labels of all names that an explanation or a list of features may contain."""
    names = {cue.name: cue.label for cue in all_cues()}
    return names | {cue.explained_as: cue.label for cue in all_cues()}


def _from_package(name: str) -> Cue:
    cue = load_plugin(PLUGINS, name)
    if not isinstance(cue, Cue) or cue.name != name or not cue.extractor:
        raise StoryscopeError(
            f"an installed package offers {name!r} as {PLUGINS}, which must be a Cue of that name "
            "with an extractor"
        )
    if name in {known.name for known in BUILT_IN}:
        raise StoryscopeError(f"an installed package offers {name!r} as {PLUGINS}; rename it")
    return cue
