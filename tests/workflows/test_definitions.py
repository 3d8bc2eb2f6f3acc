"""Tests of reading the definitions of workflows."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from memories.errors import InvalidInput, LimitExceeded, MemoriesError, SecretRejected
from oauthserver.models import User
from tests.workflows.support import STORE, make_workflow
from workflows.changes import change_workflow, delete_workflow
from workflows.definitions import parse_json, read_definition
from workflows.models import Workflow, WorkflowVersion
from workflows.schema import _validator

PING = {"id": "a", "tool": "ping"}


def flow(*steps: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {"description": "A flow.", "steps": list(steps), **changes}


def test_the_published_schema_is_valid_and_accepts_a_workflow() -> None:
    Draft202012Validator.check_schema(_validator().schema)
    definition = read_definition(STORE)
    assert definition.data == STORE
    assert [step.id for step in definition.steps] == ["first", "second"]


@pytest.mark.parametrize(
    ("definition", "said"),
    [
        ([], "definition: must be of the type object"),
        ({}, "needs the key"),
        ({"description": "x", "steps": []}, "steps: violates the rule minItems"),
        (flow(PING, colour="red"), "definition: has the unknown key colour"),
        (flow({"id": "a"}), "steps.0: must have exactly one of instruction, tool and workflow"),
        (flow({"id": "a", "tool": "ping", "instruction": "x"}), "steps.0: must have exactly one of"),
        (flow({"id": "a", "instruction": "x", "arguments": {}}), "steps.0: must have exactly one of"),
        (flow({"id": "A", "tool": "ping"}), "steps.0.id: must match"),
        (flow(PING, PING), "steps.1: the id a is used twice"),
        (flow({**PING, "on_error": "retry"}), "steps.0.on_error: must be one of: stop, continue"),
        (flow({**PING, "when": {"value": 1}}), "steps.0.when"),
        (flow({**PING, "when": {"equals": 1}}), "steps.0.when"),
        (flow({**PING, "when": {"all": []}}), "steps.0.when.all: violates the rule minItems"),
        (flow({"id": "a", "tool": "run_workflow"}), "steps.0: run_workflow cannot be a step"),
        (flow({**PING, "arguments": {"message": "{word}"}}), "steps.0.arguments: {word} is not an argument"),
        (flow({**PING, "arguments": {"message": "{steps.b.ok}"}}), "{steps.b.ok} names a step that does not exist"),
        (flow({**PING, "arguments": {"message": "{steps.a.ok}"}}), "{steps.a.ok} is circular"),
        (
            flow({**PING, "when": {"value": "{steps.b.ok}", "equals": True}}, {"id": "b", "tool": "ping"}),
            "steps.0.when: {steps.b.ok} is circular",
        ),
        (
            flow({"id": "a", "instruction": "x"}, {"id": "b", "tool": "ping", "arguments": {"message": "{steps.a}"}}),
            "steps.1.arguments: {steps.a} is circular",
        ),
        (flow({**PING, "when": {"value": "{result.ok}", "equals": 1}}), "{result.ok} can be used only in expect"),
        (flow({**PING, "arguments": {"message": '{memories:"x"}'}}), "a placeholder of a workflow has no colon"),
        (flow(PING, output="{steps.z}"), "output: {steps.z} names a step that does not exist"),
        (flow(PING, arguments=[{"name": "steps"}]), "arguments: steps is the name of a placeholder"),
        (flow(PING, arguments=[{"name": "x", "default": {}}]), "arguments.0.default: must be of the type"),
        (flow({**PING, "arguments": {"message": "nul \x00"}}), "definition: contains a NUL"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(definition: Any, said: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_definition(definition)
    assert said in str(caught.value)


def test_a_secret_is_refused() -> None:
    with pytest.raises(SecretRejected):
        read_definition(flow({**PING, "arguments": {"message": "sk-abcdefghijklmnopqrstuvwx"}}))


def test_a_definition_is_nested_only_so_deep() -> None:
    deep: list[Any] = []
    for _ in range(900):
        deep = [deep]
    with pytest.raises(InvalidInput, match="definition: is nested more than 40 levels deep"):
        read_definition(flow({**PING, "arguments": {"message": deep}}))


def test_conditions_are_nested_only_so_deep() -> None:
    condition: dict[str, Any] = {"value": 1, "equals": 1}
    for _ in range(10):
        condition = {"not": condition}
    with pytest.raises(InvalidInput, match="nested at most 8 levels"):
        read_definition(flow({**PING, "when": condition}))


@pytest.mark.parametrize(
    ("text", "said"),
    [('{"a": }', "line 1, column 7"), ("{\n\n]", "line 3"), ("\ud800", "is not JSON"), ("x" * 300_000, "300000 bytes")],
)
def test_broken_json_is_named_with_its_line(text: str, said: str) -> None:
    with pytest.raises(MemoriesError, match="definition: ") as caught:
        parse_json(text)
    assert said in str(caught.value)


def test_workflows_do_not_run_each_other_in_a_circle(owner: User) -> None:
    make_workflow(owner, "inner", flow(PING))
    make_workflow(owner, "outer", flow({"id": "a", "workflow": "inner"}))
    circle = read_definition(flow({"id": "a", "workflow": "outer"}))
    with pytest.raises(InvalidInput, match="in a circle: inner → outer → inner"):
        change_workflow(owner.pk, "inner", 1, circle)
    with pytest.raises(InvalidInput, match="in a circle: self → self"):
        make_workflow(owner, "self", flow({"id": "a", "workflow": "self"}))
    with pytest.raises(InvalidInput, match="there is no workflow nowhere"):
        make_workflow(owner, "lost", flow({"id": "a", "workflow": "nowhere"}))
    with pytest.raises(InvalidInput, match="the workflow outer runs it"):
        delete_workflow(owner.pk, "inner")
    assert Workflow.objects.get(name="inner").version == 1


def test_the_number_of_steps_and_levels_is_bounded(owner: User) -> None:
    make_workflow(owner, "level-1", flow(*({"id": f"s{number}", "tool": "ping"} for number in range(50))))
    nested = flow(*({"id": f"s{number}", "workflow": "level-1"} for number in range(4)))
    with pytest.raises(LimitExceeded, match="more than 200 steps"):
        make_workflow(owner, "wide", nested)
    for level in range(2, 6):
        make_workflow(owner, f"level-{level}", flow({"id": "a", "workflow": f"level-{level - 1}"}))
    with pytest.raises(LimitExceeded, match="more than 5 levels deep"):
        make_workflow(owner, "level-6", flow({"id": "a", "workflow": "level-5"}))


def test_each_change_is_a_version(owner: User) -> None:
    row = make_workflow(owner)
    change_workflow(owner.pk, "store", 1, read_definition({**STORE, "title": "Another"}))
    change_workflow(owner.pk, "store", 2, read_definition({**STORE, "title": "Another"}))
    row.refresh_from_db()
    assert (row.version, row.definition["title"]) == (2, "Another")
    numbers = WorkflowVersion.objects.filter(workflow=row).order_by("number")
    assert [(version.number, version.definition["title"]) for version in numbers] == [
        (1, "Store twice"),
        (2, "Another"),
    ]
