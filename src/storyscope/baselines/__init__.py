"""The methods Storyscope must beat, each named for its paper, all behind one protocol.

>>> from storyscope.baselines import baseline
>>> from storyscope.evaluate import leave_one_out, load_collection
>>> scores = leave_one_out(load_collection("bbc"), baseline("osg"))

Every method learns its free parameters from the training videos it is given and from nothing else.
They see a video as its shots and features; every feature of the video is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from storyscope.errors import UnknownName

if TYPE_CHECKING:
    from storyscope.evaluate import StoryMethod

BASELINES = {
    "one-per-shot": "storyscope.baselines.trivial:OneStoryPerShot",
    "uniform": "storyscope.baselines.trivial:UniformCuts",
    "raw-clustering": "storyscope.baselines.raw:RawClustering",
    "stg": "storyscope.baselines.stg:SceneTransitionGraphs",
    "nw": "storyscope.baselines.nw:SequenceAlignment",
    "sdn": "storyscope.baselines.sdn:SiameseNetwork",
    "osg": "storyscope.baselines.osg:SequentialGrouping",
    "osg-norm": "storyscope.baselines.osg:NormalizedGrouping",
    "kcpd": "storyscope.baselines.kcpd:KernelChangePoints",
    "mdl": "storyscope.baselines.mdl:ShortestDescription",
}
"""The module of each method; its libraries are imported only when it is used."""

__all__ = ["BASELINES", "baseline"]


def baseline(name: str) -> StoryMethod:
    """The method called `name`, with the settings of its paper."""
    if name not in BASELINES:
        raise UnknownName(f"no baseline called {name!r}; choose from {', '.join(BASELINES)}")
    module, _, attribute = BASELINES[name].partition(":")
    method: StoryMethod = getattr(import_module(module), attribute)()
    return method
