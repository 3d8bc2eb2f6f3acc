"""Markdown with front matter. CommonMark 0.31, with the tables of GitHub."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token

from common.texts import translatable
from documents.extraction.output import Output
from documents.extraction.source import Source
from documents.extraction.xml import parse_time

MAX_PARSED_CHARS: Final = 5_000_000
MAX_FRONT_MATTER_CHARS: Final = 64 * 1024

_FRONT_MATTER = re.compile(r"\A\ufeff?---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_DATES: Final = ("date", "created", "created_at")
_METADATA: Final = ("description", "summary", "category", "language", "lang", "source", "url")


def extract(source: Source, output: Output) -> None:
    """Add headings, paragraphs, lists, tables and code, and the properties of the front matter."""
    text, is_cut = source.read_text(MAX_PARSED_CHARS)
    front = _FRONT_MATTER.match(text[:MAX_FRONT_MATTER_CHARS])
    if front and (properties := _properties(front[1])) is not None:
        _add_properties(properties, output)
        text = text[front.end() :]
    _add_tokens(MarkdownIt("commonmark").enable("table").parse(text), output)
    if is_cut:
        output.is_truncated = True
        output.note(
            translatable(
                "Only the first %(max_parsed_chars)s characters were read.", max_parsed_chars=f"{MAX_PARSED_CHARS:,}"
            )
        )


def _properties(text: str) -> dict[Any, Any] | None:
    try:
        # All scalars stay strings: "yes" and "2024" are tags as well, and no date can be invalid.
        found = yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506 - it creates strings, lists and dicts only
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _add_properties(properties: dict[Any, Any], output: Output) -> None:
    lowered = {str(key).lower(): value for key, value in properties.items()}
    output.set_title(_text(lowered.get("title")))
    output.set_author(_text(lowered.get("author") or lowered.get("authors")))
    output.set_created_at(next((moment for name in _DATES if (moment := parse_time(_text(lowered.get(name))))), None))
    output.set_tags(tag.lstrip("#") for name in ("tags", "tag", "keywords") for tag in _list(lowered.get(name)))
    for name in _METADATA:
        output.add_metadata(name, _text(lowered.get(name)))


def _text(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(each for each in value if isinstance(each, str))
    return value if isinstance(value, str) else ""


def _list(value: object) -> list[str]:
    if isinstance(value, str):
        return value.split(",") if "," in value else value.split()
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _add_tokens(tokens: list[Token], output: Output) -> None:
    stream = iter(tokens)
    for token in stream:
        if token.type == "heading_open":
            output.heading(_inline(_until(stream, "heading_close")), int(token.tag[1]))
        elif token.type in ("bullet_list_open", "ordered_list_open"):
            output.outline("\n".join(_entries(_balanced(stream, token))))
        elif token.type == "table_open":
            output.table(_rows(_until(stream, "table_close")))
        elif token.type in ("fence", "code_block"):
            output.code(token.content)
        elif token.type == "html_block":
            output.text(re.sub(r"<[^<>]*>", " ", token.content))
        elif token.type == "inline":
            output.text(_inline([token]))


def _until(stream: Iterator[Token], kind: str) -> list[Token]:
    tokens = []
    for token in stream:
        if token.type == kind:
            break
        tokens.append(token)
    return tokens


def _balanced(stream: Iterator[Token], opening: Token) -> Iterator[Token]:
    """Yield the tokens up to the end of a list, which may contain others."""
    for token in stream:
        if token.type == opening.type.replace("open", "close") and token.level == opening.level:
            return
        yield token


def _entries(tokens: Iterable[Token]) -> Iterator[str]:
    mark, depth = "", 0
    for token in tokens:
        if token.type in ("bullet_list_open", "ordered_list_open"):
            depth += 1
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            depth -= 1
        elif token.type == "list_item_open":
            # Items of ordered lists have their number.
            mark = "  " * depth + (f"{token.info}{token.markup} " if token.info else "- ")
        elif token.type == "inline" or token.content:
            text = _inline([token]) if token.type == "inline" else token.content
            yield f"{mark}{text}"
            mark = ""


def _rows(tokens: Iterable[Token]) -> Iterator[list[str]]:
    row: list[str] = []
    for token in tokens:
        if token.type == "tr_open":
            row = []
        elif token.type == "inline":
            row.append(_inline([token]))
        elif token.type == "tr_close":
            yield row


def _inline(tokens: Iterable[Token]) -> str:
    """Return the text of inline tokens without their marks, with the text of links and images.

    A line that was only wrapped continues the line before: CommonMark 0.31, section 6.8.
    """
    pieces = []
    for token in tokens:
        for child in token.children or ():
            if child.type in ("softbreak", "hardbreak"):
                pieces.append(" " if child.type == "softbreak" else "\n")
            elif child.type != "html_inline":
                pieces.append(child.content)
    return "".join(pieces)
