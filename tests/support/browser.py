"""The browser of this machine for tests and screenshots."""

from __future__ import annotations

import shutil

# The headless shell has no window of its own to draw, and needs two thirds of the time.
PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def find_chromium() -> str | None:
    """Return the path of an installed Chromium; None if there is none."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)
