"""Tests of reading the definitions of agents."""

from __future__ import annotations

from typing import Any

import pytest

from agents.arguments import check_values, read_arguments
from agents.definitions import check_name, read_definition
from agents.shipped import shipped_agents
from mcpapi.catalog import PRODUCT
from memories.errors import InvalidInput, MemoriesError, SecretRejected
from tests.agents.support import REVIEWER


def test_a_definition_is_read_and_written_without_loss() -> None:
    definition = read_definition(REVIEWER)
    assert read_definition(definition.as_data()) == definition
    assert definition.as_data()["config"] == REVIEWER["config"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"soul": ""}, "soul: is required"),
        ({"soul": 7}, "soul: must be a text"),
        ({"soul": "x" * 20_001}, "soul: has 20,001 characters; at most 20,000"),
        ({"soul": "nul \x00"}, "soul: contains a NUL"),
        ({"description": " "}, "description: is required"),
        ({"colour": "red"}, "colour: is unknown. Allowed are: title"),
        ({"tools": "recall"}, "tools: must be a list of names"),
        ({"tools": ["a b"]}, "tools: must be a list of names"),
        ({"config": []}, "config: must be an object"),
        ({"config": {"x": float("nan"), "y": object()}}, "config: has a value that JSON cannot represent"),
        ({"config": {"x": "y" * 30_000}}, "config: has 30"),
        ({"arguments": {}}, "arguments: must be a list"),
        ({"arguments": [{"name": "Service"}]}, "arguments: each must have a name"),
        ({"arguments": [{"name": "service"}, {"name": "service"}]}, "arguments: the name service is used twice"),
        ({"arguments": [{"name": "service", "type": "uuid"}]}, "arguments: the type of service must be one of"),
        ({"arguments": [{"name": "service", "type": "integer", "choices": ["1"]}]}, "can have choices only if"),
        ({"arguments": [{"name": "service", "required": True, "default": "x"}]}, "cannot have a default"),
        ({"arguments": [{"name": "service", "type": "integer", "default": "many"}]}, "must be a whole number"),
        ({"arguments": [{"name": "service", "colour": 1}]}, "has an unknown key colour"),
        ({"arguments": [{"name": "memories"}]}, "memories is the name of a placeholder"),
        ({"messages": "hello"}, "messages: must be a list"),
        ({"messages": [{"role": "robot", "content": "x"}]}, "each role must be one of: user, assistant, system"),
        ({"messages": [{"role": "user"}]}, "exactly the keys role and content"),
        ({"messages": [{"role": "user", "content": " "}]}, "messages: each content is required"),
        ({"messages": [{"role": "user", "content": "x"}] * 21}, "21 messages; at most 20"),
    ],
)
def test_what_is_wrong_is_named(change: dict[str, Any], said: str) -> None:
    with pytest.raises(MemoriesError) as caught:
        read_definition({**REVIEWER, **change})
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("soul", "said"),
    [
        ("{weather}", "{weather} is not an argument"),
        ("{memories:weather}", "names the argument weather, which does not exist"),
        ("{memories}", "needs an argument or words after a colon"),
        ("{memories:{service}}", "A placeholder cannot contain another one"),
        ('{memories:"about {service}"}', "A placeholder cannot contain another one"),
        ("{memories:}", "cannot be read"),
        ("{service:severity}", "only memories, own_memories, documents, document can have a colon"),
        (" ".join(f'{{memories:"{number}"}}' for number in range(9)), "9 placeholders insert memories or documents"),
    ],
)
def test_a_placeholder_that_is_unknown_or_recursive_is_an_error(soul: str, said: str) -> None:
    with pytest.raises(MemoriesError) as caught:
        read_definition({**REVIEWER, "soul": soul, "messages": []})
    assert said in str(caught.value)


def test_a_default_cannot_contain_a_placeholder() -> None:
    with pytest.raises(InvalidInput, match="templates are filled only once"):
        read_definition({**REVIEWER, "arguments": [{"name": "service", "default": "{severity}"}, {"name": "severity"}]})


@pytest.mark.parametrize("soul", ['Answer with {"a": {"b": 1}}.', "Write {{service}} for it.", "{ x }", "{Service}"])
def test_other_braces_are_text(soul: str) -> None:
    assert read_definition({**REVIEWER, "soul": soul}).soul == soul


@pytest.mark.parametrize("name", ["soul", "description", "title"])
def test_a_secret_is_refused(name: str) -> None:
    with pytest.raises(SecretRejected, match=name):
        read_definition({**REVIEWER, name: "Use sk-abcdefghijklmnopqrstuvwx"})


@pytest.mark.parametrize("name", ["", "A", "a_b", "a--b", "-a", "a-", "../x", "a/b", "x" * 65, "ä", "a\n"])
def test_a_name_is_lower_case_words_with_hyphens(name: str) -> None:
    with pytest.raises(InvalidInput, match="name: must have"):
        check_name(name)


@pytest.mark.parametrize(
    ("kind", "given", "read"),
    [
        ("string", " x ", "x"),
        ("string", 7, "7"),
        ("string", True, "true"),
        ("integer", "12", 12),
        ("integer", 3.0, 3),
        ("number", "0.5", 0.5),
        ("boolean", "Yes", True),
        ("boolean", False, False),
        ("date", "2026-05-17", "2026-05-17"),
    ],
)
def test_a_value_is_read_in_the_type_of_its_argument(kind: str, given: object, read: object) -> None:
    arguments = read_arguments([{"name": "it", "type": kind}])
    assert check_values(arguments, {"it": given}) == {"it": read}


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("string", ["x"]),
        ("string", {}),
        ("string", "half a pair \ud800"),
        ("integer", 1.5),
        ("integer", True),
        ("integer", "9" * 50),
        ("integer", 2**60),
        ("number", "nan"),
        ("number", "1e999"),
        ("boolean", "perhaps"),
        ("boolean", 1),
        ("date", "tomorrow"),
    ],
)
def test_a_value_of_another_type_is_refused_by_the_name_of_the_argument(kind: str, given: object) -> None:
    with pytest.raises(InvalidInput, match=r"^it: "):
        check_values(read_arguments([{"name": "it", "type": kind}]), {"it": given})


def test_missing_and_unknown_arguments_are_named() -> None:
    arguments = read_arguments([{"name": "it", "required": True, "description": "The thing."}])
    with pytest.raises(InvalidInput, match=r"it: is required. It is: The thing."):
        check_values(arguments, {"it": " "})
    with pytest.raises(InvalidInput, match=r"that: is not an argument. Allowed are: it"):
        check_values(arguments, {"it": "x", "that": 1})


def test_shipped_agents_name_only_tools_that_there_are() -> None:
    for name, definition in shipped_agents().items():
        assert set(definition.tools) <= PRODUCT.tools_by_name.keys(), name
    assert len(shipped_agents()) == 3
