"""Take the pictures of the page that the docs show, from the demo's own library.

    storyscope demo --folder out/demo
    python benchmarks/screenshots.py [--demo out/demo] [--chromium /usr/bin/chromium]

Two made-up people mark the demo's true stories in a copy of the library, so that the pictures
show versions beside each other; the library itself is not touched.
"""

from __future__ import annotations

import argparse
import json
import shutil
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

DOCS = Path(__file__).parent.parent / "docs/images"
DESK, PHONE = {"width": 1280, "height": 860}, {"width": 360, "height": 780}
VIEWS = {
    "library": ("/", ".card img"),
    "search": ("/search?q=a+turtle+under+water", ".hit img"),
    "nothing": ("/search?q=quarterly+interest+rates", ".empty"),
    "watch": ("/watch/demo?annotator=ann&t=20", ".row"),
    "compare": ("/watch/demo?annotator=ann&t=20", ".agreement"),
}
"""Each view with its address and what must be there before the picture is taken."""

WINDOWS = (
    ("", DESK, "light", tuple(VIEWS)),
    ("-dark", DESK, "dark", ("watch", "compare", "search")),
    ("-phone", PHONE, "light", ("library", "search", "watch", "compare")),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--demo", type=Path, default=Path("out/demo"), help="folder of the demo")
    parser.add_argument("--library", type=Path, help="its library, when that lies elsewhere")
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    parser.add_argument("--output", type=Path, default=DOCS)
    wanted = parser.parse_args()
    wanted.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "library"
        shutil.copytree(wanted.library or wanted.demo / "library", folder)
        mark(folder, wanted.demo / "demo.stories.json")
        with served(folder) as address:
            take(address, wanted.chromium, wanted.output)


def mark(folder: Path, truth: Path) -> None:
    """Ann marks the true stories; Bob joins two of them and moves one boundary."""
    from storyscope import Library
    from storyscope.core import Annotation

    library = Library(folder)
    video = library.video("demo")
    facts = json.loads(truth.read_text(encoding="utf-8"))
    seconds = tuple(start / video.fps for start in facts["starts"])
    ann = Annotation("ann", seconds, video.duration)
    library.annotate("demo", ann)
    bob = Annotation("bob", seconds, video.duration).merge(2)
    library.annotate("demo", bob.move(3, bob.starts[3] + 4))


@contextmanager
def served(folder: Path) -> Iterator[str]:
    import uvicorn

    from storyscope import Library
    from storyscope.web import create_app

    door = socket.socket()
    door.bind(("127.0.0.1", 0))
    door.listen()
    server = uvicorn.Server(uvicorn.Config(create_app(Library(folder)), log_level="warning"))
    thread = threading.Thread(target=server.run, args=([door],), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{door.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


def take(address: str, chromium: str, output: Path) -> None:
    from PIL import Image
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for suffix, viewport, scheme, names in WINDOWS:
            context = browser.new_context(viewport=viewport, color_scheme=scheme)
            page = context.new_page()
            page.set_default_timeout(120_000)
            for name in names:
                path, awaited = VIEWS[name]
                page.goto(address + path)
                page.wait_for_selector(awaited)
                if name == "compare":
                    page.locator(".panel").first.scroll_into_view_if_needed()
                page.wait_for_load_state("load")
                page.evaluate(SETTLED)
                target = output / f"page-{name}{suffix}.png"
                page.screenshot(path=target)
                Image.open(target).quantize(256, dither=Image.Dither.NONE).save(
                    target, optimize=True
                )
                print(target)
            context.close()
        browser.close()


SETTLED = """() => Promise.all([
    ...[...document.images].filter(i => i.loading !== 'lazy').map(i => i.decode().catch(() => {})),
    ...[...document.querySelectorAll('.stage video')].map(v => v.readyState > 2 && !v.seeking
        ? null : new Promise(done => v.addEventListener('canplay', done, {once: true}))),
])"""
"""Every picture is decoded and the film shows its frame."""

if __name__ == "__main__":
    main()
