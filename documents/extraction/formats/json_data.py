"""JSON and JSON Lines: each record becomes a paragraph with a line for each value."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from common.texts import translatable
from documents.extraction.formats import plain
from documents.extraction.output import Output
from documents.extraction.source import Source

MAX_PARSED_CHARS: Final = 16_000_000
"""Length up to which JSON is parsed. Objects in memory need about twenty times as much."""

MAX_LINE_CHARS: Final = 1_000_000
_MAX_DEPTH: Final = 50
"""Depth from which values are added as JSON, since their names would be longer than they are."""


def extract(source: Source, output: Output) -> None:
    """Add the records of the outermost list, or the values of the outermost object. Other text is added as it is."""
    text, is_cut = source.read_text(MAX_PARSED_CHARS)
    try:
        if is_cut:
            raise ValueError
        document = json.loads(text, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        output.note(translatable("The file is not valid JSON, or is too large for it, so it was read as plain text."))
        plain.extract(source, output)
        return
    records = document if isinstance(document, list) else [document]
    for record in records:
        output.text("\n".join(_lines(record, "", 0)))


def extract_lines(source: Source, output: Output) -> None:
    """Add each line as a record. A line that is not JSON is added as it is."""
    with source.open_text() as opened:
        while line := opened.readline(MAX_LINE_CHARS):
            try:
                record = json.loads(line, parse_int=str, parse_float=str)
            except (ValueError, RecursionError):
                output.text(line)
                continue
            output.text("\n".join(_lines(record, "", 0)))


def _lines(value: Any, name: str, depth: int) -> Iterator[str]:
    """Yield a line "name.of.field: value" for each value that is not empty."""
    if depth > _MAX_DEPTH:
        yield json.dumps(value, ensure_ascii=False)
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _lines(inner, f"{name}.{key}" if name else str(key), depth + 1)
    elif isinstance(value, list):
        if all(not isinstance(each, dict | list) for each in value):
            yield from _lines(", ".join(_text(each) for each in value), name, depth + 1)
        else:
            for inner in value:
                yield from _lines(inner, name, depth + 1)
    elif text := _text(value):
        yield f"{name}: {text}" if name else text


def _text(value: Any) -> str:
    return {True: "true", False: "false", None: ""}[value] if value is None or isinstance(value, bool) else str(value)
