"""Tests of properties that are not YAML."""

from __future__ import annotations

import time

from memories.transfer.markdown.front_matter import sections


def test_lines_that_are_not_yaml_are_texts() -> None:
    (section,) = sections("---\nGlobs : *.ts, [\nname of it :  \t a: b  \nempty:\n---\nUse tabs.\n")
    assert section.properties == {"globs": "*.ts, [", "name of it": "a: b", "empty": ""}
    assert section.text == "Use tabs.\n"


def test_a_long_line_is_read_in_little_time() -> None:
    blanks = " " * 60_000
    for line in (f"a: x{blanks}y: [", f"a{blanks}b: [", f"a{blanks}: ["):
        began = time.process_time()
        list(sections(f"---\n{line}\n---\nUse tabs.\n"))
        assert time.process_time() - began < 1


def test_properties_without_an_end_are_text_and_read_in_little_time() -> None:
    text = "---\na:\n" + "  indented\n" * 10_000
    began = time.process_time()
    (section,) = sections(text)
    assert time.process_time() - began < 1
    assert (section.text, section.properties) == (text, {})
