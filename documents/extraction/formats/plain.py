"""Plain text and source code, in any encoding."""

from __future__ import annotations

from typing import Final

from documents.extraction.formats.languages import LANGUAGES
from documents.extraction.output import MAX_BLOCK_CHARS, Output
from documents.extraction.source import Source

_READ_CHARS: Final = 64 * 1024


def extract(source: Source, output: Output) -> None:
    """Add the paragraphs, which blank lines separate."""
    with source.open_text() as opened:
        paragraph: list[str] = []
        size = 0
        # A line may be as long as the file.
        while line := opened.readline(_READ_CHARS):
            if line.isspace() or size > MAX_BLOCK_CHARS:
                output.text("".join(paragraph))
                paragraph, size = [], 0
            paragraph.append(line)
            size += len(line)
        output.text("".join(paragraph))


def extract_code(source: Source, output: Output) -> None:
    """Add the text as code, with its spaces, and the language by the extension of the name."""
    output.add_metadata("language", LANGUAGES.get(source.extension))
    with source.open_text() as opened:
        while part := opened.read(MAX_BLOCK_CHARS):
            # To the end of the line, so that no line is divided.
            output.code(part + opened.readline(_READ_CHARS))
