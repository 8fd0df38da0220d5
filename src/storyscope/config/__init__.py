"""Settings: one small frozen record per package, read from TOML.

`Config()` is the default. A library keeps its own in `storyscope.toml`. Unknown keys are rejected
with a suggestion, so that typing errors are noticed.
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
