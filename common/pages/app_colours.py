"""The colours of apps, in their letters and in charts."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping

COLOURS = ("c1", "c2", "c3", "c4", "c5", "c7")
"""Classes of shell.css. The grey one, c6, is that of what belongs to no app."""

GREY = "c6"


def app_colour(name: str) -> str:
    """Return the class of the colour of an app. It stays the same."""
    return COLOURS[_place(name)]


def distinct_colours(names: Iterable[str]) -> Mapping[str, str]:
    """Return the class of the colour of each app, at most len(COLOURS).

    If several have the same one, the first by name keeps it, and the others get free ones: a chart must tell them
    apart.
    """
    ordered = sorted(names, key=str.casefold)
    owners: dict[str, str] = {}
    for name in ordered:
        owners.setdefault(app_colour(name), name)
    free = [colour for colour in COLOURS if colour not in owners]
    taken = {name: colour for colour, name in owners.items()}
    return {name: taken[name] if name in taken else free.pop(0) for name in ordered}


def _place(name: str) -> int:
    return zlib.crc32(name.casefold().encode()) % len(COLOURS)
