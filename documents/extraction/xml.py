"""XML without entities, document types and network."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import IO, Any, Final

from lxml import etree

from common.texts import translatable
from documents.extraction.extracted import ExtractionError

Element = Any
"""An element of lxml, which has no types."""

_OPTIONS: Final = {"resolve_entities": False, "no_network": True, "load_dtd": False, "huge_tree": False}


def outermost_elements(stream: IO[bytes], names: Iterable[str]) -> Iterator[Element]:
    """Yield the elements with one of the local names that are inside none of them, and forget them afterwards.

    The namespace does not matter: the strict and the usual variant of Office files differ in nothing else. Raises
    etree.XMLSyntaxError, and ExtractionError if there is a document type declaration.
    """
    wanted, depth = frozenset(names), 0
    events = etree.iterparse(stream, events=("start", "end"), remove_comments=True, remove_pis=True, **_OPTIONS)
    is_first = True
    for event, element in events:
        if is_first:
            _refuse_document_type(element)
            is_first = False
        if local_name(element) not in wanted:
            continue
        depth += 1 if event == "start" else -1
        if event == "end" and depth == 0:
            yield element
            _forget(element)


def parse_xml(content: bytes) -> Element:
    """Return the root of a small XML document. Raises etree.XMLSyntaxError, and ExtractionError as above."""
    parser = etree.XMLParser(remove_comments=True, remove_pis=True, **_OPTIONS)
    root = etree.fromstring(content, parser)
    _refuse_document_type(root)
    return root


def local_name(element: Element) -> str:
    """Return the name of an element without its namespace; empty for comments and entities."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: Element, name: str) -> str | None:
    """Return the attribute with a local name, whatever its namespace."""
    for key, value in element.attrib.items():
        if key.rpartition("}")[2] == name:
            return str(value)
    return None


def descendants(element: Element, *names: str) -> Iterator[Element]:
    """Return the elements below with one of the local names, in the order of the document."""
    found: Iterator[Element] = element.iter(*(f"{{*}}{name}" for name in names))
    return found


def first_text(element: Element, name: str) -> str | None:
    """Return the text of the first element below with a local name that has any."""
    return next((text for found in descendants(element, name) if (text := "".join(found.itertext()).strip())), None)


def parse_time(text: str | None) -> datetime | None:
    """Return a time in ISO 8601, or a date at midnight; None if it is none."""
    try:
        return datetime.fromisoformat(text.strip()) if text else None
    except ValueError:
        return None


def _refuse_document_type(element: Element) -> None:
    if element.getroottree().docinfo.doctype or element.getroottree().docinfo.internalDTD is not None:
        raise ExtractionError(
            "damaged", translatable("The file declares a document type, which no document of its format does.")
        )


def _forget(element: Element) -> None:
    """Free the element and what precedes it, so that memory does not grow with the document."""
    element.clear(keep_tail=False)
    while element.getprevious() is not None:
        parent = element.getparent()
        if parent is None:
            return
        del parent[0]
