"""Shots -> named feature vectors of their pictures, sound, speech and times.

While a film is decoded, `KeyframePicker` takes its pictures and `SoundListener` its sound. Then
`load_backbone` and `describe` analyse the keyframes, and `extract` computes one `Features` per
name.
"""

from storyscope.config import FeatureConfig
from storyscope.core import Features, VisionOutput
from storyscope.cues import BUILT_IN, all_cues
from storyscope.errors import UnknownName
from storyscope.features.audio import fit_sound
from storyscope.features.backbone import (
    Backbone,
    backbone_digest,
    keep_vgg16,
    load_backbone,
)
from storyscope.features.extractor import Extractor, Material
from storyscope.features.faces import FaceNetworks, load_face_networks
from storyscope.features.fisher import Mixture
from storyscope.features.keyframes import KeyframePicker, join_keyframes, pick_keyframes
from storyscope.features.mfcc import SoundListener
from storyscope.features.pictures import Decoded, from_jpeg, to_jpeg
from storyscope.features.plain import (
    blank_shots,
    closing_lettering,
    is_blank,
    is_lettered,
    shots_of_lettering,
)
from storyscope.features.vision import describe, describe_parts, describe_pictures
from storyscope.features.voices import load_voice_encoder

__all__ = [
    "EXTRACTORS",
    "Backbone",
    "Decoded",
    "Extractor",
    "FaceNetworks",
    "KeyframePicker",
    "Material",
    "Mixture",
    "SoundListener",
    "VisionOutput",
    "backbone_digest",
    "blank_shots",
    "closing_lettering",
    "describe",
    "describe_parts",
    "describe_pictures",
    "extract",
    "extract_all",
    "fit_sound",
    "from_jpeg",
    "is_blank",
    "is_lettered",
    "join_keyframes",
    "keep_vgg16",
    "load_backbone",
    "load_face_networks",
    "load_voice_encoder",
    "pick_keyframes",
    "shots_of_lettering",
    "to_jpeg",
]

EXTRACTORS = tuple(cue.name for cue in BUILT_IN if cue.extractor)
"""Names of the shipped extractors; their records are in `storyscope.cues`."""


def extract(
    name: str, material: Material, config: FeatureConfig = FeatureConfig()
) -> Features | None:
    """Run the extractor called `name`; None if the video lacks its source."""
    known = {cue.name: cue for cue in all_cues() if cue.extractor}
    if name not in known:
        raise UnknownName(f"no extractor called {name!r}; choose from {', '.join(known)}")
    features: Features | None = known[name].load_extractor()(material, config)
    return features


def extract_all(material: Material, config: FeatureConfig = FeatureConfig()) -> dict[str, Features]:
    """Every feature that the available data allows, by name."""
    found = {name: extract(name, material, config) for name in EXTRACTORS}
    return {name: features for name, features in found.items() if features is not None}
