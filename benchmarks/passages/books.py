"""OpenDocument and EPUB files, the smallest that programs read."""

from __future__ import annotations

import html
import io
import zipfile
from collections.abc import Mapping, Sequence

from benchmarks.passages.texts import Piece

_ODT = """<?xml version="1.0" encoding="UTF-8"?>
<office:document-content office:version="1.2" xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0">
<office:body><office:text>{body}</office:text></office:body></office:document-content>"""

_ODT_META = """<?xml version="1.0" encoding="UTF-8"?>
<office:document-meta office:version="1.2" xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:dc="http://purl.org/dc/elements/1.1/">
<office:meta><dc:title>{title}</dc:title></office:meta></office:document-meta>"""

_CONTAINER = """<?xml version="1.0"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"""

_PACKAGE = """<?xml version="1.0"?>
<package version="3.0" unique-identifier="id" xmlns="http://www.idpf.org/2007/opf">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">{title}</dc:identifier>
<dc:title>{title}</dc:title><dc:language>en</dc:language></metadata>
<manifest>{items}</manifest><spine>{spine}</spine></package>"""

_CHAPTER = """<?xml version="1.0"?>
<html xmlns="http://www.w3.org/1999/xhtml"><head><title>{title}</title></head><body>{body}</body></html>"""


def odt(pieces: Sequence[Piece]) -> bytes:
    """Return an OpenDocument text."""
    body = "".join(
        f'<text:h text:outline-level="{piece.level}">{_lines(piece)}</text:h>'
        if piece.level
        else f"<text:p>{_lines(piece)}</text:p>"
        for piece in pieces
    )
    members = {"content.xml": _ODT.format(body=body), "meta.xml": _ODT_META.format(title=html.escape(pieces[0].text))}
    return _archive("application/vnd.oasis.opendocument.text", members)


def _lines(piece: Piece) -> str:
    return html.escape(piece.text).replace("\n", "<text:line-break/>")


def epub(pieces: Sequence[Piece]) -> bytes:
    """Return an EPUB with a file for each heading of the second level."""
    chapters: list[list[Piece]] = [[]]
    for piece in pieces:
        if piece.level == 2:
            chapters.append([])
        chapters[-1].append(piece)
    title = html.escape(pieces[0].text)
    names = [f"chapter{number}.xhtml" for number in range(len(chapters))]
    items = "".join(
        f'<item id="c{number}" href="{name}" media-type="application/xhtml+xml"/>' for number, name in enumerate(names)
    )
    spine = "".join(f'<itemref idref="c{number}"/>' for number in range(len(names)))
    members = {"META-INF/container.xml": _CONTAINER, "book.opf": _PACKAGE.format(title=title, items=items, spine=spine)}
    for name, chapter in zip(names, chapters, strict=True):
        members[name] = _CHAPTER.format(title=title, body="".join(map(_element, chapter)))
    return _archive("application/epub+zip", members)


def _element(piece: Piece) -> str:
    tag = f"h{piece.level}" if piece.level else "p"
    text = html.escape(piece.text).replace("\n", "<br/>")
    return f"<{tag}>{text}</{tag}>"


def _archive(media_type: str, members: Mapping[str, str]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", media_type, zipfile.ZIP_STORED)
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()
