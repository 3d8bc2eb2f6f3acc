"""Tables as text: values separated by commas, semicolons or tabs (CSV, TSV). RFC 4180."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import IO, Final

from documents.extraction.output import Output
from documents.extraction.source import Source

MAX_CELL_CHARS: Final = 1 << 20
_SAMPLE_CHARS: Final = 16 * 1024
_DELIMITERS: Final = ",;\t|"


def extract(source: Source, output: Output) -> None:
    """Add the rows as a table. A file that is not a table becomes plain text lines."""
    csv.field_size_limit(MAX_CELL_CHARS)
    with source.open_text() as opened:
        sample = opened.read(_SAMPLE_CHARS)
        opened.seek(0)
        delimiter = "\t" if source.extension in (".tsv", ".tab") else _delimiter(sample)
        output.table(_rows(opened, delimiter))


def _rows(opened: IO[str], delimiter: str) -> Iterator[list[str]]:
    rows = csv.reader(_limited_lines(opened), delimiter=delimiter)
    while True:
        try:
            yield next(rows)
        except StopIteration:
            return
        except csv.Error:
            # A cell is too long, because a quotation mark is missing. The following rows may be intact.
            continue


def _limited_lines(opened: IO[str]) -> Iterator[str]:
    while line := opened.readline(MAX_CELL_CHARS):
        yield line


def _delimiter(sample: str) -> str:
    """Return the separator by the first lines: the one that occurs equally often in each, and most often."""
    lines = [line for line in sample.splitlines()[:20] if line.strip()][:-1] or sample.splitlines()[:1]
    counts = {delimiter: [line.count(delimiter) for line in lines] for delimiter in _DELIMITERS}
    return max(_DELIMITERS, key=lambda each: (min(counts[each], default=0), sum(counts[each])))
