"""The memory of Claude in its export: what it remembers of all conversations, and of each project.

`memories.json`, or a file for each account in `memories/`, has `conversations_memory`, `project_memories` by the id of
the project, and in newer exports `memory_files` with a path and Markdown:
https://github.com/Design-in-Product/klatch/blob/main/packages/server/src/import/claude-ai-zip.ts (also texts that are
lists of characters) and https://github.com/Sinity/polylogue/blob/master/polylogue/sources/parsers/claude/ai_parser.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from common.texts import translatable
from memories.transfer.entries import Entry
from memories.transfer.formats.base import Fields, JsonFormat, Reading
from memories.transfer.formats.fields import Item, is_item, moment, not_an_object, text
from memories.transfer.formats.json_stream import WHOLE, Shape
from memories.transfer.markdown.blocks import blocks, heading_tag
from memories.transfer.markdown.inline import split_tags, without_links
from memories.transfer.options import Format

FIELDS: Final[Fields] = (
    ("each paragraph and list item of a memory", "a memory"),
    ("headings of at most three words", "tags"),
    ("path of a memory file", "a tag: the name of the file"),
    ("[stated], [inferred]", "capture_mode"),
    ("updated_at", "created_at"),
)
_KEYS: Final = {"conversations_memory", "project_memories", "memory_files"}
_MODES: Final = {"[stated]": "explicit", "[inferred]": "inferred"}


def lists(shape: Shape) -> tuple[str, ...]:
    """Return the document, which is an account or a list of them."""
    if _KEYS & (shape.values.keys() | shape.lists.keys()):
        return (WHOLE,)
    return (WHOLE,) if is_item(sample := shape.sample(WHOLE)) and _KEYS & sample.keys() else ()


def convert(value: object, _: Reading) -> Iterator[Entry]:
    """Yield the memories of one account."""
    if not is_item(value):
        yield not_an_object()
        return
    yield from _memories(_joined(value.get("conversations_memory")), "memory", [], None)
    projects = value.get("project_memories")
    for number, content in enumerate(projects.values() if is_item(projects) else [], start=1):
        yield from _memories(_joined(content), f"project {number}", ["project"], None)
    files = value.get("memory_files")
    for file in files if isinstance(files, list) else []:
        if is_item(file):
            yield from _file(file)


def _file(file: Item) -> Iterator[Entry]:
    path = PurePosixPath(text(file, "path") or "memory file")
    yield from _memories(_joined(file.get("content")), str(path), [path.stem], moment(file, "updated_at"))


def _memories(content: str, place: str, tags: list[str], said_at: str | None) -> Iterator[Entry]:
    for block in blocks(content):
        where = f"{place}, line {block.line}"
        if block.left_out:
            yield Entry(where, left_out=block.left_out)
            continue
        mode = next((mode for mark, mode in _MODES.items() if block.text.startswith(mark)), "inferred")
        plain = block.text.removeprefix("[stated]").removeprefix("[inferred]").strip()
        statement, own_tags = split_tags(without_links(plain))
        record = {
            "text": statement,
            "tags": [*tags, *heading_tag(block.heading), *own_tags],
            "capture_mode": mode,
            "source_provider": "claude",
            "created_at": said_at,
        }
        yield Entry(where, record)


def _joined(content: object) -> str:
    """Return a text, which some exports have as a list of its characters."""
    if isinstance(content, list) and all(isinstance(part, str) for part in content):
        return "".join(content)
    return content if isinstance(content, str) else ""


CLAUDE_MEMORY: Final = JsonFormat(Format.CLAUDE_MEMORY, translatable("Claude memory"), FIELDS, lists, convert)
