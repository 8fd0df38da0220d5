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
    """Wait until the list beside the player shows so many stories."""
    until(page, f"document.querySelectorAll('.stories .story').length === {count}")


def starts(page):
    """Where the editing timeline lays the stories, in parts of the video."""
    lefts = page.locator(".blocks .block").evaluate_all("all => all.map(b => b.style.left)")
    return [float(left.rstrip("%")) / 100 for left in lefts]


def dial(page, value):
    """Turn "Fewer / More stories" to a value, as a person does with one movement."""
    page.get_by_label("Fewer or more stories").evaluate(
        f"d => {{ d.value = {value}; d.dispatchEvent(new Event('input')); "
        "d.dispatchEvent(new Event('change')); }"
    )


def sign_in(page, name="cat"):
    """Be somebody: the name is asked for once, and kept by the browser."""
    page.evaluate(f"localStorage.setItem('name', JSON.stringify('{name}'))")


def save(page, name="cat"):
    """Save the draft under a name that was given before."""
    sign_in(page, name)
    page.get_by_role("button", name="Save version").click()
    page.wait_for_selector("#toast.on")
