"""Ids of memories in forms, with a digest of the text that the page has shown.

A button must not act on a text that the owner has not seen. The digest is part of the value, because a list has
hundreds of memories, and a form may have a limited number of fields.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from django.http import Http404

from memories.admin.base import given_id
from memories.models import Memory
from memories.writing.seen_values import text_digest

_DIGEST = re.compile(r"[0-9a-f]{16}")


def seen_id(memory: Memory) -> str:
    """Return the value of a field for `memory` on a page that shows its text."""
    return f"{memory.pk}-{text_digest(memory.text)}"


def id_of(value: str) -> int:
    """Return the id in a value of `seen_id`, or a plain id. Raises Http404 for a value that no page can have sent."""
    return given_id(value.partition("-")[0])


def seen_texts(values: Iterable[str]) -> dict[int, str]:
    """Return the digests in values of `seen_id`. Plain ids have none. Raises Http404 as `id_of` does."""
    digests: dict[int, str] = {}
    for value in values:
        number, is_seen, digest = value.partition("-")
        if is_seen:
            if not _DIGEST.fullmatch(digest):
                raise Http404
            digests[given_id(number)] = digest
    return digests
