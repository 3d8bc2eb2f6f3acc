"""Kinds of documents on the web, detected by their content: feeds, sitemaps and pages."""

from __future__ import annotations

import re
from enum import Enum

# The first element, after the XML declaration, comments, processing instructions and a document type.
ROOT = re.compile(
    r"\s*(?:<\?.{0,2000}?\?>\s*|<!--.{0,20000}?-->\s*|<!DOCTYPE[^\[>]{0,2000}(?:\[.{0,20000}?\]\s*)?>\s*)*"
    r"<(?:[\w.-]+:)?([\w.-]+)",
    re.DOTALL | re.IGNORECASE,
)
HEAD_BYTES = 64 * 1024
JSON_FEED = "https://jsonfeed.org/version/"


class DocumentKind(Enum):
    """A feed, a sitemap, an index of sitemaps, or anything else."""

    FEED = "feed"
    JSON_FEED = "json_feed"
    SITEMAP = "sitemap"
    SITEMAP_INDEX = "sitemap_index"
    PAGE = "page"


KINDS = {
    "rss": DocumentKind.FEED,
    "feed": DocumentKind.FEED,
    "rdf": DocumentKind.FEED,
    "urlset": DocumentKind.SITEMAP,
    "sitemapindex": DocumentKind.SITEMAP_INDEX,
}


def kind_of(content: bytes) -> DocumentKind:
    """Return the kind of a document that is not compressed."""
    head = _text(content[:HEAD_BYTES])
    if head.startswith("{"):
        return DocumentKind.JSON_FEED if JSON_FEED in head[:4000].replace("\\/", "/") else DocumentKind.PAGE
    root = ROOT.match(head)
    return KINDS.get(root[1].lower(), DocumentKind.PAGE) if root else DocumentKind.PAGE


def _text(head: bytes) -> str:
    """Return the beginning of a document, in which only ASCII matters."""
    encoding = "utf-16" if head.startswith((b"\xff\xfe", b"\xfe\xff")) else "latin-1"
    return head.removeprefix(b"\xef\xbb\xbf").decode(encoding, "replace").lstrip("\ufeff \t\r\n")
