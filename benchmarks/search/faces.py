"""Which faces are found on photographs, and how similar faces of one and of two people are.

    pip download --no-deps --no-binary :all: face_recognition==1.3.0
    python -m benchmarks.search.faces --archive face_recognition-1.3.0.tar.gz [--write]

The archive contains five pictures of one person (two of them are parts of another) and one of
somebody else. The others are the photographs of `benchmarks.search.photographs`, of which three
show faces of four people. All are scaled to the height of keyframes. They are few: `MIN_SCORE` of
the detector was chosen on these photographs, and `SAME_FACE` lies between what is printed here.
"""

from __future__ import annotations

import io
import json
import tarfile
import tempfile
import time
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
from PIL import Image

from benchmarks import common
from benchmarks.search.photographs import FILMS, photograph
from benchmarks.search.search import QUERIES
from storyscope.features import load_face_networks
from storyscope.library.faces import SAME_FACE

PEOPLE = {
    "tests/test_images/biden.jpg": ("Biden",),
    "tests/test_images/obama.jpg": ("Obama",),
    "tests/test_images/obama2.jpg": ("Obama",),
    "tests/test_images/obama3.jpg": ("Obama",),
    "tests/test_images/obama_partial_face.jpg": ("Obama",),
    "tests/test_images/obama_partial_face2.jpg": ("Obama",),
    "skimage/data/astronaut.png": ("Collins",),
    "skimage/data/camera.png": ("photographer",),
    "ultralytics/assets/zidane.jpg": ("coach", "player"),
}
"""Who is on each picture that shows a face large enough, from left to right."""
HEIGHT = 256


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("--archive", type=Path, required=True, help="source of face_recognition")
    parser.add_argument("--wheels", type=Path, help="wheels that were downloaded before")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks/faces.*")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        facts = measured(pictures(options.archive, options.wheels or Path(folder)))
    print(table(facts))
    if options.write:
        common.write_page("faces", facts, f"# Faces\n\n{table(facts)}\n")


def pictures(archive: Path, wheels: Path) -> Iterator[tuple[str, np.ndarray]]:
    """The name and the pixels of each picture."""
    with tarfile.open(archive) as opened:
        for member in opened:
            name = member.name.partition("/")[2]
            if name.startswith("tests/test_images/") and name.endswith(".jpg"):
                yield name, scaled(Image.open(io.BytesIO(opened.extractfile(member).read())))
    for film in FILMS:
        for package, inside in json.loads((QUERIES / f"{film}.json").read_text())["photographs"]:
            yield inside, scaled(photograph(package, inside, wheels))


def scaled(image: Image.Image) -> np.ndarray:
    size = (max(1, round(image.width * HEIGHT / image.height)), HEIGHT)
    return np.asarray(image.convert("RGB").resize(size, Image.Resampling.BICUBIC))


def measured(shown: Iterator[tuple[str, np.ndarray]]) -> dict[str, float]:
    networks = load_face_networks()
    people, found, wrong, missed = [], [], 0, 0
    count, finding, describing = 0, 0.0, 0.0
    for name, picture in shown:
        began = time.process_time()
        faces = sorted(networks.find(picture), key=lambda face: face.box[0])
        finding += time.process_time() - began
        count += 1
        wanted = PEOPLE.get(name, ())
        wrong += max(0, len(faces) - len(wanted))
        missed += max(0, len(wanted) - len(faces))
        if len(faces) == len(wanted):
            began = time.process_time()
            found += [networks.encode(picture, face) for face in faces]
            describing += time.process_time() - began
            people += wanted
    pairs = [
        (people[a] == people[b], float(found[a] @ found[b]))
        for a, b in combinations(range(len(found)), 2)
    ]
    one, two = ([cosine for same, cosine in pairs if same == which] for which in (True, False))
    return {
        "pictures": count,
        "wanted": sum(map(len, PEOPLE.values())),
        "missed": missed,
        "wrong": wrong,
        "one_person_pairs": len(one),
        "one_person_least": round(min(one), 3),
        "one_person_mean": round(float(np.mean(one)), 3),
        "two_people_pairs": len(two),
        "two_people_most": round(max(two), 3),
        "two_people_mean": round(float(np.mean(two)), 3),
        "same_face": SAME_FACE,
        "cpu_seconds_a_picture": round(finding / count, 3),
        "cpu_seconds_a_face": round(describing / len(found), 3),
    }


def table(facts: dict[str, float]) -> str:
    return "\n".join(
        [
            "| | pairs | least cosine | mean | most |",
            "| --- | ---: | ---: | ---: | ---: |",
            f"| one person | {facts['one_person_pairs']} | {facts['one_person_least']:.3f} "
            f"| {facts['one_person_mean']:.3f} | |",
            f"| two people | {facts['two_people_pairs']} | | {facts['two_people_mean']:.3f} "
            f"| {facts['two_people_most']:.3f} |",
            "",
            f"Of {facts['wanted']} faces on {facts['pictures']} pictures {facts['missed']} are "
            f"missed, and {facts['wrong']} others are found. Two groups of faces are one person "
            f"from a mean cosine of {facts['same_face']}. Finding faces takes "
            f"{facts['cpu_seconds_a_picture']:.3f} CPU-seconds a picture, describing one "
            f"{facts['cpu_seconds_a_face']:.3f}.",
            "",
            "Made by `python -m benchmarks.search.faces`.",
        ]
    )


if __name__ == "__main__":
    main()
