"""Speed of the page: first paint, typing, the slider, size of each view, and key presses.

    storyscope demo --folder out/demo
    python -m benchmarks.page.page_speed [--demo out/demo] [--shots 500] [--note "quiet machine"]

A real browser opens each view of the demo's library twice: with an empty cache, counting requests
and bytes, and again with a warm one. Searching is timed from the last key press until all pictures
of the first row are loaded. On a generated film of 500 shots the slider Fewer / More stories is
moved, and timed until the new stories are painted, and until they have their titles and pictures.
Finally, keys are pressed until each tool has the focus. Writes docs/benchmarks/page_speed.json and
page_speed.md.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import common
from benchmarks.page.load import QUERIES, spread
from benchmarks.page.many_shots import paint
from benchmarks.page.screenshots import CHROMIUM, served

VIEWS = {
    "Library": ("/", ".card img"),
    "Search": ("/search?q=mountains", ".hit img"),
    "Watch": ("/watch/demo", ".story img"),
    "Edit": ("/watch/demo?edit=1", ".wave[width]"),
    "Compare": ("/watch/demo?compare=1", ".compare"),
    "Learn": ("/learn", ".panel"),
    "API reference": ("/api/docs", ".opblock-summary"),
}
"""Each view with its address and a selector that must appear."""
TOOLS = {
    "/": ("Search stories", "Filter by title", "Sort by", "Upload", "Learn"),
    "/search?q=mountains": ("Search stories", "Found by", "More like this"),
    "/watch/demo": ("Edit", "Compare", "Export", "Copy link", "Play", "Version", "Stories"),
    "/watch/demo?edit=1": (
        "Split",
        "Join",
        "Undo",
        "Save version",
        "Done",
        "Start of story 2",
        "Title of story 1",
        "Use the shot",
        "Zoom",
    ),
}
"""The tools of each view, by the beginning of their accessible names."""
TO_CONTENT = ("Tab", "Enter")
WAYS = ((), TO_CONTENT, (*TO_CONTENT, "Tab", "Enter"), (*TO_CONTENT, "Tab", "Tab", "Enter"))
"""Where people start: at the top, or at one of the skip links."""
GROUPS = {
    "[role=toolbar]": "ArrowRight",
    ".stories": "ArrowDown",
    ".lines": "ArrowDown",
    ".film": "ArrowRight",
    ".grips": "PageDown",
}
"""Groups that are one Tab stop, with the key that moves inside the group."""
MOST_STOPS, MOST_STEPS = 60, 12
SETTINGS = [0.1, 0.9, 0.3, 0.7, 0.5, 1, 0, 0.6, 0.2, 0.8]
"""The positions to which the slider is moved, in order."""
TYPED = """async (text) => {
    const box = document.getElementById("q");
    const shown = () => document.querySelector("h1")?.textContent.includes(text)
        && [...document.querySelectorAll(".hit img")].slice(0, 4).every(image => image.complete);
    box.value = text;
    const began = performance.now();
    box.dispatchEvent(new Event("input"));
    while (!shown()) await new Promise(go => setTimeout(go, 2));
    return (performance.now() - began) / 1000;
}"""
MOVED = """async (value) => {
    const dial = document.querySelector(".dial input");
    const shown = () => document.querySelector(".heading").textContent;
    const painted = () => new Promise(go => requestAnimationFrame(() => setTimeout(go)));
    const patience = (began) => {
        if (performance.now() - began > 30000) throw new Error("no other stories came");
        return new Promise(go => setTimeout(go, 1));
    };
    const before = shown();
    dial.value = value;
    const began = performance.now();
    dial.dispatchEvent(new Event("input"));
    dial.dispatchEvent(new Event("change"));
    while (shown() === before) await patience(began);
    await painted();
    const redrawn = performance.now() - began;
    while (document.querySelector(".stories").ariaBusy === "true") await patience(began);
    await painted();
    return [redrawn / 1000, (performance.now() - began) / 1000];
}"""
PAINTED = """() => performance.getEntriesByType("paint")
    .find(each => each.name === "first-contentful-paint")?.startTime ?? null"""
FOCUSED = """() => {
    const here = document.activeElement;
    const label = here.labels?.[0]?.textContent;
    return here.getAttribute("aria-label") || label || here.textContent.trim() || here.tagName;
}"""


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument(
        "--demo", type=Path, default=Path("out/demo"), help="folder with the demo library"
    )
    parser.add_argument("--chromium", default=CHROMIUM)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument(
        "--shots", type=int, default=500, help="number of shots of the film for the slider"
    )
    parser.add_argument(
        "--many", type=Path, default=Path("out/many"), help="folder to keep that film in"
    )
    parser.add_argument("--note", default="", help="a remark for the report, such as quiet machine")
    wanted = parser.parse_args()
    facts: dict[str, Any] = {"cores": os.cpu_count(), "note": wanted.note}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "library"
        shutil.copytree(wanted.demo / "library", folder)
        facts["shots"] = index_many(wanted.many, wanted.shots)
        with served(folder) as demo, served(wanted.many) as long:
            facts |= measure(demo, long, wanted.chromium, wanted.rounds)
    write(facts)


def index_many(folder: Path, shots: int) -> int:
    """Index a film of many shots, unless it is already there; return the number of shots found."""
    from storyscope import Library

    film = folder / "many.mp4"
    library = Library(folder)
    if not film.exists():
        paint(film, shots=shots)
    # Speech recognition and image search do not affect the slider.
    library.keep_settings(["transcripts.speech=off", "search.image_text=off"])
    library.add(film)
    return len(library.shots("many"))


def measure(demo: str, long: str, chromium: str, rounds: int) -> dict[str, Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(demo)
        page.wait_for_selector(".card")
        page.evaluate(TYPED, "warm up")
        typed = [page.evaluate(TYPED, text) for _ in range(rounds) for text in QUERIES]
        page.goto(f"{long}/watch/many")
        page.wait_for_selector(".story")
        page.wait_for_timeout(2000)
        page.evaluate(MOVED, 0.4)
        moved = [page.evaluate(MOVED, value) for _ in range(rounds) for value in SETTINGS]
        redrawn, named = zip(*moved, strict=True)
        views = {
            name: weigh(browser, demo + path, awaited, rounds)
            for name, (path, awaited) in VIEWS.items()
        }
        keys = {path: key_presses(browser, demo + path, tools) for path, tools in TOOLS.items()}
        browser.close()
    return {
        "typed": spread(typed),
        "slider": spread(redrawn),
        "slider_named": spread(named),
        "views": views,
        "keys": keys,
    }


def weigh(browser: Any, address: str, awaited: str, rounds: int) -> dict[str, float]:
    """Requests, bytes and first paint of a view with an empty cache, and first paint again."""
    opened = [open_twice(browser, address, awaited) for _ in range(rounds)]
    return {
        "first_paint_ms": round(median(each["cold"] for each in opened)),
        "again_ms": round(median(each["warm"] for each in opened)),
        "requests": round(median(len(each["arrived"]) for each in opened)),
        "kilobytes": round(median(sum(each["arrived"]) for each in opened) / 1000),
    }


def open_twice(browser: Any, address: str, awaited: str) -> dict[str, Any]:
    """First paint with an empty cache, bytes of each response, and first paint again."""
    context = browser.new_context(viewport={"width": 1280, "height": 860})
    page = context.new_page()
    network = context.new_cdp_session(page)
    network.send("Network.enable")
    arrived: list[float] = []
    network.on("Network.loadingFinished", lambda each: arrived.append(each["encodedDataLength"]))
    open_view(page, address, awaited)
    cold, first = page.evaluate(PAINTED), list(arrived)
    open_view(page, address, awaited)
    warm = page.evaluate(PAINTED)
    context.close()
    return {"cold": cold, "arrived": first, "warm": warm}


def open_view(page: Any, address: str, awaited: str) -> None:
    page.goto(address)
    page.wait_for_selector(awaited)
    page.wait_for_timeout(500)


def key_presses(browser: Any, address: str, tools: tuple[str, ...]) -> dict[str, int | None]:
    """The number of key presses from the top of the page until each tool has the focus."""
    fewest: dict[str, int | None] = dict.fromkeys(tools)
    for way in WAYS:
        page = browser.new_page(viewport={"width": 1280, "height": 860})
        open_view(page, address, "main *")
        if "edit=1" in address:
            # Undo and Save are only enabled after a change.
            page.keyboard.press("l")
            page.keyboard.press("s")
            page.wait_for_selector("#toast.on")
            page.evaluate("document.activeElement.blur()")
        for key in way:
            page.keyboard.press(key)
        for count, label in labels_on_the_way(page, len(way)):
            for tool in tools:
                if label.startswith(tool):
                    fewest[tool] = min(count, fewest[tool] or count)
        page.close()
    return fewest


def labels_on_the_way(page: Any, count: int) -> Iterator[tuple[int, str]]:
    """The label of the focused element after each key: Tab, or arrow keys inside a group."""
    yield count, page.evaluate(FOCUSED)
    for stop in range(count + 1, count + MOST_STOPS):
        page.keyboard.press("Tab")
        yield stop, page.evaluate(FOCUSED)
        here = page.evaluate_handle("document.activeElement")
        for group, key in GROUPS.items():
            if not page.evaluate("(group) => !!document.activeElement.closest(group)", group):
                continue
            for step in range(1, MOST_STEPS):
                page.keyboard.press(key)
                yield stop + step, page.evaluate(FOCUSED)
            here.evaluate("element => element.focus()")


def write(facts: dict[str, Any]) -> None:
    waits = {
        "last key to the pictures": facts["typed"],
        f"slider to new stories, {facts['shots']} shots": facts["slider"],
        "slider to their titles and pictures": facts["slider_named"],
    }
    lines = [
        "# Speed of the page",
        "",
        f"In Chromium on {facts['cores']} cores, server and browser on one machine. "
        f"{facts['note']}".strip(),
        "",
        "| milliseconds | count | p50 | p95 | max |",
        "| --- | --- | --- | --- | --- |",
        *(
            f"| {name} | {wait['count']} | {wait['p50']} | {wait['p95']} | {wait['most']} |"
            for name, wait in waits.items()
        ),
        "",
        "First contentful paint is the median; requests and bytes are counted with an "
        "empty cache, including pictures and the beginning of the video.",
        "",
        "| view | first paint ms | again ms | requests | kB |",
        "| --- | --- | --- | --- | --- |",
        *(
            f"| {name} | {view['first_paint_ms']} | {view['again_ms']} | {view['requests']} "
            f"| {view['kilobytes']} |"
            for name, view in facts["views"].items()
        ),
        "",
        "Key presses from the top of a view until a tool has the focus, using skip links, and "
        "arrow keys inside toolbars and lists:",
        "",
        "| view | tools |",
        "| --- | --- |",
        *(
            f"| `{path}` | {', '.join(f'{tool} {count}' for tool, count in stops.items())} |"
            for path, stops in facts["keys"].items()
        ),
        "",
        "Made by `python -m benchmarks.page.page_speed`.",
    ]
    common.write_page("page_speed", facts, "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
