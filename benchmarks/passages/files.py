"""Files of every format, made from the plain sources."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping
from email.message import EmailMessage
from pathlib import Path

from benchmarks.passages.books import epub, odt
from benchmarks.passages.corpus import Source
from benchmarks.passages.office import docx, pptx, xlsx
from benchmarks.passages.pdf import pdf
from benchmarks.passages.texts import TEXTS, pieces_of, raw, table_of


def write_file(source: Source, folder: Path) -> Path:
    """Write the file of a document, and return its path."""
    path = folder / source.file_name
    path.write_bytes(_WRITERS[source.format](source))
    return path


def _txt(source: Source) -> bytes:
    paragraphs = [piece.text for piece in pieces_of(source.name)]
    return "\n\n".join(paragraphs).encode(source.encoding)


def _html(source: Source) -> bytes:
    if (TEXTS / f"{source.name}.html").exists():
        return raw(source.name, ".html").encode()
    title, *pieces = pieces_of(source.name)
    body = [
        f"<h{piece.level}>{html.escape(piece.text)}</h{piece.level}>"
        if piece.level
        else f"<p>{html.escape(piece.text)}</p>"
        for piece in pieces
    ]
    name = html.escape(title.text)
    parts = (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{name}</title></head>',
        f"<body><h1>{name}</h1>",
        *body,
        "</body></html>\n",
    )
    return "\n".join(parts).encode()


def _markdown(source: Source) -> bytes:
    title = pieces_of(source.name)[0].text
    return f'---\ntitle: "{title}"\ntags: [library]\n---\n\n{raw(source.name, ".md")}'.encode()


def _mail(source: Source) -> bytes:
    title, *pieces = pieces_of(source.name)
    message = EmailMessage()
    message["Subject"] = title.text
    message["From"] = "Reader <reader@example.org>"
    message["To"] = "Friend <friend@example.org>"
    message["Date"] = "Mon, 05 Jan 2026 10:00:00 +0000"
    message.set_content("\n\n".join(piece.text for piece in pieces) + "\n", cte="quoted-printable")
    return message.as_bytes()


_WRITERS: Mapping[str, Callable[[Source], bytes]] = {
    "txt": _txt,
    "html": _html,
    "md": _markdown,
    "eml": _mail,
    "docx": lambda source: docx(pieces_of(source.name)),
    "pptx": lambda source: pptx(pieces_of(source.name)),
    "pdf": lambda source: pdf(pieces_of(source.name), has_outline=source.has_outline),
    "odt": lambda source: odt(pieces_of(source.name)),
    "epub": lambda source: epub(pieces_of(source.name)),
    "xlsx": lambda source: xlsx(source.name, table_of(source.name)),
    "csv": lambda source: raw(source.name, ".csv").encode(),
    "json": lambda source: raw(source.name, ".json").encode(),
    "jsonl": lambda source: raw(source.name, ".jsonl").encode(),
    "c": lambda source: raw(source.name, ".c.txt").encode(),
    "py": lambda source: raw(source.name, ".py.txt").encode(),
}
