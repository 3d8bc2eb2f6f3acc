"""Word documents (DOCX). ECMA-376, part 1, section 17 (WordprocessingML)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from documents.extraction.archive import Archive
from documents.extraction.formats import ooxml
from documents.extraction.output import Output
from documents.extraction.source import Source
from documents.extraction.xml import Element, attribute, descendants, local_name, outermost_elements

_SEPARATORS: Final = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
# Deleted and moved text; the second version of a text box for old programs; what a field looks like to a program.
_SKIPPED: Final = frozenset({"del", "moveFrom", "Fallback", "instrText", "delText"})
_MAX_BASES: Final = 20


def extract(source: Source, output: Output) -> None:
    """Add the text of a document with its headings, lists, tables and footnotes."""
    with Archive(source.path) as archive:
        ooxml.add_properties(archive, output)
        part = ooxml.main_part(archive, "word/document.xml")
        levels = _heading_levels(archive, part)
        with archive.open(part) as stream:
            for element in outermost_elements(stream, ("p", "tbl")):
                _add(element, levels, output)
        for kind in ("footnotes", "endnotes"):
            for notes in ooxml.related(archive, part, kind):
                with archive.open(notes) as stream:
                    for element in outermost_elements(stream, ("p", "tbl")):
                        _add(element, {}, output)


def text_of(element: Element) -> str:
    """Return the text of a paragraph, with the paragraphs of text boxes on lines of their own."""
    return "".join(_pieces(element)).strip()


def rows_of(table: Element, row: str, cell: str) -> Iterator[list[str]]:
    """Yield the texts of the cells of each row of a table. The text of a table in a cell belongs to the cell."""
    for each_row in descendants(table, row):
        if _depth(each_row, table, row) == 0:
            cells = [each for each in descendants(each_row, cell) if _depth(each, each_row, cell) == 0]
            yield [text_of(each) for each in cells]


def _add(element: Element, levels: dict[str, int], output: Output) -> None:
    if local_name(element) == "tbl":
        output.table(rows_of(element, "tr", "tc"))
        return
    style = ooxml.value(element, ("pPr", "pStyle"))
    own = ooxml.value(element, ("pPr", "outlineLvl"))
    level = _level(own) or levels.get(style or "")
    text = text_of(element)
    if level:
        output.heading(text, level)
    else:
        is_list = any(True for _ in descendants(element, "numPr"))
        output.text(f"- {text}" if is_list and text else text)


def _pieces(element: Element) -> Iterator[str]:
    """Yield pieces of text. Without recursion: the file decides how deep its elements are nested."""
    stack = [iter(element)]
    while stack:
        child = next(stack[-1], None)
        if child is None:
            stack.pop()
            continue
        name = local_name(child)
        if name == "t":
            yield child.text or ""
        elif name in _SEPARATORS:
            yield _SEPARATORS[name]
        elif name and name not in _SKIPPED and not name.endswith("Pr"):
            if name == "p":
                yield "\n"
            stack.append(iter(child))


def _depth(element: Element, root: Element, name: str) -> int:
    """Return the number of elements with a name between an element and the root."""
    depth, parent = 0, element.getparent()
    while parent is not None and parent is not root:
        depth += local_name(parent) == name
        parent = parent.getparent()
    return depth


def _heading_levels(archive: Archive, part: str) -> dict[str, int]:
    """Return the levels of the styles that are headings, by their ids, which depend on the language of the program."""
    levels: dict[str, int] = {}
    bases: dict[str, str | None] = {}
    for styles in ooxml.related(archive, part, "styles"):
        for style in descendants(ooxml.read_part(archive, styles), "style"):
            identity = attribute(style, "styleId") or ""
            bases[identity] = ooxml.value(style, ("basedOn",))
            level = _level(ooxml.value(style, ("pPr", "outlineLvl"))) or _named_level(ooxml.value(style, ("name",)))
            if level is not None:
                levels[identity] = level
    return {identity: level for identity in bases if (level := _inherited(identity, levels, bases))}


def _inherited(identity: str, levels: dict[str, int], bases: dict[str, str | None]) -> int | None:
    current: str | None = identity
    # The file may let two styles inherit from each other.
    for _ in range(_MAX_BASES):
        if current is None or current in levels:
            break
        current = bases.get(current)
    return levels.get(current or "")


def _level(outline: str | None) -> int | None:
    """Return the level of an outline level, of which 9 is body text."""
    return int(outline) + 1 if outline and outline.isdecimal() and int(outline[:4]) < 9 else None


def _named_level(name: str | None) -> int | None:
    """Return the level of a style by its name, which is English in the file whatever the language of the program."""
    words = (name or "").lower().split()
    if words == ["title"]:
        return 1
    if len(words) == 2 and words[0] == "heading" and words[1].isdecimal():
        return int(words[1][:2])
    return None
