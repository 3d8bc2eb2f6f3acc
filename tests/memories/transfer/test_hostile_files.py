"""Files that are made to take long."""

from __future__ import annotations

import json
import time

import pytest

from memories.transfer.options import Conversations, Format, ImportOptions
from tests.support.imports import source_of

N = 100_000
LONG_TEXTS = {
    "blank lines": "a" + "\n" * N,
    "blanks": "a\n" + " " * N + "b",
    "a heading of blanks": "# a" + " " * N + "b",
    "hashes": "#\n\n" * (N // 3),
    "tags": "#a " * (N // 3) + "!",
    "an open date": "[2025-01-01 " + "1" * N,
    "open brackets": "[" * N,
    "open links": "[[" * (N // 2),
    "comments": "%%" * (N // 2) + "%",
    "quotes": ">" * N,
    "nested lists": "".join(f"{' ' * 2 * depth}- a\n" for depth in range(300)),
    "fences": "```\n" * (N // 4),
    "dashes": "-" * N,
    "a table line": "|" + "---|" * (N // 4) + "x",
    "properties": "---\n" + "a: b\n" * (N // 5),
    "open properties": "---\na: b\n" * (N // 10),
    "a long paragraph": "[\n" * N,
    "long code": "```\n" + "code\n" * N,
    "emphasis": "*a _b " * (N // 6),
}


@pytest.mark.parametrize("name", LONG_TEXTS)
@pytest.mark.parametrize("chosen", [Format.AUTO, Format.MARKDOWN, Format.PASTED])
def test_no_text_takes_long(name: str, chosen: Format) -> None:
    started = time.process_time()
    list(source_of(f"A line.\n{LONG_TEXTS[name]}", "file", ImportOptions(chosen)).entries)
    assert time.process_time() - started < 10


@pytest.mark.parametrize("name", LONG_TEXTS)
def test_no_message_takes_long(name: str) -> None:
    message = {"sender": "human", "text": f"I live here. My {LONG_TEXTS[name]}", "uuid": "m"}
    export = json.dumps([{"uuid": "c", "chat_messages": [message]}])
    started = time.process_time()
    list(source_of(export, options=ImportOptions(conversations=Conversations.ABOUT_ME)).entries)
    assert time.process_time() - started < 10
