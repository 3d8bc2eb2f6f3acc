"""Names of file types on the pages."""

from __future__ import annotations

from django.utils.translation import gettext, gettext_noop

from common.pages.relative_times import plural
from documents.extraction import media_types
from documents.models import Version

_NAMES = {
    media_types.BOOK: "EPUB",
    media_types.CODE: gettext_noop("Source code"),
    media_types.COMMA_SEPARATED: "CSV",
    media_types.DOCUMENT: "Word",
    media_types.HTML: gettext_noop("Web page"),
    media_types.JSON: "JSON",
    media_types.JSON_LINES: gettext_noop("JSON lines"),
    media_types.MAIL: gettext_noop("E-mail"),
    media_types.MARKDOWN: "Markdown",
    media_types.OPEN_DOCUMENT: "OpenDocument",
    media_types.PDF: "PDF",
    media_types.PLAIN: gettext_noop("Text"),
    media_types.PRESENTATION: "PowerPoint",
    media_types.TAB_SEPARATED: "TSV",
    media_types.WORKBOOK: "Excel",
}
MAX_EXTENSION_CHARS = 8


def length_of(version: Version) -> str:
    """Return the number of pages, slides or sheets that the file has; empty if that is unknown."""
    if not version.pages:
        return ""
    match version.media_type:
        case media_types.WORKBOOK:
            return plural(version.pages, "sheet")
        case media_types.PRESENTATION:
            return plural(version.pages, "slide")
    return plural(version.pages, "page", "pages")


def file_type_of(version: Version) -> str:
    """Return the name of the format that was read, else the extension of the file; empty if there is none."""
    if version.media_type:
        name = _NAMES.get(version.media_type)
        return gettext(name) if name else version.media_type
    _, dot, extension = version.file_name.rpartition(".")
    return extension.upper() if dot and len(extension) <= MAX_EXTENSION_CHARS else ""
