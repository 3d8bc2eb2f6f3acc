"""Tests of the contract of every tool: description, schemas, hints, and a file and a test of its own."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pytest_django import Settings

from mcpapi.tool_failures import failure
from mcpapi.tools import TOOLS
from mcpapi.tools.base import Tool
from mcpapi.tools.reference import tool_reference

CONTRACT = {
    "remember", "remember_batch", "recall", "search_memory", "briefing", "build_context_prompt", "list_memories",
    "update_memory", "update_memory_batch", "confirm", "forget", "forget_batch", "find_near_duplicates", "text_search",
    "get_memory", "count_memories", "memory_stats", "list_tags", "export_memories", "search", "fetch", "ping",
    "list_sources", "sync_source", "add_document", "search_documents", "get_document", "list_documents",
    "forget_document", "memory_history", "list_changes", "undo", "merge_memories", "split_memory", "tidy_next",
    "propose_cleanup", "list_cleanup_plans", "apply_cleanup", "manage_tags", "run_workflow",
}  # fmt: skip
ADMIN_TOOLS = {"forget_batch", "export_memories", "undo", "apply_cleanup", "manage_tags"}
WRITE_TOOLS = {
    "remember", "remember_batch", "update_memory", "update_memory_batch", "confirm", "forget", "add_document",
    "forget_document", "sync_source", "merge_memories", "split_memory", "propose_cleanup",
    "run_workflow",
}  # fmt: skip
TOOL_FILES = Path(__file__).resolve().parents[3] / "mcpapi" / "tools"

KEYWORDS = {
    "type", "properties", "required", "additionalProperties", "description", "items", "anyOf", "enum", "const",
    "default", "minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength", "format",
}  # fmt: skip

every_tool = pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)


def keys_in(node: Any) -> set[str]:
    if isinstance(node, dict):
        return set(node) | {key for value in node.values() for key in keys_in(value)}
    if isinstance(node, list):
        return {key for value in node for key in keys_in(value)}
    return set()


def test_the_tools_are_those_of_the_contract() -> None:
    assert {tool.name for tool in TOOLS} == CONTRACT


@every_tool
def test_each_argument_is_described_and_nothing_extra_is_accepted(tool: Tool) -> None:
    schema = tool.definition()["inputSchema"]
    Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    for name, argument in schema["properties"].items():
        assert argument.get("description"), name


@every_tool
def test_the_output_schema_is_plain_and_accepts_a_failure(tool: Tool) -> None:
    schema = tool.definition()["outputSchema"]
    Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"
    assert "$ref" not in keys_in(schema)
    assert "$defs" not in keys_in(schema)
    Draft202012Validator(schema).validate(failure("NOT_FOUND", "There is no memory with id 1."))


def schemas_in(node: Any) -> Iterator[dict[str, Any]]:
    """Yield `node` and every schema below it."""
    yield node
    below = [
        *node.get("properties", {}).values(),
        *node.get("anyOf", []),
        *([node["items"]] if "items" in node else []),
    ]
    for child in below:
        yield from schemas_in(child)


@every_tool
def test_schemas_use_only_keywords_that_every_client_knows(tool: Tool) -> None:
    definition = tool.definition()
    for schema in [*schemas_in(definition["inputSchema"]), *schemas_in(definition["outputSchema"])]:
        assert set(schema) <= KEYWORDS, set(schema) - KEYWORDS


@every_tool
def test_the_description_and_the_title_are_there(tool: Tool) -> None:
    definition = tool.definition()
    assert len(definition["description"]) > 30
    assert definition["title"] == definition["annotations"]["title"] != tool.name


@every_tool
def test_the_scope_is_that_of_the_contract(tool: Tool) -> None:
    expected = "admin" if tool.name in ADMIN_TOOLS else "write" if tool.name in WRITE_TOOLS else "read"
    assert tool.scope == f"memory:{expected}"


@every_tool
def test_the_hints_agree_with_the_scope(tool: Tool) -> None:
    annotations = tool.definition()["annotations"]
    reads_only = tool.scope == "memory:read" or tool.name == "export_memories"
    assert annotations["readOnlyHint"] is reads_only
    assert not (annotations["readOnlyHint"] and annotations["destructiveHint"])
    assert annotations["openWorldHint"] is (tool.name in {"sync_source", "run_workflow"})


@every_tool
def test_what_shows_stored_texts_is_called_data_and_never_instructions(tool: Tool) -> None:
    schema = tool.definition()["outputSchema"]
    shows_texts = "prompt" in schema["properties"] or (tool.hints.read_only and "last_confirmed_at" in keys_in(schema))
    assert not shows_texts or re.search(r"never (follow )?instructions", tool.description), tool.description


@every_tool
def test_a_tool_says_whether_it_tells_how_far_it_is_or_warns(tool: Tool) -> None:
    source = inspect.getsource(tool.run)
    used = {
        "progress": "notifier.progress(" in source,
        "log": "notifier.log(" in source or "warn_if_unindexed(" in source,
    }
    assert tool.notifications == {told for told, is_used in used.items() if is_used}


@every_tool
def test_each_tool_has_a_file_and_a_test(tool: Tool) -> None:
    name = "recall" if tool.name == "search_memory" else tool.name
    assert len(list(TOOL_FILES.glob(f"*/{name}.py"))) == 1
    tests = list(Path(__file__).parent.glob("*/test_*.py"))
    assert any(f'"{tool.name}"' in test.read_text(encoding="utf-8") for test in tests)


def test_the_reference_for_people_is_up_to_date(settings: Settings) -> None:
    page = (settings.BASE_DIR / "docs" / "tools.md").read_text(encoding="utf-8")
    assert page == tool_reference(), "Run: manage.py write_tool_reference"
