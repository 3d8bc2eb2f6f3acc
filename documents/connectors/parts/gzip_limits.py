"""Decompression with a limit: a few kilobytes of gzip can contain gigabytes."""

from __future__ import annotations

import gzip
import zlib
from io import BytesIO

from common.texts import translatable
from documents.connectors.base import SourceError

MAGIC = b"\x1f\x8b"


def decompressed(content: bytes, max_bytes: int) -> bytes:
    """Return gzip `content` decompressed, and other content unchanged. Raises SourceError above `max_bytes`."""
    if not content.startswith(MAGIC):
        return content
    try:
        with gzip.GzipFile(fileobj=BytesIO(content)) as compressed:
            found = compressed.read(max_bytes + 1)
    except (OSError, EOFError, zlib.error):
        raise SourceError("invalid", translatable("The server sent a compressed document that is damaged.")) from None
    if len(found) > max_bytes:
        raise SourceError(
            "too_large",
            translatable(
                "The document has more than %(max_bytes)s bytes when it is decompressed.", max_bytes=f"{max_bytes:,}"
            ),
        )
    return found
