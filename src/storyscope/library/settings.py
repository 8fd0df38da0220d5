"""Changing the settings of a library."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from storyscope.config import load_config, to_toml
from storyscope.errors import VideoBusy
from storyscope.library.story_counts import regroup
from storyscope.progress import Report, Step
from storyscope.store import SETTINGS_FILE
from storyscope.writing import half_written

if TYPE_CHECKING:
    from storyscope.library.local import LocalLibrary

log = logging.getLogger(__name__)


def keep_settings(
    library: LocalLibrary, settings: Sequence[str], *, preset: str | None, report: Report
) -> None:
    """Write settings to the library's settings file, and apply a new number of stories
    immediately."""
    config = library.with_settings(settings, preset=preset).config
    text = to_toml(config, preset=preset or "default", home=library.folder)
    with half_written(library.folder, [text.encode()]) as part:
        load_config(part)
    library.store.put_document(SETTINGS_FILE, text.encode())
    regrouped = config.stories.count != library.config.stories.count
    library.config = config
    if regrouped:
        _regroup_all(library, report)


def _regroup_all(library: LocalLibrary, report: Report) -> None:
    ready = [record.video.id for record in library.videos() if record.state == "ready"]
    for number, video in enumerate(ready):
        report(Step("titles", number, len(ready), note=video))
        try:
            regroup(library, video)
        except VideoBusy:
            log.warning("%s is being indexed; add it again for this setting", video)
