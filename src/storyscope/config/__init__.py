"""Settings: one small frozen record per room, read from TOML.

`Config()` is the default. A library keeps its own in `storyscope.toml`; unknown keys are refused
with the nearest one that exists, so a typing mistake never passes for a setting.
"""

from storyscope.config.files import (
    describe_settings,
    load_config,
    parse_settings,
    preset_called,
    to_toml,
    with_settings,
)
from storyscope.config.records import (
    PAPER,
    PAPER_LITE,
    PRESETS,
    ConceptConfig,
    Config,
    FeatureConfig,
    MediaConfig,
    ProcessConfig,
    SearchConfig,
    ShotConfig,
    StoryConfig,
    ThumbnailConfig,
    TranscriptConfig,
)

__all__ = [
    "PAPER",
    "PAPER_LITE",
    "PRESETS",
    "ConceptConfig",
    "Config",
    "FeatureConfig",
    "MediaConfig",
    "ProcessConfig",
    "SearchConfig",
    "ShotConfig",
    "StoryConfig",
    "ThumbnailConfig",
    "TranscriptConfig",
    "describe_settings",
    "load_config",
    "parse_settings",
    "preset_called",
    "to_toml",
    "with_settings",
]
