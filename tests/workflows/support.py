"""Workflows for tests."""

from __future__ import annotations

from typing import Any

from oauthserver.models import User
from workflows.changes import create_workflow
from workflows.definitions import read_definition
from workflows.models import Workflow

STORE: dict[str, Any] = {
    "title": "Store twice",
    "description": "Stores a fact and what follows from it.",
    "arguments": [
        {"name": "fact", "description": "The fact.", "required": True},
        {"name": "importance", "type": "number", "default": 0.5},
        {"name": "tags"},
    ],
    "steps": [
        {
            "id": "first",
            "tool": "remember",
            "arguments": {"text": "{fact}", "importance": "{importance}", "tags": "{tags}", "dedup_policy": "insert"},
            "expect": {"value": "{result.ok}", "equals": True},
        },
        {
            "id": "second",
            "tool": "remember",
            "arguments": {"text": "It follows from memory {steps.first.memory_id}: {fact}", "dedup_policy": "insert"},
            "when": {"value": "{steps.first.message}", "equals": "Ok"},
        },
    ],
    "output": {"ids": ["{steps.first.memory_id}", "{steps.second.memory_id}"]},
}
"""A workflow of two tool calls, the second of which depends on the first."""


def make_workflow(
    owner: User, name: str = "store", definition: dict[str, Any] | None = None, **changes: Any
) -> Workflow:
    """Store a workflow: STORE with `changes`, or `definition`."""
    return create_workflow(owner.pk, name, read_definition({**(definition or STORE), **changes}))


def steps_workflow(owner: User, *steps: dict[str, Any], name: str = "flow", **changes: Any) -> Workflow:
    """Store a workflow with these steps, whose ids are a, b, c, …, unless they name theirs."""
    numbered = [{"id": "abcdefghij"[number], **step} for number, step in enumerate(steps)]
    return make_workflow(owner, name, {"description": "A flow.", "steps": numbered}, **changes)
