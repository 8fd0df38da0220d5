"""Drawings of named things encoded by CLIP, to train the image-text head on more words.

    python -m training.name_pictures --packages FOLDER --output named.npz [--processes 8]

COCO's captions describe everyday photographs: they mention no squirrel, acorn or castle. The
folder contains these packages, each unpacked in a folder of its name:

- npm: `fluent-emoji-3d` 1.1.0 of `@lobehub` (Fluent Emoji, MIT), `emoji-datasource-google` 16.0.0
  (Noto Emoji, Apache-2.0), `emoji-datasource-twitter` 16.0.0 (Twemoji, CC BY 4.0), with names from
  `unicode-emoji-json` 0.9.0 and `emojilib` 4.0.3 (MIT);
- Debian: `tuxpaint-stamps-default` 2022.06.04-1 (drawings and photographs, GPL-2+ and public
  domain), `openclipart-png` and `openclipart-svg` 0.18+dfsg-19 (public domain).

The mean of each series of pictures, which is its style, is subtracted; a thing is the mean of its
pictures. Only vectors and names are written.
"""

from __future__ import annotations

import argparse
import html
import json
import re
import zlib
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path

import numpy as np
from PIL import Image

from storyscope.models import downloaded_file, onnx_session
from storyscope.search.image_text import CLIP, CLIP_DEVIATION, CLIP_MEAN, CLIP_SIZE, Vision
from storyscope.search.text_head import unit

Thing = tuple[list[str], dict[str, Path]]
"""Its names, the usual one first, and its picture in each series."""

EMOJI = {
    "fluent": ("fluent-emoji-3d", "**/assets", ".webp"),
    "google": ("emoji-datasource-google", "**/img/google/64", ".png"),
    "twitter": ("emoji-datasource-twitter", "**/img/twitter/64", ".png"),
}
EMOJI_GROUPS = frozenset(
    ["Animals & Nature", "Food & Drink", "Travel & Places", "Activities", "Objects"]
)
NO_THING = re.compile(
    r"clock|moon phase|quarter moon|gibbous|crescent|flag|button|mailbox|heart$|square|circle"
    r"|diamond|o’|couple|kiss|family|hand|finger"
)
NO_STAMP = re.compile(r"/(symbols|military|flags|roadsigns)/|_mirror")
CLIPART_FOLDERS = """animals buildings containers education electronics food office people plants
    recreation tools transportation""".split()  # noqa: SIM905
NO_CLIPART = re.compile(
    r"roadsign|aiga|/cards/|chess|smil|gradient|pattern|symbol|_bw|b_and_w|domino|dice|flag|map"
    r"|icon|/signs|clock",
    re.I,
)
NO_TITLE = re.compile(r"clipart|collection|general|^svg|symbol|^various", re.I)
NO_NAME = frozenset(
    """animal food transport transportation recreation hash clip art clipart tool tools holiday
    entertainment education people person unsorted object objects color colour hand drawn lineart
    line black white cartoon symbol contour outline png icon mammal menu equipment office
    special""".split()  # noqa: SIM905
)
"""Keywords of clip art that say nothing about its content."""
MOST_NAMES, LONGEST_NAME = 6, 3
GROUNDS = ((255, 255, 255), (200, 220, 240), (150, 180, 130), (128, 128, 128), (235, 220, 190))
"""Background colours for pictures that are cut out."""
ROOM = 1.25
"""Side of the background, relative to the longer side of the picture on it."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--packages", type=Path, required=True, help="the unpacked packages")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args()
    packages = options.packages
    things = [*emoji(packages), *stamps(packages), *clipart(packages)]
    shown = [(number, s, path) for number, (_, of) in enumerate(things) for s, path in of.items()]
    with ProcessPoolExecutor(options.processes) as pool:
        seen = np.stack(list(pool.map(embed, [path for _, _, path in shown], chunksize=16)))
    series = np.array([name for _, name, _ in shown])
    for name in set(series.tolist()):
        seen[series == name] -= seen[series == name].mean(axis=0)
    vectors = np.zeros((len(things), seen.shape[1]), np.float32)
    np.add.at(vectors, [number for number, _, _ in shown], unit(seen))
    names = json.dumps([names for names, _ in things])
    np.savez(options.output, vectors=unit(vectors).astype(np.float16), names=names)
    print(f"{len(things)} named things, {len(shown)} pictures")


def emoji(packages: Path) -> Iterator[Thing]:
    """Emoji with their names and keywords."""
    known = json.loads(next(packages.glob("**/data-by-emoji.json")).read_text("utf-8"))
    keywords = json.loads(next(packages.glob("**/emoji-en-US.json")).read_text("utf-8"))
    folders = {
        name: (next((packages / package).glob(where)), suffix)
        for name, (package, where, suffix) in EMOJI.items()
    }
    for sign, facts in known.items():
        if facts["group"] not in EMOJI_GROUPS or NO_THING.search(facts["name"]):
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


def stamps(packages: Path) -> Iterator[Thing]:
    """Tux Paint's stamps, each with the line that describes it."""
    for path in sorted((packages / "tuxpaint-stamps-default").glob("**/stamps/**/*.png")):
        described = path.with_suffix(".txt")
        if described.exists() and not NO_STAMP.search(path.as_posix()):
            line = described.read_text("utf-8", errors="replace").splitlines()[0]
            yield [line.strip().rstrip(".!")], {"stamp": path}


