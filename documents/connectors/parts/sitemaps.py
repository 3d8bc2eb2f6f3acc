"""Sitemaps and indexes of sitemaps (https://www.sitemaps.org/protocol.html)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from io import BytesIO
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import iterparse

from common.texts import translatable
from documents.connectors.base import SourceError

# The protocol allows 50 MB, uncompressed.
MAX_BYTES = 52_428_800
MAX_VALUE_CHARS = 4000


@dataclass(frozen=True, slots=True)
class SitemapEntry:
    """A URL as the sitemap states it, and when it was last modified."""

    url: str
    last_modified: str = ""


def entries(content: bytes) -> Iterator[SitemapEntry]:
    """Yield the entries of a sitemap or an index of sitemaps. Raises SourceError if it is not valid."""
    try:
        namespace: str | None = None
        for event, element in iterparse(BytesIO(content), events=("start", "end"), forbid_dtd=True):
            # Elements of extensions, such as image:loc, have another namespace than the root.
            if namespace is None:
                namespace = element.tag.rpartition("}")[0] + "}" if "}" in element.tag else ""
            if event == "end" and element.tag in {f"{namespace}url", f"{namespace}sitemap"}:
                if url := _value(element, f"{namespace}loc"):
                    yield SitemapEntry(url, _value(element, f"{namespace}lastmod"))
                element.clear()
    except (ParseError, DefusedXmlException, ValueError, LookupError):
        raise SourceError(
            "invalid", translatable("The sitemap is not valid XML, or it contains a document type.")
        ) from None


def is_settled(last_modified: str, now: datetime) -> bool:
    """Return whether a time of modification is at least a day ago.

    Many sitemaps state only the date, so a page with today's date can change again without a visible difference.
    """
    try:
        stated = datetime.fromisoformat(last_modified)
    except ValueError:
        return False
    aware = stated if stated.tzinfo else stated.replace(tzinfo=UTC)
    # One day for the date, and one for time zones.
    return now - aware > timedelta(days=2)


def _value(element: Element, name: str) -> str:
    return (element.findtext(name) or "").strip()[:MAX_VALUE_CHARS]
