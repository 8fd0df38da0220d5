"""The page in a real browser: what its tests share."""

CHROMIUM = "/usr/bin/chromium"
SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--no-first-run",
]
PATIENCE = 120_000
"""Milliseconds a condition may take on a busy machine; a quick one does not wait."""


def starts(page):
    """Where the page lays the stories, in parts of the film."""
    lefts = page.locator(".rail .strip button").evaluate_all("all => all.map(b => b.style.left)")
    return [float(left.rstrip("%")) / 100 for left in lefts]


def until(page, condition):
    """Wait for a condition of the page; Playwright's own waiting would break the page's policy."""
    page.evaluate(
        f"""() => new Promise((done, fail) => {{
            const end = performance.now() + {PATIENCE};
            const look = () => ({condition}) ? done()
                : performance.now() > end ? fail(new Error("never came")) : setTimeout(look, 20);
            look();
        }})"""
    )


def wait_for_stories(page, count):
    until(page, f"document.querySelectorAll('.rail .strip button').length === {count}")
