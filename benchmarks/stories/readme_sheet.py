"""Makes the contact sheet in the README: eight stories of Big Buck Bunny.

    python -m benchmarks.stories.readme_sheet [--data ../shared/data] [--library FOLDER]

The film is indexed with the default settings, and eight stories are requested. The shipped model
was trained on an annotation of this film, so the picture is no evidence of accuracy.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks import common
from storyscope.library import LocalLibrary
from storyscope.report import contact_sheet

ROOT = Path(__file__).parents[2]
SHEET = ROOT / "docs/images/film-sheet.jpg"
CREDIT = "Big Buck Bunny, (c) 2008 Blender Foundation, CC BY 3.0"


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared/data")
    parser.add_argument("--library", type=Path, help="keep the index here")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        library = LocalLibrary(options.library or Path(folder) / "library")
        film = library.add(options.data / "films/big-buck-bunny.mp4").id
        found = library.findings(film, stories=library.stories(film, count=8))
        contact_sheet(found, SHEET, lines=1, credit=CREDIT)


if __name__ == "__main__":
    main()
