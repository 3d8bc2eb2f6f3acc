"""Detection of the media type of a file by its content."""

from __future__ import annotations

import re
import zipfile
from typing import IO, Final

from common.texts import translatable
from documents.extraction.archive import Archive
from documents.extraction.decoding import detect_encoding
from documents.extraction.extracted import ExtractionError
from documents.extraction.formats.languages import LANGUAGES
from documents.extraction.media_types import (
    BOOK,
    CODE,
    COMMA_SEPARATED,
    DOCUMENT,
    HTML,
    JSON,
    JSON_LINES,
    MAIL,
    MARKDOWN,
    OPEN_DOCUMENT,
    PDF,
    PLAIN,
    PRESENTATION,
    SUPPORTED,
    TAB_SEPARATED,
    WORKBOOK,
)
from documents.extraction.source import HEAD_BYTES, Source, extension_of

_PDF_MARK: Final = b"%PDF-"
_PDF_MARK_WITHIN: Final = 1024
_ZIP_MARKS: Final = (b"PK\x03\x04", b"PK\x05\x06")
_BINARY_EXTENSIONS: Final = frozenset({".pdf", ".docx", ".pptx", ".xlsx", ".odt", ".ods", ".odp", ".epub"})
"""The extensions of supported formats that are not texts."""

_OLE_MARK: Final = bytes.fromhex("d0cf11e0a1b11ae1")
# The name of the stream with the encrypted package: [MS-OFFCRYPTO], section 2.3.4.4.
_OLE_ENCRYPTED: Final = "EncryptedPackage".encode("utf-16-le")
_OLE_READ_BYTES: Final = 64 << 20
_RTF_MARK: Final = b"{\\rtf"
_MAX_TYPE_BYTES: Final = 1 << 20

_PACKAGES: Final = {
    b"wordprocessingml.document": DOCUMENT,
    b"wordprocessingml.template": DOCUMENT,
    b"ms-word.document.macroEnabled": DOCUMENT,
    b"presentationml.presentation": PRESENTATION,
    b"presentationml.slideshow": PRESENTATION,
    b"presentationml.template": PRESENTATION,
    b"ms-powerpoint.presentation.macroEnabled": PRESENTATION,
    b"spreadsheetml.sheet": WORKBOOK,
    b"spreadsheetml.template": WORKBOOK,
    b"ms-excel.sheet.macroEnabled": WORKBOOK,
}
_PACKAGE = re.compile(b'ContentType="application/(?:vnd.openxmlformats-officedocument.|vnd.)([\\w.-]+?)\\.main\\+xml"')
_MIME_MEMBERS: Final = {"application/epub+zip": BOOK, "application/vnd.oasis.opendocument.text": OPEN_DOCUMENT}

_EXTENSIONS: Final = {
    ".md": MARKDOWN,
    ".markdown": MARKDOWN,
    ".mdown": MARKDOWN,
    ".csv": COMMA_SEPARATED,
    ".tsv": TAB_SEPARATED,
    ".tab": TAB_SEPARATED,
    ".json": JSON,
    ".jsonl": JSON_LINES,
    ".ndjson": JSON_LINES,
    ".html": HTML,
    ".htm": HTML,
    ".xhtml": HTML,
    ".eml": MAIL,
    **dict.fromkeys(LANGUAGES, CODE),
}
# Possessive and atomic: otherwise, many comments would take time exponential in their number.
_HTML_START = re.compile(
    r"\s*+(?:<\?xml[^>]*+>\s*+|(?><!--.*?-->)\s*+)*+<(?:!doctype\s+html|html|head|body)[\s>]", re.IGNORECASE | re.DOTALL
)
_HEADER = re.compile(r"([A-Za-z][A-Za-z0-9-]*):(?=[ \t]|$)|[ \t]+\S")
_MAIL_HEADER_NAMES: Final = (
    "bcc cc date delivered-to from in-reply-to message-id mime-version received return-path sender subject to"
)
_MAIL_HEADERS: Final = frozenset(_MAIL_HEADER_NAMES.split())
_MIN_MAIL_HEADERS: Final = 3
_HEAD_CHARS: Final = 4096


