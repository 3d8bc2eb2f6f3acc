"""Text documents of OpenDocument (ODT). OpenDocument 1.3, part 3."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from common.texts import translatable
from documents.extraction.archive import Archive
from documents.extraction.extracted import ExtractionError
from documents.extraction.output import Output
from documents.extraction.source import Source
from documents.extraction.xml import (
    Element,
    attribute,
    descendants,
    first_text,
    local_name,
    outermost_elements,
    parse_time,
    parse_xml,
)

_MAX_META_BYTES: Final = 1 << 20
_MAX_REPEATED: Final = 100
# Deleted text of tracked changes, comments, and the numbers of footnotes.
_SKIPPED: Final = frozenset({"tracked-changes", "annotation", "note-citation", "binary-data"})
_INDEXES: Final = frozenset({"table-of-content", "tracked-changes", "annotation"})


def extract(source: Source, output: Output) -> None:
    """Add the text with its headings, lists and tables. The table of contents is left out."""
    with Archive(source.path) as archive:
        _refuse_encrypted(archive)
        if "meta.xml" in archive:
            _add_properties(parse_xml(archive.read("meta.xml", _MAX_META_BYTES)), output)
        with archive.open("content.xml") as stream:
            for element in outermost_elements(stream, ("h", "p", "table", *_INDEXES)):
                _add(element, output)


def _refuse_encrypted(archive: Archive) -> None:
    if "META-INF/manifest.xml" not in archive:
        return
    manifest = parse_xml(archive.read("META-INF/manifest.xml", _MAX_META_BYTES))
    if next(descendants(manifest, "encryption-data"), None) is not None:
        raise ExtractionError(
            "encrypted", translatable("The document is encrypted. Save it without a password and add it again.")
        )


def _add_properties(root: Element, output: Output) -> None:
    output.set_title(first_text(root, "title"))
    output.set_author(first_text(root, "initial-creator") or first_text(root, "creator"))
    output.set_created_at(parse_time(first_text(root, "creation-date") or first_text(root, "date")))
    for name in ("subject", "description", "language"):
        output.add_metadata(name, first_text(root, name))
    output.add_metadata("keywords", ", ".join("".join(each.itertext()) for each in descendants(root, "keyword")))


def _add(element: Element, output: Output) -> None:
    name = local_name(element)
    if name == "table":
        output.table(_rows(element))
    elif name == "h":
        level = attribute(element, "outline-level") or "1"
        output.heading(_text(element), int(level[:2]) if level.isdecimal() else 1)
    elif name == "p":
        style = (attribute(element, "style-name") or "").lower()
        text = _text(element)
        if style == "title":
            output.heading(text, 1)
        else:
            output.text(f"- {text}" if _is_list_entry(element) and text else text)


def _is_list_entry(element: Element) -> bool:
    parent = element.getparent()
    return parent is not None and local_name(parent) == "list-item"


def _rows(table: Element) -> Iterator[list[str]]:
    for row in descendants(table, "table-row"):
        cells: list[str] = []
        for cell in row:
            if local_name(cell) == "table-cell":
                repeated = attribute(cell, "number-columns-repeated") or "1"
                count = min(int(repeated[:4]), _MAX_REPEATED) if repeated.isdecimal() else 1
                cells += [_text(cell)] * count
        yield cells


def _text(element: Element) -> str:
    """Return the text of an element. Without recursion: the file decides how deep its elements are nested."""
    pieces = [element.text or ""]
    stack = [iter(element)]
    owners: list[Element] = []
    while stack:
        child = next(stack[-1], None)
        if child is None:
            stack.pop()
            if owners:
                pieces.append(owners.pop().tail or "")
            continue
        name = local_name(child)
        pieces.append(_separator(child, name))
        if name and name not in _SKIPPED:
            pieces.append(child.text or "")
            stack.append(iter(child))
            owners.append(child)
        else:
            pieces.append(child.tail or "")
    return "".join(pieces).strip()


def _separator(element: Element, name: str) -> str:
    if name == "s":
        count = attribute(element, "c") or "1"
        return " " * min(int(count[:4]), _MAX_REPEATED) if count.isdecimal() else " "
    return {"tab": "\t", "line-break": "\n", "p": "\n", "note": " "}.get(name, "")
