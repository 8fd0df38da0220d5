"""Helpers for tests of the page in a real browser."""

import os
import shutil
import signal
import threading
from contextlib import contextmanager, suppress
from pathlib import Path

CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
"""Where there is one, the Chromium without windows: it opens a page in half the time."""
SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--no-first-run",
]
PATIENCE = 60_000
"""Milliseconds a condition may take on a busy machine; a quick one does not wait."""
TEST_SECONDS = 180
"""After so long a test's browser is killed: whatever still waits for it fails, and says so."""
DESK = {"width": 1200, "height": 900}
FORGET = "sessionStorage.opened ??= (localStorage.clear(), 1)"
"""Runs first in every page: clears the local storage of earlier tests, once per window."""


class Chromium:
    """One browser per test file: pages share a cache but no cookies and no local storage."""

    def __init__(self, play):
        self._play, self._browser, self._contexts = play, None, {}

    def open(self, address, *, failures, viewport=DESK, color_scheme="light", **device):
        """Open a new page at an address; script errors are appended to `failures`."""
        context = self._context(viewport, device)
        context.clear_cookies()
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.set_viewport_size(viewport)
        page.emulate_media(color_scheme=color_scheme)
        page.add_init_script(FORGET)
        page.on("pageerror", lambda error: failures.append(str(error)))
        page.goto(address, wait_until="domcontentloaded")
        return page

    def close(self):
        if self._browser is not None:
            self._browser.close()

    def _context(self, viewport, device):
        if self._browser is None or not self._browser.is_connected():
            self._browser = self._play.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
            self._contexts = {}
        key = tuple(sorted(device.items()))
        if key not in self._contexts:
            self._contexts[key] = self._browser.new_context(viewport=viewport, **device)
        return self._contexts[key]


@contextmanager
def killing_browsers_after(seconds):
    """Kill this process's browsers if the block takes too long, so that a hanging call fails."""
    timer = threading.Timer(seconds, _kill_browsers)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _kill_browsers():
    waiting = [os.getpid()]
    while waiting:
        for listed in Path(f"/proc/{waiting.pop()}/task").glob("*/children"):
            with suppress(OSError):
                waiting += map(int, listed.read_text().split())
        for pid in list(waiting):
            with suppress(OSError):
                if Path(f"/proc/{pid}/comm").read_text().startswith("chrom"):
                    os.kill(pid, signal.SIGKILL)


def until(page, condition):
    """Wait for a condition; Playwright's own waiting violates the Content Security Policy."""
    page.evaluate(
        f"""() => new Promise((done, fail) => {{
            const end = performance.now() + {PATIENCE};
            const look = () => ({condition}) ? done()
                : performance.now() > end ? fail(new Error("never came")) : setTimeout(look, 20);
            look();
        }})"""
    )


def wait_for_stories(page, count):
    """Wait until the story list shows this many stories."""
    until(page, f"document.querySelectorAll('.stories .story').length === {count}")


def starts(page):
    """The starts of the stories on the editing timeline, as fractions of the video."""
    lefts = page.locator(".blocks .block").evaluate_all("all => all.map(b => b.style.left)")
    return [float(left.rstrip("%")) / 100 for left in lefts]


def dial(page, value):
    """Move the slider "Fewer / More stories" to a value in one drag."""
    page.get_by_label("Fewer or more stories").evaluate(
        f"d => {{ d.value = {value}; d.dispatchEvent(new Event('input')); "
        "d.dispatchEvent(new Event('change')); }"
    )


def sign_in(page, name="cat"):
    """Set the person's name, which the browser keeps."""
    page.evaluate(f"localStorage.setItem('name', JSON.stringify('{name}'))")


def save(page, name="cat"):
    """Save the draft under the name that was set before."""
    sign_in(page, name)
    page.get_by_role("button", name="Save version").click()
    page.wait_for_selector("#toast.on")


def barriers(page):
    """Accessibility violations of the page, as found by axe in both themes."""
    from axe_playwright_python.sync_playwright import Axe

    axe = Axe()
    found = axe.run(page).response["violations"]
    page.emulate_media(color_scheme="dark")
    # Only the contrast rule depends on the theme.
    found += axe.run(page, options={"runOnly": ["color-contrast"]}).response["violations"]
    return [f"{each['id']}: {node['html']}" for each in found for node in each["nodes"]]
