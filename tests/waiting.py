"""Patience with work that goes on elsewhere."""

import time


def wait_until(condition, *, patience=120.0):
    """Wait for a condition to hold; a busy machine is slow, not wrong."""
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.05)
