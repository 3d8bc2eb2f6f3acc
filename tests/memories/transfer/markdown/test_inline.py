"""Tests of the tags in a line of Markdown."""

from __future__ import annotations

import time

import pytest

from memories.transfer.markdown.inline import split_tags


@pytest.mark.parametrize(
    ("line", "text", "tags"),
    [
        ("Tea is in the drawer #home #kitchen/drawer", "Tea is in the drawer", ["home", "kitchen", "drawer"]),
        ("The #kitchen/kettle is old\n#2nd ", "The kettle is old", ["kitchen", "kettle", "2nd"]),
        ("Issue #12 is open #a#b", "Issue #12 is open a#b", ["a"]),
        ("#home", "", ["home"]),
    ],
)
def test_tags_at_the_end_are_removed_and_others_stay_as_words(line: str, text: str, tags: list[str]) -> None:
    assert split_tags(line) == (text, tags)


@pytest.mark.parametrize("repeated", [" ", "\n", "#a ", "#1", "1", "#"])
@pytest.mark.parametrize("beginning", ["", "#", "a"])
def test_a_long_line_is_read_in_little_time(beginning: str, repeated: str) -> None:
    line = beginning + (repeated * 20_000)[:19_900] + "!"
    began = time.process_time()
    split_tags(line)
    assert time.process_time() - began < 0.5
