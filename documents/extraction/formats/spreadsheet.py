"""Workbooks (XLSX), read with calamine."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

from python_calamine import CalamineError, CalamineSheet, CalamineWorkbook, PasswordError

from common.texts import translatable
from documents.extraction.archive import Archive
from documents.extraction.extracted import ExtractionError
from documents.extraction.formats import ooxml
from documents.extraction.output import Output
from documents.extraction.source import Source
from documents.extraction.xml import parse_xml

Cell = int | float | str | bool | datetime.time | datetime.date | datetime.datetime | datetime.timedelta


def extract(source: Source, output: Output) -> None:
    """Add each sheet: its name as a heading and its cells as a table. Formulas are read as their stored results."""
    with Archive(source.path) as archive:
        ooxml.add_properties(archive, output)
        # calamine ignores document types. Refusing them keeps all formats alike.
        parse_xml(archive.read(ooxml.main_part(archive, "xl/workbook.xml"), ooxml.MAX_PART_BYTES))
    try:
        with CalamineWorkbook.from_path(source.path) as workbook:
            _add_sheets(workbook, source.limits.pages, output)
    except PasswordError:
        raise ExtractionError(
            "encrypted", translatable("The workbook is encrypted. Save it without a password.")
        ) from None
    except (CalamineError, OSError) as error:
        raise ExtractionError("damaged", translatable("The workbook is damaged or incomplete.")) from error


def _add_sheets(workbook: CalamineWorkbook, limit: int, output: Output) -> None:
    names = workbook.sheet_names
    output.pages = len(names)
    output.add_metadata("sheets", ", ".join(names))
    for number, name in enumerate(names[:limit], 1):
        # A name is unique, and the order of the names is that of the sheets.
        sheet = workbook.get_sheet_by_name(name)
        output.heading(name, 1, number)
        output.table(_rows(sheet), number)
        output.progress(number, len(names))
    if len(names) > limit:
        output.is_truncated = True
        output.note(
            translatable(
                "Only the first %(limit)s of %(total)s sheets were read.", limit=f"{limit:,}", total=f"{len(names):,}"
            )
        )


def _rows(sheet: CalamineSheet) -> Iterator[list[str]]:
    for row in sheet.iter_rows():
        yield [_text(cell) for cell in row]


def _text(cell: Cell) -> str:
    if isinstance(cell, bool):
        return "TRUE" if cell else "FALSE"
    if isinstance(cell, float):
        # 15 digits are what spreadsheets calculate with. More would show the rounding of binary numbers.
        return str(int(cell)) if cell.is_integer() and abs(cell) < 1e15 else f"{cell:.15g}"
    if isinstance(cell, datetime.datetime):
        return cell.isoformat(" ", "minutes" if not cell.second else "seconds") if cell.time() else str(cell.date())
    return str(cell)
