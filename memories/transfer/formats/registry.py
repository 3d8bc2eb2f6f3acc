"""All formats, and the detection of the format of a file by its content.

A name decides only where the content fits two formats: `.jsonl` and `.csv` with a first line that is neither, and
Markdown without any mark of Markdown.
"""

from __future__ import annotations

import codecs
import json
import re
from itertools import islice
from typing import Final

from common.texts import translatable
from memories.transfer.conversations.chatgpt import CHATGPT
from memories.transfer.conversations.claude import CLAUDE
from memories.transfer.conversations.claude_memory import CLAUDE_MEMORY
from memories.transfer.entries import Entry, UnreadableFile
from memories.transfer.files.import_file import ImportFile
from memories.transfer.formats import own
from memories.transfer.formats.base import JsonFormat, TextFormat
from memories.transfer.formats.delimited import CSV, header_of
from memories.transfer.formats.json_stream import MAX_SAMPLES, WHOLE, ListShape, Shape
from memories.transfer.formats.knowledge_graph import KNOWLEDGE_GRAPH
from memories.transfer.formats.lines import TEXT, json_lines
from memories.transfer.formats.mcp_memory_service import MCP_MEMORY_SERVICE
from memories.transfer.formats.mem0 import MEM0
from memories.transfer.formats.postgres_dump import POSTGRES_DUMP, is_dump
from memories.transfer.formats.sqlite_database import MAGIC, SQLITE
from memories.transfer.formats.supermemory import SUPERMEMORY
from memories.transfer.formats.zep import ZEP
from memories.transfer.markdown.front_matter import begins_with_properties
from memories.transfer.markdown.notes import MARKDOWN
from memories.transfer.markdown.pasted import PASTED, is_pasted
from memories.transfer.options import Format

JSON_FORMATS: Final = (
    *(CHATGPT, CLAUDE, CLAUDE_MEMORY, MCP_MEMORY_SERVICE, KNOWLEDGE_GRAPH, SUPERMEMORY, ZEP, MEM0),
    # The last one, because it takes every list.
    own.OWN,
)
TEXT_FORMATS: Final = (CSV, TEXT, MARKDOWN, PASTED, POSTGRES_DUMP)

_JSON_LINES: Final = frozenset({".jsonl", ".ndjson"})
_JSON: Final = _JSON_LINES | {".json"}
_DELIMITED: Final = frozenset({".csv", ".tsv"})
_MARKDOWN: Final = frozenset({".md", ".markdown", ".mdc", ".cursorrules"})
_HEADING = re.compile(r"#{1,6}\s+\S")
_TABLE = re.compile(r"\|?\s*:?-{3,}:?\s*(?:\|\s*:?-{3,}:?\s*)+\|?")
_JSON_START = re.compile(r'\{\s*["}]|\[\s*(?:[\[{"\]\d\-tfn]|\Z)')
_BRACKETED = re.compile(r'\[[^\]\["{]*\]\s*[-–—:(*\w]')
_BULLET = re.compile(r"(?:[-*+•]|\d{1,3}[.)])\s+\S")


def text_format(file: ImportFile, chosen: Format) -> TextFormat | None:
    """Return the format of a file that is not JSON, None if it is JSON. Raises UnreadableFile.

    `chosen` replaces the detection, except that a database stays a database.
    """
    sample = file.sample()
    if sample.startswith(MAGIC):
        return SQLITE
    _refuse_unreadable(sample, file.name)
    if chosen is not Format.AUTO:
        return next((each for each in TEXT_FORMATS if each.format is chosen), None)
    if is_dump(sample):
        return POSTGRES_DUMP
    text = sample.removeprefix(codecs.BOM_UTF8).decode("utf-8", "ignore").lstrip()
    if file.suffix in _JSON or _may_be_json(text):
        return None
    if file.suffix in _DELIMITED or header_of(text.partition("\n")[0]) is not None:
        return CSV
    if is_pasted(text):
        return PASTED
    return MARKDOWN if _is_markdown(text, file) else TEXT


