"""Blocks of Markdown that can be facts: paragraphs and list items. CommonMark 0.31, with the tables of GitHub."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from common.texts import translatable
from memories.transfer.markdown.inline import is_bold_line, plain_text

_PARSER: Final = MarkdownIt("commonmark").enable("table")
_TASK = re.compile(r"\A\[[ xX/>?!*-]\]\s")
_SENTENCE_ENDS: Final = (".", "!", "?", "…", ".)", '."')
_FENCE = re.compile(r"^ {0,3}(?:```|~~~)")
_OUTER_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]")
_ITEM = re.compile(r"[ \t]*(?:#|(?:[-*+]|\d{1,9}[.)])[ \t])")
PART_CHARS: Final = 32 * 1024
"""Length from which a text is divided into parts."""

MAX_PART_CHARS: Final = 2 * PART_CHARS
MAX_LINE_CHARS: Final = 50_000
"""Longest line that is parsed. A longer one is too long to be a memory."""

_INTRODUCED: Final = ("bullet_list_open", "ordered_list_open", "fence", "table_open", "heading_open")
MAX_HEADING_WORDS: Final = 3
"""Longest heading that is a tag of the facts below it."""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph or a list item, or what is left out and why.

    `heading` is the nearest heading above it. `line` counts from 1. `is_item` distinguishes list items, and
    `links_to_note` those that begin with a link to a Markdown file, as in an index.
    """

    text: str
    line: int
    heading: str = ""
    is_item: bool = False
    links_to_note: bool = False
    left_out: str | None = None


@dataclass(slots=True)
class _Item:
    """A list item that is being read: its text, its line, and whether it has items of its own."""

    text: str = ""
    line: int = 0
    has_items: bool = False
    links_to_note: bool = False
    more: list[tuple[str, int]] = field(default_factory=list)


def blocks(text: str, first_line: int = 1) -> Iterator[Block]:
    """Yield the blocks of a text. Headings and lines that introduce a list or headings are not blocks."""
    heading = ""
    for line, part in _parts(text, first_line):
        if len(part) > MAX_LINE_CHARS and "\n" not in part:
            yield Block(part, line, heading)
            continue
        for found in _blocks(part, line, heading):
            if isinstance(found, Block):
                yield found
            else:
                heading = found


def _parts(text: str, first_line: int) -> Iterator[tuple[int, str]]:
    """Yield the parts of a long text with their first lines: the parser takes long and much memory for long texts.

    A part ends before a line that begins a block of its own in any case: a heading, an item of an outer list, or a
    paragraph after a blank line. If there is none, it ends in a block that is too long to be a memory, and the rest of
    that block is dropped. A line that is too long is a part of its own.
    """
    part: list[str] = []
    size, start, is_code, is_after_blank, is_rest = 0, first_line, False, True, False
    for number, line in enumerate(text.splitlines(keepends=True), start=first_line):
        begins_block = line.startswith("#") or _OUTER_ITEM.match(line) or (is_after_blank and not line[:1].isspace())
        is_long = len(line) > MAX_LINE_CHARS and not is_code
        can_end = size >= PART_CHARS and begins_block and not is_code
        must_end = size >= MAX_PART_CHARS
        if can_end or must_end or is_long:
            yield start, "".join(part)
            part, size, start = [], 0, number
        is_rest = (is_rest or (must_end and not can_end)) and bool(line.strip()) and not _ITEM.match(line)
        if is_long:
            yield number, line.strip()
            start = number + 1
            continue
        # The content of code is left out in any case, and a part must not end in it.
        is_fence = _FENCE.match(line) is not None
        shown = "\n" if is_rest or (is_code and not is_fence) else line
        part.append(shown)
        size += len(shown) if not is_code else 0
        is_code ^= is_fence
        is_after_blank = not line.strip()
    yield start, "".join(part)