def detect(source: Source) -> str:
    """Return the media type of a file. Its name decides only between formats of text. Raises ExtractionError."""
    head = source.head
    if not head:
        raise ExtractionError("empty", translatable("The file is empty."))
    if _PDF_MARK in head[:_PDF_MARK_WITHIN]:
        return PDF
    if head.startswith(_ZIP_MARKS):
        return _detect_in_archive(source)
    if head.startswith(_OLE_MARK):
        with source.path.open("rb") as opened:
            raise _ole_error(opened)
    if head.startswith(_RTF_MARK) or source.encoding is None:
        raise _no_text_error(source.extension)
    return _detect_text(source)


def refuse_unknown(file: IO[bytes], name: str) -> None:
    """Raise ExtractionError if the format of a seekable file is not supported, as far as that is known at once.

    What is in an archive is only found out in the process that reads it.
    """
    file.seek(0)
    head = file.read(HEAD_BYTES)
    file.seek(0)
    if not head or _PDF_MARK in head[:_PDF_MARK_WITHIN] or head.startswith(_ZIP_MARKS):
        return
    if head.startswith(_OLE_MARK):
        raise _ole_error(file)
    if head.startswith(_RTF_MARK) or detect_encoding(file) is None:
        raise _no_text_error(extension_of(name))


def _no_text_error(extension: str) -> ExtractionError:
    return _misnamed(extension) if extension in _BINARY_EXTENSIONS else unsupported()


def _misnamed(extension: str) -> ExtractionError:
    """Return the error for bytes that are not what the name of the file says."""
    text = translatable(
        "This is not a %(extension)s file, although its name says so, or it is damaged.", extension=extension
    )
    return ExtractionError("unsupported", text)


def unsupported() -> ExtractionError:
    """Return the error for a file of another format, which lists the supported ones."""
    return ExtractionError(
        "unsupported",
        translatable("Files of this format are not supported. Supported are %(supported)s.", supported=SUPPORTED),
    )


def _detect_in_archive(source: Source) -> str:
    with Archive(source.path) as archive:
        if "mimetype" in archive:
            name = archive.read("mimetype", _MAX_TYPE_BYTES).decode("ascii", "replace").strip()
            found = _MIME_MEMBERS.get(name)
        elif "[Content_Types].xml" in archive:
            types = archive.read("[Content_Types].xml", _MAX_TYPE_BYTES)
            kinds = (kind for match in _PACKAGE.finditer(types) if (kind := _PACKAGES.get(match[1])))
            found = next(kinds, None)
        else:
            found = BOOK if "META-INF/container.xml" in archive else None
        if found is None and any(name.endswith(".xml") for name in archive.names) and _is_damaged(archive):
            raise zipfile.BadZipFile("The part that names the format is missing.")
    if found is None:
        raise unsupported()
    return found


def _is_damaged(archive: Archive) -> bool:
    return any(
        name in archive for name in ("word/document.xml", "xl/workbook.xml", "ppt/presentation.xml", "content.xml")
    )


def _ole_error(file: IO[bytes]) -> ExtractionError:
    if _OLE_ENCRYPTED in file.read(_OLE_READ_BYTES):
        return ExtractionError("encrypted", translatable("The file is protected by a password. Save it without one."))
    return ExtractionError(
        "unsupported",
        translatable(
            "Files of Office before 2007 are not supported. Save it as .docx, .xlsx or .pptx and add it again."
        ),
    )


def _detect_text(source: Source) -> str:
    known = _EXTENSIONS.get(source.extension)
    if known:
        return known
    with source.open_text() as opened:
        head = opened.read(_HEAD_CHARS)
    if _HTML_START.match(head):
        return HTML
    return MAIL if _is_mail(head) else PLAIN


def _is_mail(head: str) -> bool:
    """Return whether the text begins with headers, at least three of which are those of messages."""
    names: set[str] = set()
    for line in head.splitlines():
        if not line:
            break
        header = _HEADER.match(line)
        if not header:
            return False
        names.add((header[1] or "").lower())
    return len(names & _MAIL_HEADERS) >= _MIN_MAIL_HEADERS
