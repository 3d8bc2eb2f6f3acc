"""Tests of agents as TOML files."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.definitions import read_definition
from agents.file_content import InvalidFile
from agents.shipped import shipped_agents
from agents.toml_files import format_file, parse_file
from memories.errors import MemoriesError
from tests.agents.support import REVIEWER

VALID = 'description = "x"\nsoul = "y"\n'


def test_a_definition_round_trips_through_its_file() -> None:
    definition = read_definition(REVIEWER)
    for is_enabled in (True, False):
        read = parse_file("reviewer.toml", format_file(definition, is_enabled=is_enabled).encode())
        assert (read.name, read.definition, read.is_enabled) == ("reviewer", definition, is_enabled)
    for name, shipped in shipped_agents().items():
        assert parse_file(f"{name}.toml", format_file(shipped).encode()).definition == shipped


@given(
    st.text(min_size=1, max_size=40),
    st.recursive(
        st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
        max_leaves=6,
    ),
)
def test_any_text_and_configuration_round_trip(text: str, value: object) -> None:
    try:
        definition = read_definition({"description": "x", "soul": f"{text}\n\n{text}", "config": {"key": value}})
    except MemoriesError:
        return
    assert parse_file("a.toml", format_file(definition).encode()).definition == definition


@pytest.mark.parametrize(
    ("content", "said", "line"),
    [
        (b'description = "x"\nsoul = \n', "Invalid value", 2),
        (b'description = "x"\nsoul = "y', "Unterminated string", 2),
        (b'description = "x"\n\nsoul = ""\n', "soul: is required", 3),
        (b'description = "x"\nsoul = "y"\ncolour = "red"\n', "colour: is unknown", 3),
        (b'description = "x"\nsoul = "y"\n[[arguments]]\nname = "A"\n', "arguments: each must have a name", 3),
        (b'description = "x"\nsoul = "{z}"\n', "soul: {z} is not an argument", 2),
        (b'name = "other"\ndescription = "x"\nsoul = "y"\n', "name: must be the name of the file", 1),
        (b'enabled = "no"\ndescription = "x"\nsoul = "y"\n', "enabled: must be true or false", 1),
        (b'description = "x"\nsoul = "\xff"\n', "The file is not UTF-8", 2),
        (b'soul = "y"\n', "description: is required", None),
        (b"x" * 600_000, "more than 500000 bytes", None),
        (b"a = " + b"[" * 100_000, "nested too deeply", None),
    ],
)
def test_an_error_is_named_with_its_line(content: bytes, said: str, line: int | None) -> None:
    with pytest.raises(InvalidFile) as caught:
        parse_file("reviewer.toml", content)
    assert said in caught.value.problem
    assert caught.value.line == line


@pytest.mark.parametrize("name", ["Reviewer.toml", "a b.toml", ".toml", "x" * 70 + ".toml"])
def test_a_file_needs_the_name_of_an_agent(name: str) -> None:
    with pytest.raises(InvalidFile, match="name: must have at most 64 characters"):
        parse_file(name, VALID.encode())


def test_times_of_toml_become_texts_of_the_configuration() -> None:
    content = VALID + "[config]\nsince = 2026-05-17\nat = [07:30:00]\n"
    assert parse_file("a.toml", content.encode()).definition.config == {"since": "2026-05-17", "at": ["07:30:00"]}
