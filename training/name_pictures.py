"""Drawings of named things as CLIP sees them, to teach the image-text head more words.

    python -m training.name_pictures --packages FOLDER --output named.npz

COCO's captions speak of everyday photographs: they hold no squirrel, acorn or castle. Emoji are
drawings of eight hundred things, each with its names. The folder holds, unpacked and each in a
folder of its own name, the npm packages `fluent-emoji-3d` 1.1.0 of `@lobehub` (Fluent Emoji, MIT),
`emoji-datasource-google` 16.0.0 (Noto Emoji, Apache-2.0), `emoji-datasource-twitter` 16.0.0
(Twemoji, CC BY 4.0), `unicode-emoji-json` 0.9.0 and `emojilib` 4.0.3 (names, MIT). Each series of
drawings is rid of its own mean, which is its style; a thing is the mean of its drawings.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image

from storyscope.search.image_text import CLIP, load_image_text
from storyscope.search.text_head import unit

EMOJI = {
    "fluent": ("fluent-emoji-3d", "**/assets", ".webp"),
    "google": ("emoji-datasource-google", "**/img/google/64", ".png"),
    "twitter": ("emoji-datasource-twitter", "**/img/twitter/64", ".png"),
}
KINDS = frozenset(["Animals & Nature", "Food & Drink", "Travel & Places", "Activities", "Objects"])
NO_THING = re.compile(
    r"clock|moon phase|quarter moon|gibbous|crescent|flag|button|mailbox|heart$|square|circle"
    r"|diamond|o’|couple|kiss|family|hand|finger"
)
MOST_NAMES = 6
GROUNDS = ((255, 255, 255), (200, 220, 240), (150, 180, 130), (128, 128, 128), (235, 220, 190))
"""Colours that drawings, which are cut out, are laid on."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--packages", type=Path, required=True, help="the unpacked packages")
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    random.seed(0)
    things = list(emoji(options.packages))
    series = sorted({name for _, drawings in things for name in drawings})
    network = load_image_text(CLIP)
    seen = {
        name: {
            number: network.encode_images([laid_out(drawings[name])])[0]
            for number, (_, drawings) in enumerate(things)
            if name in drawings
        }
        for name in series
    }
    styles = {name: np.mean(list(vectors.values()), axis=0) for name, vectors in seen.items()}
    vectors = []
    for number in range(len(things)):
        drawn = [name for name in series if number in seen[name]]
        vectors.append(unit(np.stack([seen[s][number] - styles[s] for s in drawn])).mean(axis=0))
    names = json.dumps([names for names, _ in things])
    np.savez(options.output, vectors=unit(np.stack(vectors)).astype(np.float16), names=names)
    print(f"{len(things)} named things, {sum(map(len, seen.values()))} drawings")


Thing = tuple[list[str], dict[str, Path]]
"""Its names, the usual one first, and its drawing in each series."""


def emoji(packages: Path) -> Iterator[Thing]:
    """Things that are drawn as emoji, with their names and keywords."""
    known = json.loads(next(packages.glob("**/data-by-emoji.json")).read_text("utf-8"))
    keywords = json.loads(next(packages.glob("**/emoji-en-US.json")).read_text("utf-8"))
    folders = {
        name: (next((packages / package).glob(where)), suffix)
        for name, (package, where, suffix) in EMOJI.items()
    }
    for sign, facts in known.items():
        if facts["group"] not in KINDS or NO_THING.search(facts["name"]):
            continue
        code = "-".join(f"{ord(letter):04x}" for letter in sign)
        spellings = (code, f"{code}-fe0f", code.replace("-fe0f", ""))
        files = {
            name: [path for s in spellings if (path := folder / f"{s}{suffix}").exists()]
            for name, (folder, suffix) in folders.items()
        }
        drawings = {name: found[0] for name, found in files.items() if found}
        words = [word.replace("_", " ") for word in keywords.get(sign, [])]
        if drawings:
            yield list(dict.fromkeys([facts["name"], *words]))[:MOST_NAMES], drawings


def laid_out(path: Path) -> np.ndarray:
    """A drawing on a plain ground, with some room around it."""
    with Image.open(path) as opened:
        drawing = opened.convert("RGBA")
    side = int(1.25 * max(drawing.size))
    card = Image.new("RGBA", (side, side), (*random.choice(GROUNDS), 255))
    card.alpha_composite(drawing, ((side - drawing.width) // 2, (side - drawing.height) // 2))
    return np.asarray(card.convert("RGB"))


if __name__ == "__main__":
    main()
