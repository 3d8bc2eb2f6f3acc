"""A PDF document: its pages in order, its properties and its outline. ISO 32000-2.

JavaScript, forms and embedded files are ignored: the PDFium that is used is built without a JavaScript engine, and
extraction never initializes forms.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, Final

import pypdfium2
import pypdfium2.raw as pdfium

from common.texts import translatable
from documents.extraction.extracted import ExtractionError
from documents.extraction.formats.pdf.lines import Line, read_lines
from documents.extraction.formats.pdf.outline import read_outline
from documents.extraction.formats.pdf.paragraphs import add_pages
from documents.extraction.formats.pdf.scans import ScanReader
from documents.extraction.output import Output
from documents.extraction.source import Source

MAX_DECLARED_PAGES: Final = 100_000
"""A document that declares more pages is refused: no real one does, and PDFium believes the number."""

# ISO 32000-2, 7.9.4: D:YYYYMMDDHHmmSSOHH'mm, of which everything after the year is optional.
_TIME = re.compile(r"D?:?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([+-])(\d\d)'?(\d\d)?)?")

_REFUSALS: Final = {
    pdfium.FPDF_ERR_PASSWORD: ExtractionError(
        "encrypted", translatable("The PDF is protected by a password. Save it without one and add it again.")
    ),
    pdfium.FPDF_ERR_SECURITY: ExtractionError(
        "encrypted", translatable("The PDF is encrypted in a way that is not supported.")
    ),
}


def extract(source: Source, output: Output) -> None:
    """Add the text of the pages as paragraphs, and headings by the outline or the sizes of letters."""
    document = _open(source)
    total = len(document)
    if total > MAX_DECLARED_PAGES:
        raise ExtractionError(
            "too_many_pages",
            translatable(
                "The PDF has more than %(max_declared_pages)s pages.", max_declared_pages=f"{MAX_DECLARED_PAGES:,}"
            ),
        )
    output.pages = total
    _add_properties(document.get_metadata_dict(skip_empty=True), output)
    count = min(total, source.limits.pages)
    pages = _read_pages(document, count, source, output)
    add_pages(pages, read_outline(document), output)
    if total > count:
        output.is_truncated = True
        output.note(
            translatable(
                "Only the first %(count)s of %(total)s pages were read.", count=f"{count:,}", total=f"{total:,}"
            )
        )


def _open(source: Source) -> Any:
    try:
        return pypdfium2.PdfDocument(source.path)
    except pypdfium2.PdfiumError as error:
        refusal = _REFUSALS.get(getattr(error, "err_code", None))
        raise refusal or ExtractionError("damaged", translatable("The PDF is damaged or incomplete.")) from error


def _read_pages(document: Any, count: int, source: Source, output: Output) -> list[list[Line]]:
    scans = ScanReader(source.limits)
    pages: list[list[Line]] = []
    chars = damaged = 0
    for number in range(count):
        try:
            lines = _read_page(document, number, scans)
        except pypdfium2.PdfiumError:
            lines, damaged = [], damaged + 1
        pages.append(lines)
        output.progress(number + 1, count)
        chars += sum(len(line.text) for line in lines)
        if chars > source.limits.output_chars:
            break
    if damaged == count:
        raise ExtractionError("damaged", translatable("The PDF is damaged: none of its pages can be read."))
    if damaged:
        output.note(translatable("%(damaged)s damaged pages could not be read.", damaged=f"{damaged:,}"))
    scans.add_notes(output)
    return pages


def _read_page(document: Any, number: int, scans: ScanReader) -> list[Line]:
    page = document[number]
    try:
        return read_lines(page) or scans.read(page)
    finally:
        page.close()


def _add_properties(properties: dict[str, str], output: Output) -> None:
    output.set_title(properties.get("Title"))
    output.set_author(properties.get("Author"))
    output.set_created_at(parse_pdf_time(properties.get("CreationDate", "")))
    output.add_metadata("subject", properties.get("Subject"))
    output.add_metadata("keywords", properties.get("Keywords"))


def parse_pdf_time(text: str) -> datetime | None:
    """Return a time as PDF writes it, in UTC if it names no zone; None if it is none."""
    found = _TIME.match(text.strip())
    if not found:
        return None
    year, *rest = found.groups()[:6]
    sign, hours, minutes = found.groups()[6:]
    offset = timedelta(hours=int(hours or 0), minutes=int(minutes or 0)) * (-1 if sign == "-" else 1)
    month, day, hour, minute, second = (
        int(each) if each else default for each, default in zip(rest, (1, 1, 0, 0, 0), strict=True)
    )
    try:
        return datetime(int(year), month, day, hour, minute, second, tzinfo=timezone(offset) if offset else UTC)
    except ValueError:
        return None
