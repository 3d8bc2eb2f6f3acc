"""Tags in one text, as people and models write them."""

from __future__ import annotations

import re

_SEPARATOR = re.compile(r"[,;\n，；、]")


def split_tags(text: str) -> list[str]:
    """Return the tags in a text, which are separated by commas, semicolons or line breaks: no tag has one in it."""
    return [tag.strip() for tag in _SEPARATOR.split(text) if tag.strip()]
