"""Methods of story detection by name, and loading of your own methods."""

from __future__ import annotations

from importlib import import_module
from typing import cast

from storyscope.baselines import BASELINES
from storyscope.errors import UnknownName
from storyscope.evaluate import StoryMethod

RIVALS = {
    name: target for name, target in BASELINES.items() if name not in ("uniform", "one-per-shot")
}
"""Methods of other papers.

Trivial baselines are not included: they are in every table, with the true number of stories.
"""

METHODS: dict[str, str] = {
    "ours": "storyscope.experiments.detector:Ours",
    "paper": "storyscope.baselines.paper_methods:Paper",
    "paper-siamese": "storyscope.baselines.paper_methods:PaperSiamese",
    "triplet": "storyscope.baselines.paper_methods:Triplet",
    "siamese": "storyscope.baselines.paper_methods:Siamese",
    "lstm": "storyscope.baselines.paper_methods:Lstm",
    "cluster": "storyscope.baselines.paper_methods:Cluster",
    **RIVALS,
}
"""Every method by name; the others are compared with the first."""

DEFAULT_METHODS = ("ours", *RIVALS)
"""The default methods: ours and the baselines. The paper's own embeddings take minutes per video to
train and are run by name or by `reproduce`."""


def load_method(name: str) -> StoryMethod:
    """The method with that name, or `module:attribute` of your own."""
    target = name if ":" in name else METHODS.get(name)
    if target is None:
        raise UnknownName(
            f"no method is called {name!r}; choose from {', '.join(METHODS) or 'none'}, or give "
            "your own as module:Class"
        )
    module, _, attribute = target.partition(":")
    try:
        method = getattr(import_module(module), attribute)()
    except (ModuleNotFoundError, AttributeError, TypeError, ValueError) as error:
        raise UnknownName(f"no method can be loaded from {target}: {error}") from error
    if not callable(getattr(method, "fit", None)):
        raise UnknownName(f"{target} is not a method: it has no `fit`")
    return cast(StoryMethod, method)
