"""The lines of a PDF page, with the position and the size of their letters."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import pypdfium2.raw as pdfium

MAX_PAGE_CHARS: Final = 500_000

# PDFium returns this character instead of a hyphen at the end of a line, and joins the two lines.
_HYPHEN: Final = 0x02
_LINE_FEED: Final = 0x0A


@dataclass(slots=True)
class Line:
    """A line of a page. The edges are in points of 1/72 inch, from the left and the bottom of the page.

    `bottom` is that of the last letter, `top` that of the first one. `size` is the font size in points, 0 if unknown.
    """

    text: str
    left: float
    right: float
    top: float
    bottom: float
    size: float


def read_lines(page: Any) -> list[Line]:
    """Return the lines of a page in the order of its content, without blank ones. Raises PdfiumError."""
    text_page = page.get_textpage()
    try:
        count = min(text_page.count_chars(), MAX_PAGE_CHARS)
        codes = [pdfium.FPDFText_GetUnicode(text_page.raw, index) for index in range(count)]
        return [line for start, end in _ranges(codes) if (line := _line(text_page.raw, codes, start, end))]
    finally:
        text_page.close()


def _ranges(codes: list[int]) -> Iterator[tuple[int, int]]:
    start = 0
    for index, code in enumerate(codes):
        if code == _LINE_FEED:
            yield start, index
            start = index + 1
    yield start, len(codes)


def _line(text_page: Any, codes: list[int], start: int, end: int) -> Line | None:
    visible = [index for index in range(start, end) if codes[index] > 0x20]
    if not visible:
        return None
    first, last = _box(text_page, visible[0]), _box(text_page, visible[-1])
    size = pdfium.FPDFText_GetFontSize(text_page, visible[0]) or 0.0
    text = _joined(codes[visible[0] : visible[-1] + 1])
    # A scaled font has the size 1, and the matrix of the text makes it larger.
    height = first[2] - first[3]
    return Line(text, first[0], last[1], first[2], last[3], size if size > 2 else round(height * 1.3))


def _joined(codes: list[int]) -> str:
    units: list[int] = []
    for index, code in enumerate(codes):
        if code == _HYPHEN:
            following = codes[index + 1] if index + 1 < len(codes) else 0x20
            # "exam-ple" is one word again; "Nord-Westen" keeps its hyphen.
            if not chr(following).islower():
                units.append(ord("-"))
        elif code <= 0xFFFF:
            units.append(code)
        elif code <= 0x10FFFF:
            units += [0xD800 + ((code - 0x10000) >> 10), 0xDC00 + (code & 0x3FF)]
    return b"".join(unit.to_bytes(2, "little") for unit in units).decode("utf-16-le", "replace")


def _box(text_page: Any, index: int) -> tuple[float, float, float, float]:
    """Return the left, right, top and bottom edge of a character; zeros if PDFium does not know them."""
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    pdfium.FPDFText_GetCharBox(text_page, index, left, right, bottom, top)
    return left.value, right.value, top.value, bottom.value
