"""Word, PowerPoint and Excel files."""

from __future__ import annotations

import io
from collections.abc import Sequence

import docx as word
import pptx as powerpoint
import xlsxwriter

from benchmarks.passages.texts import Piece

SLIDE_CHARS = 900
"""Length from which a section continues on another slide."""


def docx(pieces: Sequence[Piece]) -> bytes:
    """Return a Word file with the styles of headings."""
    document = word.Document()
    document.core_properties.title = pieces[0].text
    for piece in pieces:
        if piece.level:
            document.add_heading(piece.text, piece.level)
        else:
            document.add_paragraph(piece.text)
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def pptx(pieces: Sequence[Piece]) -> bytes:
    """Return a presentation: each heading of the second level begins a slide, and long sections have several."""
    presentation = powerpoint.Presentation()
    presentation.core_properties.title = pieces[0].text
    for title, lines in _slides(pieces):
        slide = presentation.slides.add_slide(presentation.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text_frame.text = "\n".join(lines)
    file = io.BytesIO()
    presentation.save(file)
    return file.getvalue()


def _slides(pieces: Sequence[Piece]) -> list[tuple[str, list[str]]]:
    slides: list[tuple[str, list[str]]] = []
    title = pieces[0].text
    for piece in pieces[1:]:
        is_section = piece.level in (1, 2)
        if is_section:
            title = piece.text
        is_full = bool(slides) and sum(map(len, slides[-1][1])) + len(piece.text) > SLIDE_CHARS
        if is_section or not slides or (is_full and slides[-1][1]):
            slides.append((title, []))
        if not is_section:
            slides[-1][1].append(piece.text)
    return [slide for slide in slides if slide[1]]


def xlsx(name: str, rows: Sequence[Sequence[str]]) -> bytes:
    """Return a workbook with one sheet."""
    file = io.BytesIO()
    with xlsxwriter.Workbook(file, {"in_memory": True}) as workbook:
        sheet = workbook.add_worksheet(name[:31])
        for number, row in enumerate(rows):
            sheet.write_row(number, 0, row)
    return file.getvalue()
