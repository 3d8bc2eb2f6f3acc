"""Agents as TOML files: reading them, with the line of an error, and writing them."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from agents.definitions import AgentDefinition
from agents.file_content import FileAgent, InvalidFile, decode, read_agent

SUFFIX = ".toml"

_AT_LINE = re.compile(r"\(at (?:line (?P<line>[0-9]+), column [0-9]+|end of document)\)")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def parse_file(file_name: str, content: bytes) -> FileAgent:
    """Return the agent in a file. Its name is that of the file without `.toml`. Raises InvalidFile."""
    text = decode(content)
    return read_agent(file_name.removesuffix(SUFFIX), _parsed(text), partial(_line_of, text))


def _parsed(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _AT_LINE.search(str(error))
        if place is None:
            raise InvalidFile(f"{error}.") from None
        line = int(place["line"]) if place["line"] else text.count("\n") + 1
        raise InvalidFile(f"{_AT_LINE.sub('', str(error)).strip()}.", line) from None
    except (RecursionError, ValueError):
        raise InvalidFile("The file is nested too deeply, or has a number that is too large.") from None


def _line_of(text: str, key: str) -> int | None:
    """Return the first line on which `key` is set; None if there is none."""
    found = re.search(rf"^[ \t]*(?:\[\[?[ \t]*)?{re.escape(key)}[ \t]*(?:[=\].])", text, re.MULTILINE)
    return None if found is None else text.count("\n", 0, found.start()) + 1


def format_file(definition: AgentDefinition, *, is_enabled: bool = True) -> str:
    """Return the definition as a TOML file. `parse_file` returns an equal one."""
    data = definition.as_data()
    lines = [] if is_enabled else ["enabled = false"]
    lines += [f"{key} = {_value(data[key])}" for key in ("title", "description", "soul", "tools") if data[key]]
    if data["config"]:
        lines += ["", *_table("config", data["config"])]
    for key in ("arguments", "messages"):
        for item in data[key]:
            lines += ["", *_table(key, item, is_item=True)]
    return "\n".join([*lines, ""])


def _table(name: str, items: Mapping[str, Any], *, is_item: bool = False) -> Iterator[str]:
    yield f"[[{name}]]" if is_item else f"[{name}]"
    for key, value in items.items():
        # TOML has no null: a key without a value is left out.
        if value is not None:
            yield f"{_key(key)} = {_value(value)}"


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _text(key)


def _value(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return _block(value) if "\n" in value else _text(value)
        case list():
            return f"[{', '.join(_value(each) for each in value if each is not None)}]"
        case dict():
            inner = ", ".join(f"{_key(key)} = {_value(each)}" for key, each in value.items() if each is not None)
            return f"{{ {inner} }}" if inner else "{}"
        case _:
            # Numbers are written alike, also with an exponent.
            return json.dumps(value)


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _block(value: str) -> str:
    """Return a text of several lines in TOML's multi-line form, which begins after the first line break."""
    escaped = value.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    escaped = _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", escaped)
    if escaped.endswith('"'):
        escaped = f'{escaped[:-1]}\\"'
    return f'"""\n{escaped}"""'
