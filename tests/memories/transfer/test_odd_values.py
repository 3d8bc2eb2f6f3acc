"""Exports whose values are not what their program writes: each gives entries, never an exception."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from memories.errors import MemoriesError
from memories.transfer.entries import UnreadableFile
from memories.transfer.options import Conversations, ImportOptions
from memories.transfer.records import parse_record
from tests.support.imports import FIXTURES, source_of

ODD: list[Any] = [
    None,
    True,
    -1,
    0.5,
    10**400,
    1e308,
    float("nan"),
    "",
    " ",
    "x\x00",
    "\ud800",
    "9" * 30,
    [],
    [None],
    [[]],
    {},
    {"a": {}},
]
FILES = sorted(path.name for path in FIXTURES.glob("*.json"))


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of each value in a document."""
    if path:
        yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from places(child, (*path, key))


def changed(document: Any, path: tuple[Any, ...], value: object) -> Any:
    copy = json.loads(json.dumps(document))
    target = copy
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = value
    return copy


@pytest.mark.parametrize("name", FILES)
def test_an_odd_value_anywhere_is_no_exception(name: str) -> None:
    document = json.loads((FIXTURES / name).read_text(encoding="utf-8"))
    choose = random.Random(name)
    for path in places(document):
        for value in choose.sample(ODD, 4):
            _read(json.dumps(changed(document, path, value)))


def _read(content: str) -> None:
    try:
        for entry in source_of(content, "export.json", ImportOptions(conversations=Conversations.ABOUT_ME)).entries:
            if entry.value is not None:
                parse_record(entry.value).draft.checked()
    except (UnreadableFile, MemoriesError):
        pass


def test_a_number_that_is_too_long_to_be_read_is_an_error_of_the_file() -> None:
    with pytest.raises(UnreadableFile, match="is not valid JSON"):
        source_of("[" + "1" * 10_000 + "]")