def _refuse_unreadable(sample: bytes, name: str) -> None:
    if sample.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise UnreadableFile(translatable("%(name)s is UTF-16. Save it as UTF-8.", name=name))
    if sample.startswith(b"\x1f\x8b"):
        raise UnreadableFile(translatable("%(name)s is compressed with gzip. Unpack it first.", name=name))
    if sample.startswith(b"PGDMP"):
        raise UnreadableFile(
            translatable(
                "%(name)s is a dump in PostgreSQL's own format. Convert it with pg_restore --file=dump.sql.", name=name
            )
        )
    if b"\x00" in sample:
        raise UnreadableFile(
            translatable("%(name)s is not a text file. Import an export of the program that wrote it.", name=name)
        )
    if _is_other_encoding(sample):
        raise UnreadableFile(
            translatable(
                "%(name)s is not UTF-8, but another encoding such as Windows-1252. Save it as UTF-8.", name=name
            )
        )


def _is_other_encoding(sample: bytes) -> bool:
    """Whether no line with letters beyond ASCII is UTF-8. A single such line may be damaged, and then fails alone."""
    lines = [line for line in sample.rpartition(b"\n")[0].splitlines() if not line.isascii()]
    return len(lines) > 1 and not any(_is_utf8(line) for line in lines)


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _may_be_json(text: str) -> bool:
    """Whether a text that begins like JSON is JSON: a fact may begin with a quote or a bracket, too."""
    if text.startswith('"'):
        return _is_json(text.partition("\n")[0])
    # Links and tasks of Markdown and dates of pasted lists begin with a bracket as well.
    return _JSON_START.match(text) is not None and not _BRACKETED.match(text)


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _is_markdown(text: str, file: ImportFile) -> bool:
    if file.suffix in _MARKDOWN or file.base_name in _MARKDOWN or begins_with_properties(text):
        return True
    lines = [line for each in text.splitlines() if (line := each.strip())]
    bullets = sum(_BULLET.match(line) is not None for line in lines)
    has_mark = any(_HEADING.match(line) or _TABLE.fullmatch(line) for line in lines)
    return has_mark or (bullets > 1 and bullets * 2 >= len(lines))


def json_format(shape: Shape, chosen: Format) -> tuple[JsonFormat, tuple[str, ...]] | None:
    """Return the format of a JSON document and the keys of its lists, None if it is none of them."""
    for each in JSON_FORMATS:
        if chosen in (Format.AUTO, Format.JSONL, each.format) and (keys := each.lists(shape)):
            return each, keys
    return None


def json_lines_format(file: ImportFile, chosen: Format) -> tuple[JsonFormat, Shape]:
    """Return the format of the lines of a file, by the first values that can be read, and the shape of these."""
    values = (value for _, value in json_lines(file) if not isinstance(value, Entry))
    samples = list(islice(values, MAX_SAMPLES))
    # The first line that is an object tells the format: others may be texts.
    samples.sort(key=lambda value: not isinstance(value, dict))
    shape = Shape({WHOLE: ListShape(len(samples), samples)})
    found = json_format(shape, chosen)
    return (found[0] if found else own.OWN), shape


def is_json_lines(file: ImportFile, chosen: Format) -> bool:
    """Whether a JSON file has a value on each line. A file of one line is, unless that is a list or a whole export."""
    if chosen in (Format.JSONL, Format.JSON):
        return chosen is Format.JSONL
    if file.suffix in _JSON_LINES:
        return True
    text = file.sample().removeprefix(codecs.BOM_UTF8).decode("utf-8", "ignore").lstrip()
    line, newline, rest = text.partition("\n")
    if not text.startswith(("{", '"')) or not _is_json(line):
        return False
    value = json.loads(line)
    is_export = isinstance(value, dict) and json_format(_shape_of_object(value), chosen) is not None
    return bool(newline and rest.strip()) or not is_export


def _shape_of_object(value: dict[str, object]) -> Shape:
    lists = {key: ListShape(len(each), each[:1]) for key, each in value.items() if isinstance(each, list)}
    return Shape(lists, {key: each for key, each in value.items() if key not in lists})
