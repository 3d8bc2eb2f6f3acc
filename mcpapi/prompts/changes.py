"""Whose list of prompts has changed, as PostgreSQL tells whoever listens: `LISTEN ownsona_prompts`.

A trigger on the table speaks when a change is committed (see memories/events/changes.py).
The payload is the user id.
"""

from __future__ import annotations

CHANNEL = "ownsona_prompts"


def user_in(payload: str) -> int:
    """The id of the person whose prompts changed."""
    return int(payload)
