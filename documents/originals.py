"""Originals: the bytes of files, in the database, so that one backup has everything.

Why not in files: docs/decisions/documents.md.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import IO

from django.db import transaction

from documents.models import Original, OriginalPart

PART_BYTES = 1 << 20
"""Size of a part. One part at a time is in memory."""


def store_original(owner_id: int, file: IO[bytes]) -> Original:
    """Store the bytes of a seekable file, unless the owner has the same bytes already, and return their row."""
    hashed = hashlib.sha256()
    size_bytes = 0
    for part in _parts(file):
        hashed.update(part)
        size_bytes += len(part)
    with transaction.atomic():
        original, is_new = Original.objects.get_or_create(
            owner_id=owner_id, content_hash=hashed.digest(), defaults={"size_bytes": size_bytes}
        )
        if is_new:
            for number, part in enumerate(_parts(file)):
                OriginalPart.objects.create(original=original, number=number, content=part)
    return original


def read_original(original: Original) -> Iterator[bytes]:
    """Yield the bytes of an original in order, part by part. One query per part."""
    for number in range(-(-original.size_bytes // PART_BYTES)):
        yield bytes(OriginalPart.objects.values_list("content", flat=True).get(original=original, number=number))


def delete_unused_originals(owner_id: int) -> None:
    """Delete the owner's originals that no version has any more."""
    Original.objects.filter(owner_id=owner_id, versions=None).delete()


def _parts(file: IO[bytes]) -> Iterator[bytes]:
    file.seek(0)
    while part := file.read(PART_BYTES):
        yield part
