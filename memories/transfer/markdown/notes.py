"""Markdown notes: a memory for each paragraph and list item, as in Obsidian and in notes of basic-memory.

In basic-memory a list item `[category] text #tag (context)` is an observation about the note's title, and
`relation [[Target]]` a relation of it to another note:
https://github.com/basicmachines-co/basic-memory/blob/main/README.md (The Markdown format) and
https://github.com/basicmachines-co/basic-memory/blob/main/src/basic_memory/markdown/plugins.py
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from common.texts import translatable
from memories.transfer.entries import Entry, UnreadableFile
from memories.transfer.files.import_file import ImportFile
from memories.transfer.formats.base import Fields, Reading, Record, TextFormat
from memories.transfer.formats.knowledge_graph import about
from memories.transfer.markdown import memory_files
from memories.transfer.markdown.blocks import Block, blocks, heading_tag
from memories.transfer.markdown.exported import exported_record
from memories.transfer.markdown.front_matter import Section, sections
from memories.transfer.markdown.inline import split_tags, without_links
from memories.transfer.options import Format

MAX_FILE_BYTES: Final = 16_000_000
"""Largest Markdown file, because it is parsed as a whole."""

FIELDS: Final[Fields] = (
    ("each paragraph and each list item", "a memory"),
    ("a list item below another one", "the outer item, a colon, and the item"),
    ("headings of at most three words, #tags, tags of the front matter", "tags"),
    ("created, date (front matter)", "created_at"),
    ("observations and relations of basic-memory", "the title and the statement; the category is a tag"),
    ("files that `manage.py export` has written", "the memory with all its fields"),
    ("tables, code, HTML, tasks, files of instructions", "left out"),
)
_OBSERVATION = re.compile(r"\A\[(?P<category>[^\[\]()]+)\]\s+(?P<text>.+)", re.DOTALL)
_TIMECODE = re.compile(r"\A[\d:.,\s-]+\Z")
_RELATION = re.compile(
    r"\A(?P<kind>[^\s\[\]]+|\"[^\"]+\"|'[^']+')\s+\[\[(?P<target>[^\[\]]+)\]\](?:\s+\((?P<context>[^()]*)\))?\Z"
)
_LINK_ONLY = re.compile(r"\A(?:!?\[\[[^\[\]]+\]\]|https?://\S+|\W+)\Z")
_GENERIC_HEADINGS: Final = {"observations", "relations", "notes", "memories", "memory", "facts", "index", "overview"}


def read(file: ImportFile, _: Reading) -> Iterator[Entry]:
    """Yield the entries of a note. Raises UnreadableFile if it is too large or not UTF-8."""
    content = note_text(file)
    if (record := exported_record(content)) is not None:
        yield Entry(translatable("line %(number)s", number=1), record)
        return
    origin = memory_files.origin_of(file)
    for section in sections(content):
        shared = _shared(section, origin)
        for block in blocks(section.text, section.first_line):
            yield _entry(block, section, shared, _title(section, file), origin)


def note_text(file: ImportFile) -> str:
    """Return the text of a file. Raises UnreadableFile."""
    file.stream.seek(0)
    content = file.stream.read(MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:
        raise UnreadableFile(
            translatable(
                "%(name)s is larger than %(max_file_bytes)s MB. Divide it into several files.",
                name=file.name,
                max_file_bytes=MAX_FILE_BYTES // 1_000_000,
            )
        )
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise UnreadableFile(
            translatable(
                "%(name)s is not valid UTF-8 at byte %(start)s. Save it as UTF-8.",
                name=file.name,
                start=error.start + 1,
            )
        ) from None


def _title(section: Section, file: ImportFile) -> str | None:
    """Return the title of a note of basic-memory, None for any other: its statements are complete sentences."""
    return section.value("title") or file.base_name.rpartition(".")[0] if section.value("permalink") else None


def _shared(section: Section, origin: memory_files.Origin) -> Record:
    """Return the fields that all memories of a section have."""
    created = section.value("created", "created_at", "date", "updated_at")
    try:
        said_at = None if created is None else datetime.fromisoformat(created)
    except ValueError:
        # People write dates in many forms; a note is not refused for that.
        said_at = None
    if said_at is not None and said_at.tzinfo is None:
        said_at = said_at.replace(tzinfo=UTC)
    return {
        "tags": [*section.tags(), *origin.tags(section)],
        "session_id": section.value("originsessionid", "session_id"),
        "source_provider": origin.provider,
        "created_at": said_at and said_at.isoformat(),
    }


def _entry(block: Block, section: Section, shared: Record, title: str | None, origin: memory_files.Origin) -> Entry:
    place = translatable("line %(number)s", number=block.line)
    reason = block.left_out or origin.reason_to_leave_out(block)
    if reason is not None:
        return Entry(place, left_out=reason)
    tags = list(shared["tags"])
    content = block.text
    if block.is_item and (relation := _RELATION.match(content)) and title:
        return Entry(place, shared | {"text": _relation(relation, title), "source_provider": "basic-memory"})
    if _LINK_ONLY.match(content):
        return Entry(place, left_out=translatable("links without a text"))
    observation = _OBSERVATION.match(content) if block.is_item else None
    if observation and not _TIMECODE.match(observation["category"]) and not content.startswith("[["):
        tags.append(observation["category"])
        content = observation["text"]
    statement, own_tags = split_tags(without_links(content))
    if not any(character.isalnum() for character in statement):
        return Entry(place, left_out=translatable("blocks without a text"))
    tags += own_tags
    if block.heading.strip().casefold() not in {*_GENERIC_HEADINGS, (section.value("title") or "").casefold()}:
        tags += heading_tag(without_links(block.heading))
    if title:
        statement, shared = about(title, statement), shared | {"source_provider": "basic-memory"}
    return Entry(place, shared | {"text": statement, "tags": tags})


def _relation(relation: re.Match[str], title: str) -> str:
    kind = relation["kind"].strip("\"'").replace("_", " ")
    target = relation["target"].rpartition("|")[2].rpartition("/")[2].strip()
    context = f" ({relation['context']})" if relation["context"] else ""
    return f"{title} {kind} {target}{context}"


MARKDOWN: Final = TextFormat(Format.MARKDOWN, "Markdown", FIELDS, read)
