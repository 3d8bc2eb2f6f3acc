"""Workflows as resources: their list, and the JSON of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from mcpapi.calls.caller import Caller
from mcpapi.resources.base import JSON, Contents, NoSuchMember, Resource, Template
from mcpapi.tools.shapes import format_utc
from memories.errors import NotFound
from workflows.selectors import StoredWorkflow, get_workflow, list_workflows

PREFIX = "ownsona://workflows/"


def definitions_of_workflows(caller: Caller) -> list[dict[str, Any]]:
    """Return the resources of all workflows as `resources/list` shows them. One query."""
    return [
        {
            "uri": f"{PREFIX}{workflow.name}",
            "name": workflow.name,
            "title": workflow.title,
            "description": workflow.description,
            "mimeType": JSON,
            "annotations": {"lastModified": format_utc(workflow.row.updated_at)},
        }
        for workflow in list_workflows(caller.principal.owner_id)
    ]


def _summary(workflow: StoredWorkflow) -> dict[str, Any]:
    return {
        "id": workflow.name,
        "title": workflow.title,
        "description": workflow.description,
        "version": workflow.row.version,
        "uri": f"{PREFIX}{workflow.name}",
    }


def _read_listing(caller: Caller) -> Contents:
    found = [_summary(workflow) for workflow in list_workflows(caller.principal.owner_id)]
    return {"text": orjson.dumps({"workflows": found}, option=orjson.OPT_INDENT_2).decode()}


def _read(caller: Caller, name: str) -> Contents:
    try:
        row = get_workflow(caller.principal.owner_id, name).row
    except NotFound:
        raise NoSuchMember from None
    shown = {"id": row.name, "version": row.version, **row.definition}
    return {"text": orjson.dumps(shown, option=orjson.OPT_INDENT_2).decode()}


def _complete(caller: Caller, beginning: str) -> Sequence[str]:
    names = (workflow.name for workflow in list_workflows(caller.principal.owner_id))
    return [name for name in names if name.startswith(beginning.strip())]


LISTING = Resource(
    uri=PREFIX,
    name="workflows",
    title="Workflows",
    description="The user's workflows, with their ids and purposes.",
    mime_type=JSON,
    read=_read_listing,
)
WORKFLOW = Template(
    prefix=PREFIX,
    variable="id",
    name="workflow",
    title="One workflow",
    description="The steps of the workflow with this id, as JSON.",
    mime_type=JSON,
    read=_read,
    complete=_complete,
)
