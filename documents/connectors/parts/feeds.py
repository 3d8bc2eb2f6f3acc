"""Entries of feeds: RSS (0.9 to 2.0), Atom (RFC 4287) and JSON Feed (https://www.jsonfeed.org/version/1.1/)."""

from __future__ import annotations

import hashlib
from calendar import timegm
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from xml.sax import SAXParseException

import feedparser
from pydantic import BaseModel, ValidationError

from common.texts import translatable
from documents.connectors.base import SourceError
from documents.connectors.parts.web_documents import DocumentKind, kind_of

# feedparser needs about 0.3 seconds per megabyte.
MAX_BYTES = 10_000_000
MAX_ID_CHARS = 200
INVALID = translatable("The feed is not valid.")
MALFORMED = translatable("The feed is not well-formed XML, or was cut off. Entries may be missing.")


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """An entry: the URL of its page, or its own content in HTML or text if it has no page."""

    identity: str
    title: str
    link: str = ""
    content: str = ""
    is_html: bool = True
    modified_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Feed:
    """The entries on one page of a feed, and the URL of the next page with older entries.

    `is_malformed`: it is not well-formed XML, or was cut off, so that entries may be missing.
    """

    entries: list[FeedEntry]
    next_url: str = ""
    is_malformed: bool = False


class _JsonItem(BaseModel):
    id: str | int | float = ""
    url: str = ""
    title: str | None = ""
    content_html: str | None = None
    content_text: str | None = None
    date_modified: datetime | None = None
    date_published: datetime | None = None


class _JsonFeed(BaseModel):
    items: list[_JsonItem]
    next_url: str = ""


def parse(content: bytes, url: str, content_type: str) -> Feed:
    """Parse a feed from `url`. Raises SourceError if it is not a feed, or too large."""
    if len(content) > MAX_BYTES:
        raise SourceError(
            "too_large", translatable("The feed has more than %(max_bytes)s bytes.", max_bytes=f"{MAX_BYTES:,}")
        )
    if kind_of(content) is DocumentKind.JSON_FEED:
        return _parse_json_feed(content)
    return _parse_xml_feed(content, url, content_type)


def _parse_json_feed(content: bytes) -> Feed:
    try:
        feed = _JsonFeed.model_validate_json(content)
    except ValidationError:
        raise SourceError("invalid", INVALID) from None
    return Feed([_json_entry(item) for item in feed.items], feed.next_url)


def _parse_xml_feed(content: bytes, url: str, content_type: str) -> Feed:
    """Parse an RSS or Atom feed. Errors of XML that other readers tolerate are tolerated.

    feedparser removes declarations of entities, so none is expanded.
    """
    headers = {"content-location": url, "content-type": content_type or "application/xml"}
    parsed: Any = feedparser.parse(content, response_headers=headers, sanitize_html=False)
    if not parsed.version and not parsed.entries:
        raise SourceError("invalid", INVALID)
    links = parsed.feed.get("links", [])
    # RFC 5005, section 3
    next_url = next((str(link.get("href", "")) for link in links if link.get("rel") == "next"), "")
    is_malformed = isinstance(parsed.get("bozo_exception"), SAXParseException)
    return Feed([_entry(entry) for entry in parsed.entries], next_url, is_malformed)


def _entry(entry: Any) -> FeedEntry:
    contents = entry.get("content") or [{"value": entry.get("summary", ""), "type": "text/html"}]
    content = str(contents[0].get("value", ""))
    stated = entry.get("updated_parsed") or entry.get("published_parsed")
    title = str(entry.get("title", ""))
    return FeedEntry(
        identity=_identity(str(entry.get("id", "")), title, content),
        title=title,
        link=str(entry.get("link", "")),
        content=content,
        is_html=contents[0].get("type") != "text/plain",
        modified_at=_time(stated),
    )


def _json_entry(item: _JsonItem) -> FeedEntry:
    is_html = item.content_html is not None
    content = item.content_html or item.content_text or ""
    stated = item.date_modified or item.date_published
    return FeedEntry(
        identity=_identity(str(item.id), item.title or "", content),
        title=item.title or "",
        link=item.url,
        content=content,
        is_html=is_html,
        modified_at=stated if stated is None or stated.tzinfo else stated.replace(tzinfo=UTC),
    )


def _identity(stated: str, title: str, content: str) -> str:
    """Return the id of an entry, or a hash if it has none or one that is not fit for a key."""
    if stated and len(stated) <= MAX_ID_CHARS and stated.isprintable():
        return stated
    return hashlib.sha256((stated or f"{title}\n{content}").encode("utf-8", "replace")).hexdigest()


def _time(stated: Any) -> datetime | None:
    try:
        return datetime.fromtimestamp(timegm(stated), UTC) if stated else None
    except (ValueError, OverflowError, OSError, TypeError):
        return None
