"""Books (EPUB 2 and 3). EPUB Open Container Format 3.3 and Package Document."""

from __future__ import annotations

import io
import posixpath
from typing import Final

from common.texts import translatable
from documents.extraction.archive import Archive, member_path
from documents.extraction.decoding import detect_encoding
from documents.extraction.extracted import ExtractionError
from documents.extraction.formats.html import add_blocks, parse_html
from documents.extraction.output import Output
from documents.extraction.source import Source
from documents.extraction.xml import Element, attribute, descendants, first_text, parse_time, parse_xml

_MAX_PACKAGE_BYTES: Final = 16 << 20
_MAX_CHAPTER_BYTES: Final = 16 << 20
_CHAPTER_TYPES: Final = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml"})
# Fonts are obfuscated so that they are not copied out of books. Their text can be read.
_FONT_METHODS: Final = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")


def extract(source: Source, output: Output) -> None:
    """Add the chapters in their order, without the table of contents."""
    with Archive(source.path) as archive:
        _refuse_encrypted(archive)
        container = parse_xml(archive.read("META-INF/container.xml", _MAX_PACKAGE_BYTES))
        rootfile = next(descendants(container, "rootfile"), None)
        path = member_path("", (attribute(rootfile, "full-path") or "") if rootfile is not None else "")
        package = parse_xml(archive.read(path, _MAX_PACKAGE_BYTES))
        _add_properties(package, output)
        chapters = [name for name in _chapters(package, posixpath.dirname(path)) if name in archive]
        output.pages = len(chapters)
        for number, name in enumerate(chapters[: source.limits.pages], 1):
            _add_chapter(archive, name, number, output)
            output.progress(number, len(chapters))
        if len(chapters) > source.limits.pages:
            output.is_truncated = True
            output.note(
                translatable(
                    "Only the first %(pages)s of %(total)s chapters were read.",
                    pages=f"{source.limits.pages:,}",
                    total=f"{len(chapters):,}",
                )
            )


def _refuse_encrypted(archive: Archive) -> None:
    if "META-INF/encryption.xml" not in archive:
        return
    root = parse_xml(archive.read("META-INF/encryption.xml", _MAX_PACKAGE_BYTES))
    methods = (attribute(method, "Algorithm") for method in descendants(root, "EncryptionMethod"))
    if any(method not in _FONT_METHODS for method in methods):
        raise ExtractionError(
            "encrypted", translatable("The book is protected against copying (DRM), so its text cannot be read.")
        )


def _add_properties(package: Element, output: Output) -> None:
    output.set_title(first_text(package, "title"))
    output.set_author(first_text(package, "creator"))
    output.set_created_at(parse_time(first_text(package, "date")))
    for name in ("language", "publisher", "description", "subject", "identifier"):
        output.add_metadata(name, first_text(package, name))


def _chapters(package: Element, folder: str) -> list[str]:
    """Return the members of the spine in the order of reading."""
    items = {attribute(item, "id"): item for item in descendants(package, "item")}
    chapters = []
    for reference in descendants(package, "itemref"):
        item = items.get(attribute(reference, "idref"))
        if item is None or "nav" in (attribute(item, "properties") or "").split():
            continue
        if (attribute(item, "media-type") or "") in _CHAPTER_TYPES:
            chapters.append(member_path(folder, attribute(item, "href") or ""))
    # A chapter that is listed many times would be read as often.
    return list(dict.fromkeys(chapters))


def _add_chapter(archive: Archive, name: str, number: int, output: Output) -> None:
    content = archive.read(name, _MAX_CHAPTER_BYTES)
    encoding = detect_encoding(io.BytesIO(content))
    # An XML declaration in a text is an error, and its encoding was taken into account.
    root = parse_html(content.decode(encoding or "utf-8", "replace"))
    if root is not None:
        add_blocks(root, output, number)
