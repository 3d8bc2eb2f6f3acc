"""Changes of workflows by their owner. Each is a new version."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models.functions import Now

from agents.changes import Outdated
from agents.definitions import check_name
from common.advisory_locks import AdvisoryLock, lock_until_commit
from common.provided import Provided
from common.texts import translatable
from memories.database import refuse_growth
from memories.errors import InvalidInput, LimitExceeded, NotFound
from workflows.definitions import WorkflowDefinition
from workflows.graph import check_graph
from workflows.models import Workflow, WorkflowVersion

MAX_WORKFLOWS = 100
MAX_VERSIONS = 100
"""The most versions of a workflow that are kept. The oldest are deleted."""

name_conflict: Provided[[int, str], str | None] = Provided("the prompts with which the name of a workflow may clash")
"""See `agents.changes.name_conflict`."""


def create_workflow(owner_id: int, name: str, definition: WorkflowDefinition) -> Workflow:
    """Store a new workflow. Raises InvalidInput, LimitExceeded or StorageFull."""
    refuse_growth()
    check_name(name)
    if (other := name_conflict(owner_id, name)) is not None:
        raise InvalidInput(
            translatable("%(name)s is %(other)s. Choose another name.", name=name, other=other), argument="name"
        )
    with transaction.atomic():
        # Two changes at once could close a circle that neither of them sees.
        lock_until_commit(AdvisoryLock.WORKFLOW_CHANGE, owner_id)
        existing = _definitions(owner_id)
        if name in existing:
            raise InvalidInput(
                translatable("is taken: you already have a workflow %(name)s.", name=name), argument="name"
            )
        if len(existing) >= MAX_WORKFLOWS:
            raise LimitExceeded(
                translatable(
                    "You have %(max_workflows)s workflows, which is the maximum. Delete one first.",
                    max_workflows=MAX_WORKFLOWS,
                )
            )
        check_graph(name, definition, existing)
        row = Workflow.objects.create(owner_id=owner_id, name=name, definition=definition.data)
        WorkflowVersion.objects.create(workflow=row, number=1, definition=definition.data)
    return row


def change_workflow(owner_id: int, name: str, version: int, definition: WorkflowDefinition) -> Workflow:
    """Store a new version of a workflow. `version` is the one that the owner has edited.

    Raises Outdated, InvalidInput or StorageFull. An equal definition makes no new version.
    """
    refuse_growth()
    with transaction.atomic():
        lock_until_commit(AdvisoryLock.WORKFLOW_CHANGE, owner_id)
        row = Workflow.objects.filter(owner_id=owner_id, name=name).select_for_update().first()
        if row is None or row.version != version:
            raise Outdated
        if row.definition == definition.data:
            return row
        check_graph(name, definition, _definitions(owner_id))
        row.definition, row.version, row.updated_at = dict(definition.data), version + 1, Now()
        row.save(update_fields=["definition", "version", "updated_at"])
        WorkflowVersion.objects.create(workflow=row, number=row.version, definition=definition.data)
        WorkflowVersion.objects.filter(workflow=row, number__lte=row.version - MAX_VERSIONS).delete()
    return row


def delete_workflow(owner_id: int, name: str) -> None:
    """Delete a workflow with its versions. Runs that have begun can be continued. Raises NotFound, and InvalidInput
    if another workflow runs it."""
    with transaction.atomic():
        lock_until_commit(AdvisoryLock.WORKFLOW_CHANGE, owner_id)
        users = [
            user
            for user, definition in _definitions(owner_id).items()
            if user != name and any(step.get("workflow") == name for step in definition["steps"])
        ]
        if users:
            raise InvalidInput(
                translatable("the workflow %(users)s runs it. Change that one first.", users=users[0]), argument="name"
            )
        deleted, _ = Workflow.objects.filter(owner_id=owner_id, name=name).delete()
        if not deleted:
            raise NotFound(translatable("There is no workflow %(name)s.", name=repr(name[:100])))


def _definitions(owner_id: int) -> dict[str, dict[str, Any]]:
    return dict(Workflow.objects.filter(owner_id=owner_id).values_list("name", "definition"))
