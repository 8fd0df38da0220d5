"""Take the pictures of the page that the docs show, from the demo's own library.

    storyscope demo --folder out/demo
    python -m benchmarks.page.screenshots [--demo out/demo] [--chromium /usr/bin/chromium]

Two made-up people mark the demo's true stories in a copy of the library, so that the pictures
show versions beside each other; the library itself is not touched.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[2] / "docs/images"
DESK, PHONE = {"width": 1280, "height": 860}, {"width": 360, "height": 780}
VIEWS = {
    "library": ("/", ".card img", None),
    "search": ("/search?q=mountains", ".hit img", None),
    "nothing": ("/search?q=quarterly+interest+rates", ".empty", None),
    "watch": ("/watch/demo?t=20", ".why:not([hidden])", None),
    "why": ("/watch/demo?t=20", ".why:not([hidden])", "why"),
    "compare": ("/watch/demo?annotator=ann&t=20&baselines=1", ".row.baseline", ".versions-panel"),
    "learn": ("/watch/demo?annotator=ann&t=20", ".agreement", "learn"),
}
"""Each view with its address, what must be there, and what is done or scrolled to before."""

WINDOWS = (
    ("", DESK, "light", tuple(VIEWS)),
    ("-dark", DESK, "dark", ("library", "search", "watch", "why", "compare", "learn")),
    ("-phone", PHONE, "light", ("library", "search", "watch", "compare")),
)
PATIENCE, SETTLING, FADING = 120_000, 10_000, 800
"""Milliseconds for what must come, for what may, and for what fades away."""


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
            page.set_default_timeout(PATIENCE)
            for name in names:
                path, awaited, act = VIEWS[name]
                page.goto(address + path)
                page.wait_for_selector(awaited)
                prepare(page, act)
                page.wait_for_load_state("load")
                page.evaluate(SETTLED)
                page.wait_for_timeout(FADING)
                target = output / f"page-{name}{suffix}.png"
                page.screenshot(path=target)
                Image.open(target).quantize(256, dither=Image.Dither.NONE).save(
                    target, optimize=True
                )
                print(target)
            context.close()
        browser.close()


def prepare(page: Any, act: str | None) -> None:
    """Do what the picture is to show."""
    if act == "why":
        page.get_by_role("slider", name="Start of story 2").hover()
        page.wait_for_selector(".told-why.on")
    elif act == "learn":
        page.get_by_role("button", name=re.compile("^Learn")).wait_for()
        if not page.locator(".scores").count():
            page.get_by_role("button", name=re.compile("^Learn")).click()
        page.wait_for_selector(".scores")
        act = ".scores"
    if act and act.startswith("."):
        # Below the bar that stays on top.
        page.locator(act).evaluate("e => scrollBy(0, e.getBoundingClientRect().top - 140)")


SETTLED = f"""async () => {{
    const end = performance.now() + {SETTLING};
    const ready = () => [...document.images].every(i => i.loading === 'lazy' || i.complete)
        && [...document.querySelectorAll('video')].every(v => v.readyState > 2 && !v.seeking);
    while (!ready() && performance.now() < end) await new Promise(go => setTimeout(go, 50));
}}"""
"""Every picture is there and the film shows its frame."""

if __name__ == "__main__":
    main()
