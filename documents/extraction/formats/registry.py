"""The extractor of each media type."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Final

from documents.extraction import media_types
from documents.extraction.output import Output
from documents.extraction.source import Source

Extractor = Callable[[Source, Output], None]

# By name: most of the libraries are not needed for one file, and importing all takes longer than reading most files.
EXTRACTORS: Final[dict[str, str]] = {
    media_types.BOOK: "epub:extract",
    media_types.CODE: "plain:extract_code",
    media_types.COMMA_SEPARATED: "delimited:extract",
    media_types.DOCUMENT: "docx:extract",
    media_types.HTML: "html:extract",
    media_types.JSON: "json_data:extract",
    media_types.JSON_LINES: "json_data:extract_lines",
    media_types.MAIL: "mail:extract",
    media_types.MARKDOWN: "markdown:extract",
    media_types.OPEN_DOCUMENT: "odt:extract",
    media_types.PDF: "pdf:extract",
    media_types.PLAIN: "plain:extract",
    media_types.PRESENTATION: "pptx:extract",
    media_types.TAB_SEPARATED: "delimited:extract",
    media_types.WORKBOOK: "spreadsheet:extract",
}


def extractor_of(media_type: str) -> Extractor:
    """Import and return the extractor of a supported media type."""
    module, _, function = EXTRACTORS[media_type].partition(":")
    extractor: Extractor = getattr(import_module(f"documents.extraction.formats.{module}"), function)
    return extractor
