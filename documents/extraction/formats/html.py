"""Web pages (HTML), and the chapters of books, which are XHTML."""

from __future__ import annotations

import re
from typing import Final

from lxml import etree

from common.texts import translatable
from documents.extraction.formats.html_blocks import HtmlBlocks
from documents.extraction.output import Output
from documents.extraction.source import Source
from documents.extraction.xml import Element, local_name, parse_time

MAX_PARSED_CHARS: Final = 16_000_000
"""Length of the part of a page that is read. The tree of a page needs about ten times the memory."""

_AUTHOR: Final = ("author", "article:author", "dc.creator")
_DATE: Final = ("article:published_time", "date", "dc.date", "dcterms.date", "dcterms.created")
_DESCRIPTION: Final = ("description", "og:description")
_ENCODING = re.compile(rb"""<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w-]{2,40})""", re.IGNORECASE)


def extract(source: Source, output: Output) -> None:
    """Add the text of a page without scripts, styles and navigation, and what its head says about it."""
    text, is_cut = _read(source)
    root = parse_html(text)
    if root is not None:
        add_properties(root, output)
        add_blocks(root, output)
    if is_cut:
        output.is_truncated = True
        output.note(
            translatable(
                "Only the first %(max_parsed_chars)s characters of the page were read.",
                max_parsed_chars=f"{MAX_PARSED_CHARS:,}",
            )
        )


def parse_html(text: str) -> Element | None:
    """Return the root of a page; None if it is empty. Nothing is loaded, and entities of a DTD are not known."""
    # As UTF-8, since libxml2 would otherwise follow an encoding that the page declares.
    # huge_tree: a text of more than 10 million characters without elements would be lost otherwise.
    parser = etree.HTMLParser(no_network=True, remove_comments=True, remove_pis=True, encoding="utf-8", huge_tree=True)
    return etree.fromstring(text.encode(errors="replace"), parser) if text.strip() else None


def add_properties(root: Element, output: Output) -> None:
    """Add title, author, date and description from the head of a page."""
    title = next((each for each in root.iter("title") if not _is_in_svg(each)), None)
    if title is not None:
        output.set_title("".join(title.itertext()))
    properties: dict[str, str] = {}
    for meta in root.iter("meta"):
        name = (meta.get("name") or meta.get("property") or "").lower()
        properties.setdefault(name, meta.get("content") or "")
    output.set_author(_first(properties, _AUTHOR))
    output.set_created_at(parse_time(_first(properties, _DATE)))
    output.add_metadata("description", _first(properties, _DESCRIPTION))
    output.add_metadata("keywords", properties.get("keywords"))
    output.add_metadata("language", root.get("lang"))


def add_blocks(root: Element, output: Output, page: int | None = None) -> None:
    """Add the headings, paragraphs, lists, tables and code of a page."""
    blocks = HtmlBlocks(output, page)
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if event == "start":
            blocks.start(element)
        else:
            blocks.end(element)
    blocks.finish()


def _read(source: Source) -> tuple[str, bool]:
    """Return the page as text, and whether it was cut off. A declared encoding counts, unless the bytes are UTF-8."""
    declared = _ENCODING.search(source.head)
    if declared and source.encoding and not source.encoding.startswith("utf"):
        name = declared[1].decode("ascii").lower()
        # As browsers do: https://encoding.spec.whatwg.org/#names-and-labels
        name = {"iso-8859-1": "cp1252", "latin1": "cp1252", "shift_jis": "cp932", "gb2312": "gb18030"}.get(name, name)
        try:
            with source.path.open(encoding=name, errors="replace") as opened:
                text = opened.read(MAX_PARSED_CHARS + 1)
            return text[:MAX_PARSED_CHARS], len(text) > MAX_PARSED_CHARS
        except LookupError:
            pass
    return source.read_text(MAX_PARSED_CHARS)


def _first(properties: dict[str, str], names: tuple[str, ...]) -> str | None:
    return next((properties[name] for name in names if properties.get(name)), None)


def _is_in_svg(element: Element) -> bool:
    return any(local_name(ancestor) == "svg" for ancestor in element.iterancestors())
