"""Takes the screenshots for the docs: every view, in both themes and both sizes.

    storyscope demo --folder out/demo
    python -m benchmarks.page.screenshots
    storyscope add --library out/film big-buck-bunny.mp4
    python -m benchmarks.page.screenshots --library out/film --video big-buck-bunny \\
        --query rabbit --seconds 95 --prefix film

Two fictional people edit the video in a copy of the library, so that the screenshots show several
versions; the library itself is not changed. `--video` selects any video of the library.
"""

from __future__ import annotations

import argparse
import io
import shutil
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks import common

CHROMIUM = shutil.which("chromium-headless-shell") or "/usr/bin/chromium"
DOCS = Path(__file__).parents[2] / "docs/images"
DESK, PHONE = {"width": 1280, "height": 860}, {"width": 360, "height": 780}
VIEWS = {
    "library": ("/", ".card img", None),
    "search": ("/search?q={query}", ".hit img", None),
    "nothing": ("/search?q=quarterly+interest+rates", ".empty", None),
    "watch": ("/watch/{video}?t={seconds}", ".why:not([hidden])", None),
    "transcript": ("/watch/{video}?t={seconds}&q={query}", ".why:not([hidden])", "transcript"),
    "edit": ("/watch/{video}?t={seconds}&edit=1", ".wave[width]", "edit"),
    "compare": ("/watch/{video}?t={seconds}&compare=1", ".version-row", None),
    "export": ("/watch/{video}", ".story", "export"),
    "keys": ("/", ".card img", "keys"),
    "learn": ("/learn", ".panel", None),
    "missing": ("/watch/nothing-here", ".empty", None),
    "api": ("/api/docs", ".opblock-summary", None),
    "first": ("/", ".first-run", "empty library"),
}
"""Each view with its address, a selector that must appear, and what is done before."""

WINDOWS = (
    ("", DESK, "light"),
    ("-dark", DESK, "dark"),
    ("-phone", PHONE, "light"),
    ("-phone-dark", PHONE, "dark"),
)
QUALITY = 84
PATIENCE, SETTLING, FADING = 120_000, 10_000, 800
"""Milliseconds to wait for what must appear, for what may, and for what fades out."""


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("--library", type=Path, default=Path("out/demo/library"))
    parser.add_argument("--video", default="demo", help="id of the video that is shown")
    parser.add_argument("--query", default="mountains", help="what is searched for")
    parser.add_argument("--seconds", type=int, default=20, help="where the video stands")
    parser.add_argument("--prefix", default="page", help="how the names of the files begin")
    parser.add_argument("--chromium", default=CHROMIUM)
    parser.add_argument("--only", nargs="*", choices=VIEWS, help="views to take; all by default")
    parser.add_argument("--output", type=Path, default=DOCS)
    wanted = parser.parse_args()
    wanted.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "library"
        shutil.copytree(wanted.library, folder)
        mark(folder, wanted.video)
        with served(folder) as address, served(Path(scratch) / "new") as empty:
            take(address, empty, wanted)


def mark(folder: Path, name: str) -> None:
    """Ann splits a story and moves a boundary; Bob joins two stories."""
    from storyscope import Library

    library = Library(folder)
    ann = library.version(name, "ann")
    first, second, third = ann.starts[:3]
    library.annotate(name, ann.move(1, (first + second) / 2).split((second + third) / 2))
    library.annotate(name, library.version(name, "bob").merge(2))


@contextmanager
def served(folder: Path) -> Iterator[str]:
    import uvicorn

    from storyscope import Library
    from storyscope.web import create_app

    door = socket.socket()
    door.bind(("127.0.0.1", 0))
    door.listen()
    config = uvicorn.Config(
        create_app(Library(folder)), log_level="warning", timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([door],), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{door.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(timeout=10)


def take(address: str, empty: str, wanted: argparse.Namespace) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=wanted.chromium, args=["--no-sandbox"])
        for suffix, viewport, scheme in WINDOWS:
            touch = viewport is PHONE
            context = browser.new_context(
                viewport=viewport, color_scheme=scheme, has_touch=touch, is_mobile=touch
            )
            page = context.new_page()
            page.set_default_timeout(PATIENCE)
            for name in wanted.only or VIEWS:
                path, awaited, act = VIEWS[name]
                where = path.format(**vars(wanted))
                page.goto((empty if act == "empty library" else address) + where)
                page.wait_for_selector(awaited)
                prepare(page, act)
                page.wait_for_load_state("load")
                page.evaluate(SETTLED)
                page.wait_for_timeout(FADING)
                target = wanted.output / f"{wanted.prefix}-{name}{suffix}.webp"
                keep(page.screenshot(), target)
                # A draft of one view must not show up in the next.
                page.evaluate("localStorage.clear()")
                print(target)
            context.close()
        browser.close()


def keep(picture: bytes, target: Path) -> None:
    """Write a screenshot with the smallest file size at which text stays sharp."""
    from PIL import Image

    with Image.open(io.BytesIO(picture)) as image:
        image.convert("RGB").save(target, quality=QUALITY, method=6)


def prepare(page: Any, act: str | None) -> None:
    """Bring the page into the state that the screenshot shows."""
    if act == "transcript":
        page.get_by_role("tab", name="Transcript").click()
    elif act == "edit":
        # Make a draft, so that Undo and Save are enabled.
        page.keyboard.press("l")
        page.keyboard.press("s")
        page.wait_for_selector("#toast.on")
        page.evaluate("document.getElementById('toast').classList.remove('on')")
    elif act == "keys":
        # Phones have no button for the shortcuts, but a keyboard may be connected.
        page.keyboard.press("?")
        page.wait_for_selector("dialog .keys")
    elif act == "export":
        page.get_by_role("button", name="Export").click()
        page.wait_for_selector("dialog textarea")


SETTLED = f"""async () => {{
    const end = performance.now() + {SETTLING};
    const ready = () => [...document.images].every(i => i.loading === 'lazy' || i.complete)
        && [...document.querySelectorAll('video')].every(v => v.readyState > 0 && !v.seeking);
    while (!ready() && performance.now() < end) await new Promise(go => setTimeout(go, 50));
}}"""
"""Waits until all pictures are loaded and the video shows its frame."""

if __name__ == "__main__":
    main()
