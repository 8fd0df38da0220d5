"""How long a person waits for results while typing into the page, on the demo's library.

    storyscope demo --folder out/demo
    python -m benchmarks.page.page_speed [--demo out/demo] [--chromium /usr/bin/chromium]

A real browser types a query; the clock runs from the last key to the moment all pictures of the
first row are there. Writes docs/benchmarks/page_speed.json and page_speed.md.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from benchmarks import common
from benchmarks.page.load import QUERIES, spread
from benchmarks.page.screenshots import served

DOCS = common.DOCS
WAIT = """async (text) => {
    const box = document.getElementById("q");
    const shown = () => document.querySelector("h1")?.textContent.includes(text)
        && [...document.querySelectorAll(".hit img")].slice(0, 4).every(image => image.complete);
    box.value = text;
    const began = performance.now();
    box.dispatchEvent(new Event("input"));
    while (!shown()) await new Promise(go => setTimeout(go, 2));
    return (performance.now() - began) / 1000;
}"""


def main() -> None:
    parser = common.options(__doc__)
    parser.add_argument("--demo", type=Path, default=Path("out/demo"), help="folder of the demo")
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--note", default="", help="a line for the report, such as a busy machine")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "library"
        shutil.copytree(wanted.demo / "library", folder)
        with served(folder) as address:
            waits = measure(address, wanted.chromium, wanted.rounds)
    write({"cores": os.cpu_count(), "note": wanted.note, "typed": spread(waits)})


def measure(address: str, chromium: str, rounds: int) -> list[float]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(address)
        page.wait_for_selector(".card")
        page.evaluate(WAIT, "warm up")
        waits = [page.evaluate(WAIT, text) for _ in range(rounds) for text in QUERIES]
        browser.close()
    return waits


def write(facts: dict) -> None:
    typed = facts["typed"]
    lines = [
        "# From the last key to the pictures",
        "",
        f"{typed['count']} queries typed into the page over the demo's library, in chromium on "
        f"{facts['cores']} cores. {facts['note']}".strip(),
        "",
        "| p50 ms | p95 ms | most |",
        "| --- | --- | --- |",
        f"| {typed['p50']} | {typed['p95']} | {typed['most']} |",
        "",
        "Made by `python -m benchmarks.page.page_speed`.",
    ]
    common.write_page("page_speed", facts, "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
