"""Ids of documents in URLs."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from django.http import Http404


def given_uuid(value: str) -> uuid.UUID:
    """Parse the id of a document. Raises Http404 for a value that no page can have sent."""
    try:
        return uuid.UUID(value)
    except ValueError:
        raise Http404 from None


def given_uuids(value: str, most: int) -> Sequence[uuid.UUID]:
    """Parse ids separated by commas. Raises Http404 for values that no page can have sent, and for more than `most`."""
    parts = value.split(",")
    if len(parts) > most:
        raise Http404
    return list(dict.fromkeys(map(given_uuid, parts)))
