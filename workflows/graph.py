"""Workflows that run other workflows: no circles, and a bounded number of steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from common.texts import translatable
from memories.errors import InvalidInput, LimitExceeded
from workflows.definitions import WorkflowDefinition

MAX_DEPTH = 5
MAX_STEPS = 200
"""The most steps of a run, with those of the workflows that its steps run."""


def check_graph(name: str, definition: WorkflowDefinition, others: Mapping[str, Mapping[str, Any]]) -> None:
    """Check what the steps of the workflow `name` would run, given the definitions of all workflows of the owner.

    Raises InvalidInput for an unknown workflow or a circle, and LimitExceeded for too many steps or levels.
    """
    _count(name, {**others, name: definition.data}, (name,))


def reachable(name: str, definitions: Mapping[str, Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Return the definitions that a run of the workflow `name` needs, by name. Raises as `check_graph` does."""
    _count(name, definitions, (name,))
    found: dict[str, Mapping[str, Any]] = {}
    waiting = [name]
    while waiting:
        current = waiting.pop()
        if current not in found:
            found[current] = definitions[current]
            waiting += _used(definitions[current])
    return found


def _count(name: str, definitions: Mapping[str, Mapping[str, Any]], above: tuple[str, ...]) -> int:
    """Return the number of steps of a workflow. `above` are the workflows that lead to it, with itself."""
    if len(above) > MAX_DEPTH:
        raise LimitExceeded(
            translatable("workflows call each other more than %(max_depth)s levels deep.", max_depth=MAX_DEPTH),
            argument="steps",
        )
    steps = 0
    for used in _used(definitions[name]):
        if used in above:
            circle = " → ".join([*above[above.index(used) :], used])
            raise InvalidInput(
                translatable("workflows must not call each other in a circle: %(circle)s.", circle=circle),
                argument="steps",
            )
        if used not in definitions:
            raise InvalidInput(translatable("there is no workflow %(used)s.", used=used), argument="steps")
        steps += _count(used, definitions, (*above, used))
    steps += len(definitions[name]["steps"])
    if steps > MAX_STEPS:
        raise LimitExceeded(
            translatable("a run would have more than %(max_steps)s steps.", max_steps=MAX_STEPS), argument="steps"
        )
    return steps


def _used(definition: Mapping[str, Any]) -> list[str]:
    return [step["workflow"] for step in definition["steps"] if step.get("workflow")]
