"""Media types of the supported formats."""

from __future__ import annotations

from typing import Final

from common.texts import translatable

BOOK: Final = "application/epub+zip"
CODE: Final = "text/x-source"
COMMA_SEPARATED: Final = "text/csv"
DOCUMENT: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
HTML: Final = "text/html"
JSON: Final = "application/json"
JSON_LINES: Final = "application/jsonl"
MAIL: Final = "message/rfc822"
MARKDOWN: Final = "text/markdown"
OPEN_DOCUMENT: Final = "application/vnd.oasis.opendocument.text"
PDF: Final = "application/pdf"
PLAIN: Final = "text/plain"
PRESENTATION: Final = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
TAB_SEPARATED: Final = "text/tab-separated-values"
WORKBOOK: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

FIXED_WIDTH: Final = frozenset({CODE, COMMA_SEPARATED, JSON, JSON_LINES, TAB_SEPARATED})
"""Formats that are read in a font whose characters have the same width."""

SUPPORTED: Final = translatable(
    "PDF, Word (.docx), PowerPoint (.pptx), Excel (.xlsx), OpenDocument text (.odt), EPUB, HTML, Markdown, plain text, "
    "CSV, JSON, e-mail (.eml) and source code"
)