def clipart(packages: Path) -> Iterator[Thing]:
    """Clip art with the titles and keywords inside its files."""
    pictures = next((packages / "openclipart-png").glob("**/openclipart/png"))
    drawings = next((packages / "openclipart-svg").glob("**/openclipart/svg"))
    for path in sorted(p for f in CLIPART_FOLDERS for p in (pictures / f).glob("**/*.png")):
        inside = path.relative_to(pictures)
        drawing = drawings / inside.with_suffix(".svg")
        if NO_CLIPART.search(inside.as_posix()) or not drawing.exists():
            continue
        text = drawing.read_text("utf-8", errors="replace")
        title = re.search(r"<dc:title>([^<]*)", text)
        subject = re.search(r"<dc:subject>.*?</dc:subject>", text, re.S)
        if title is None or NO_TITLE.search(title[1]):
            continue
        keywords = re.findall(r"<rdf:li[^>]*>([^<]*)", subject[0]) if subject else []
        spoken = [plain(title[1]), *map(plain, keywords)]
        short = [n for n in spoken[1:] if len(n.split()) <= LONGEST_NAME]
        names = [n for n in dict.fromkeys([spoken[0], *short]) if n and n not in NO_NAME]
        if names:
            yield names[:MOST_NAMES], {"clipart": path}


def plain(name: str) -> str:
    """A title or keyword without numbers, brackets and underscores."""
    name = re.sub(r"[_-]", " ", html.unescape(name).lower())
    return re.sub(r"\s+", " ", re.sub(r"\(.*?\)|\d+", "", name)).strip(" .,")


def embed(path: Path) -> np.ndarray:
    """CLIP's vector of a picture: float32, normalized to length one."""
    return np.asarray(clip().encode([laid_out(path)])[0])


@cache
def clip() -> Vision:
    fetched = downloaded_file(CLIP)
    if fetched is None:
        raise SystemExit("run `storyscope models get clip` first")
    return Vision(partial(onnx_session, fetched), CLIP_SIZE, CLIP_MEAN, CLIP_DEVIATION)


def laid_out(path: Path) -> np.ndarray:
    """The picture on a plain background with a margin."""
    with Image.open(path) as opened:
        picture = opened.convert("RGBA")
    picture.thumbnail((CLIP_SIZE, CLIP_SIZE))
    side = int(ROOM * max(picture.size))
    ground = GROUNDS[zlib.crc32(path.name.encode()) % len(GROUNDS)]
    card = Image.new("RGBA", (side, side), (*ground, 255))
    card.alpha_composite(picture, ((side - picture.width) // 2, (side - picture.height) // 2))
    return np.asarray(card.convert("RGB"))


if __name__ == "__main__":
    main()
