"""Paragraphs and headings from the lines of PDF pages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from documents.extraction.formats.pdf.lines import Line
from documents.extraction.formats.pdf.outline import Outline, normalized
from documents.extraction.output import Output

MAX_HEADING_CHARS: Final = 150
MIN_HEADING_RATIO: Final = 1.15
"""Least ratio of the size of a heading's letters to that of the body, if the document has no outline."""

MAX_LEVELS: Final = 3
_MAX_LINE_GAP: Final = 0.9
"""Largest gap between the lines of a paragraph, as a part of the font size. Double spacing has about 1.3."""

_SHORT_LINE: Final = 0.75
"""Largest part of the width of its column that the last line of a paragraph has, unless it ends by chance."""

_COLUMN_POINTS: Final = 40
"""Width of the strips by which lines of a column are recognized, so that indented lines belong to it."""

_MAX_POINTS: Final = 100_000
_ENDS_SENTENCE = re.compile(r"[.!?:;…。！？][\"'”’»)\]]*$")
_STARTS_ENTRY = re.compile(r"[•◦▪‣●○■□–—*-]\s|\(?(?:\d{1,3}|[a-z])[.)]\s")


def add_pages(pages: Sequence[list[Line]], outline: Outline, output: Output) -> None:
    """Add the paragraphs and headings of the pages. Raises OutputFull."""
    sizes = {} if outline else _heading_sizes(pages)
    for index, lines in enumerate(pages):
        titles = outline.get(index, {})
        for paragraph in _paragraphs(lines, titles, sizes):
            level = _level(paragraph[0], titles, sizes)
            text = " ".join(line.text for line in paragraph)
            if level and len(text) <= MAX_HEADING_CHARS:
                output.heading(text, level, index + 1)
            else:
                output.text(text, index + 1)


def _heading_sizes(pages: Sequence[list[Line]]) -> dict[float, int]:
    """Return the levels of the sizes that are clearly larger than most of the text."""
    chars: Counter[float] = Counter()
    for lines in pages:
        for line in lines:
            chars[round(line.size, 1)] += len(line.text)
    if not chars:
        return {}
    body = chars.most_common(1)[0][0]
    larger = sorted((size for size in chars if size >= body * MIN_HEADING_RATIO and body), reverse=True)
    return {size: min(level, MAX_LEVELS) for level, size in enumerate(larger, 1)}


def _level(line: Line, titles: dict[str, int], sizes: dict[float, int]) -> int:
    if titles:
        return titles.get(normalized(line.text), 0)
    return sizes.get(round(line.size, 1), 0)


def _paragraphs(lines: list[Line], titles: dict[str, int], sizes: dict[float, int]) -> Iterator[list[Line]]:
    edges = _right_edges(lines)
    paragraph: list[Line] = []
    for line in lines:
        if paragraph and (
            _starts_paragraph(paragraph[-1], line, edges)
            or _level(paragraph[-1], titles, sizes) != _level(line, titles, sizes)
        ):
            yield paragraph
            paragraph = []
        paragraph.append(line)
    if paragraph:
        yield paragraph


def _right_edges(lines: list[Line]) -> dict[int, float]:
    """Return the right edge of the column of text that begins about at each left edge, by its number."""
    edges: dict[int, float] = {}
    for line in lines:
        for column in range(_column(line) - 1, _column(line) + 2):
            edges[column] = max(edges.get(column, 0.0), line.right)
    return edges


def _column(line: Line) -> int:
    return int(min(max(line.left, 0.0), _MAX_POINTS) // _COLUMN_POINTS)


def _starts_paragraph(previous: Line, line: Line, edges: dict[int, float]) -> bool:
    size = max(previous.size, line.size, 1.0)
    gap = previous.bottom - line.top
    if gap > _MAX_LINE_GAP * size or line.top > previous.top + size:
        # A line further up is the top of the next column. A sentence may continue there.
        return gap > 0 or bool(_ENDS_SENTENCE.search(previous.text))
    if abs(previous.size - line.size) > 0.1 * size or _STARTS_ENTRY.match(line.text):
        return True
    # The first word of the next line would have fitted.
    return previous.right < _SHORT_LINE * edges[_column(previous)]
