"""Short names in ASCII for what people have typed."""

from __future__ import annotations

from typing import Final

from django.utils.text import slugify

_LETTERS: Final = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss", "ẞ": "SS"}
    | {"æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L"}
)
"""Letters of which Django keeps only a part ("buro" for Büro), or nothing ("strae" for Straße)."""


def slug_of(typed: str) -> str:
    """Return a text in lower-case letters, digits, hyphens and underscores: "buero-hilfe" for "Büro Hilfe"."""
    return slugify(typed.translate(_LETTERS))
