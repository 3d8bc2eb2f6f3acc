"""Blocks of a web page, collected while its elements are visited in order."""

from __future__ import annotations

import re
from typing import Final

from documents.extraction.output import Output
from documents.extraction.xml import Element, local_name

# Elements without text for readers, or whose text repeats on each page of a site. `object` and `svg` have fallbacks.
_SKIPPED_NAMES: Final = (
    "script style nav template noscript head svg iframe object canvas select button datalist audio video dialog"
)
_SKIPPED: Final = frozenset(_SKIPPED_NAMES.split())
_BLOCK_NAMES: Final = """
    address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer form header hr
    html li main ol p pre section summary table tbody tfoot thead tr td th ul h1 h2 h3 h4 h5 h6
"""
_BLOCKS: Final = frozenset(_BLOCK_NAMES.split())
_HEADING = re.compile("h[1-6]")
_LAYOUT: Final = ("table", "h1", "h2", "h3", "h4", "ul", "ol", "pre")
_SPACES = re.compile(r"\s+")
_MAX_HIDDEN_CHECK: Final = 200


class HtmlBlocks:
    """A visitor of the elements of a page. Lists become one block, with an entry in each line."""

    def __init__(self, output: Output, page: int | None = None) -> None:
        self._output = output
        self._page = page
        self._pieces: list[str] = []
        self._skipped: Element | None = None
        self._code: Element | None = None
        self._lists = 0

    def start(self, element: Element) -> None:
        """Take the text before the first child of an element."""
        if self._skipped is not None:
            return
        name = local_name(element)
        if name in _SKIPPED or _is_hidden(element):
            self._skipped = element
            return
        if name == "table" and _is_data(element) and self._code is None:
            self._flush()
            self._output.table(_rows(element), self._page)
            self._skipped = element
            return
        self._separate(element, name)
        self._take(element.text)

    def end(self, element: Element) -> None:
        """Finish an element and take the text behind it."""
        if self._skipped is not None:
            if self._skipped is element:
                self._skipped = None
                self._take(element.tail)
            return
        name = local_name(element)
        if element is self._code:
            self._output.code("".join(self._pieces), self._page)
            self._pieces, self._code = [], None
        elif self._code is None:
            self._finish_block(name)
        self._take(element.tail)

    def finish(self) -> None:
        """Add the text that is left."""
        self._flush()

    def _separate(self, element: Element, name: str) -> None:
        if name == "br":
            self._pieces.append("\n")
        elif self._code is not None:
            return
        elif name == "pre":
            self._flush()
            self._code = element
        elif name in ("ul", "ol"):
            self._flush_unless_in_list()
            self._lists += 1
        elif name == "li" and self._lists:
            self._pieces.append(f"\n{'  ' * (self._lists - 1)}- ")
        elif name in _BLOCKS:
            self._flush_unless_in_list()

    def _finish_block(self, name: str) -> None:
        if _HEADING.fullmatch(name):
            self._output.heading("".join(self._pieces), int(name[1]), self._page)
            self._pieces = []
        elif name in ("ul", "ol"):
            self._lists = max(0, self._lists - 1)
            self._flush_unless_in_list()
        elif name in ("td", "th"):
            self._pieces.append(" ")
        elif name in _BLOCKS:
            self._flush_unless_in_list()

    def _flush_unless_in_list(self) -> None:
        if self._lists:
            self._pieces.append(" ")
        else:
            self._flush()

    def _flush(self) -> None:
        self._output.outline("".join(self._pieces), self._page)
        self._pieces = []

    def _take(self, text: str | None) -> None:
        if text:
            self._pieces.append(text if self._code is not None else _SPACES.sub(" ", text))


def _is_hidden(element: Element) -> bool:
    style = (element.get("style") or "")[:_MAX_HIDDEN_CHECK].replace(" ", "").lower()
    return element.get("hidden") is not None or "display:none" in style or element.get("aria-hidden") == "true"


def _is_data(table: Element) -> bool:
    """Return whether a table has cells with data, and not parts of a page."""
    if any(next(table.iterdescendants(name), None) is not None for name in _LAYOUT):
        return False
    return any(sum(1 for cell in row if local_name(cell) in ("td", "th")) > 1 for row in table.iter("tr"))


def _rows(table: Element) -> list[list[str]]:
    return [["".join(_cell_text(cell)) for cell in row if local_name(cell) in ("td", "th")] for row in table.iter("tr")]


def _cell_text(cell: Element) -> list[str]:
    pieces = [cell.text or ""]
    for element in cell.iterdescendants():
        is_text = local_name(element) not in _SKIPPED
        separator = " " if local_name(element) in _BLOCKS or local_name(element) == "br" else ""
        pieces += [separator, (element.text or "") if is_text else "", separator, element.tail or ""]
    return pieces