def _blocks(text: str, first_line: int, heading: str) -> Iterator[Block | str]:
    """Yield the blocks of a part, and each heading as a text."""
    tokens, source = _PARSER.parse(text), text.splitlines()
    items, depth = list[_Item](), 0
    for index, token in enumerate(tokens):
        line = first_line + (token.map[0] if token.map else 0)
        if token.type == "table_open":
            yield Block("", line, left_out=translatable("tables"))
        elif token.type in ("fence", "code_block", "html_block"):
            yield Block("", line, left_out="HTML" if token.type == "html_block" else translatable("code"))
        depth += (token.type == "table_open") - (token.type == "table_close")
        if depth:
            continue
        if token.type == "list_item_open":
            if items:
                items[-1].has_items = True
            items.append(_Item(line=line))
        elif token.type == "list_item_close":
            yield from _closed(items, heading)
        elif token.type == "inline":
            content = plain_text(token).strip()
            if tokens[index - 1].type == "heading_open":
                heading = content
                yield heading
            elif items:
                _add(items[-1], token, line, source[line - first_line :])
            elif is_bold_line(token) and len(content.split()) <= MAX_HEADING_WORDS * 2:
                heading = content.rstrip(":")
                yield heading
            elif content and not _introduces_list(content, tokens, index):
                is_question = _is_closing_question(content, tokens, index)
                reason = translatable("sentences around the list") if is_question else None
                yield Block(plain_text(token, with_addresses=True).strip(), line, heading, left_out=reason)


def _add(item: _Item, token: Token, first_line: int, source: Sequence[str]) -> None:
    """Add a paragraph of an item, which begins at line `first_line` with the first line of `source`."""
    for offset, content in _paragraphs(plain_text(token, with_addresses=True).strip(), source):
        line = first_line + offset
        if not item.text:
            item.text, item.line, item.links_to_note = content, line, _begins_with_link(token)
        elif content:
            item.more.append((content, line))


def _paragraphs(content: str, source: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the paragraphs of an item with the offsets of their lines.

    In Markdown a line that is not indented belongs to the item above it. Where a sentence ends above it, it is rather a
    fact of its own: people write one per line.
    """
    lines = content.split("\n")
    start = 0
    for number in range(1, len(lines)):
        if lines[number - 1].endswith(_SENTENCE_ENDS) and not source[number][:1].isspace():
            yield start, "\n".join(lines[start:number])
            start = number
    yield start, "\n".join(lines[start:])


def _begins_with_link(token: Token) -> bool:
    first = next((child for child in token.children or () if child.type == "link_open" or child.content.strip()), None)
    return first is not None and str(first.attrs.get("href", "")).partition("#")[0].lower().endswith(".md")


def _closed(items: list[_Item], heading: str) -> Iterator[Block]:
    """Yield the blocks of the last item. An item above others is their context, unless it is a sentence itself."""
    item = items.pop()
    outer = [each.text.rstrip(":") for each in items if each.text and not each.text.endswith(_SENTENCE_ENDS)]
    is_context = item.has_items and not item.text.endswith(_SENTENCE_ENDS)
    if item.text and not is_context:
        is_task = _TASK.match(item.text) is not None
        content = ": ".join([*outer, item.text])
        reason = translatable("tasks") if is_task else None
        yield Block(content, item.line, heading, is_item=True, links_to_note=item.links_to_note, left_out=reason)
    for content, line in item.more:
        yield Block(content, line, heading)


def _introduces_list(content: str, tokens: list[Token], index: int) -> bool:
    """Whether a paragraph only introduces the list, the block of code or the headed parts after it."""
    if not content.endswith(":") or index + 2 >= len(tokens):
        return False
    after = tokens[index + 2].type
    has_bold_heading = after == "paragraph_open" and is_bold_line(tokens[index + 3])
    return has_bold_heading or after in _INTRODUCED


def _is_closing_question(content: str, tokens: list[Token], index: int) -> bool:
    """Whether a paragraph is the question of an assistant below its list, such as "Is there anything to correct?"."""
    is_last, before = index + 2 == len(tokens), tokens[index - 2].type if index > 1 else ""
    return is_last and content.endswith("?") and before in ("bullet_list_close", "ordered_list_close")


def heading_tag(heading: str) -> list[str]:
    """Return the heading as a tag if it is short and no date, else nothing."""
    plain = re.sub(r"[^\w\s-]", " ", heading)
    is_word = any(character.isalpha() for character in plain)
    return [plain] if is_word and len(plain.split()) <= MAX_HEADING_WORDS else []
