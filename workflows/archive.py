"""Workflows as a part of archives, with their versions. Runs are a log, and stay where they were made."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from typing import Any, Final

from agents.definitions import check_name
from memories.access import View
from memories.errors import InvalidInput, LimitExceeded, MemoriesError
from memories.transfer.archive.columns import Columns, as_json
from memories.transfer.archive.errors import UnusableArchive
from memories.transfer.archive.registry import Part
from memories.transfer.archive.restoration import Restoration
from memories.transfer.archive.writer import ArchiveWriter
from workflows.changes import MAX_VERSIONS, MAX_WORKFLOWS
from workflows.definitions import read_definition
from workflows.graph import check_graph
from workflows.models import Workflow, WorkflowVersion

_NAME: Final = "workflows"
_COLUMNS: Final = Columns(Workflow, leave_out={"id", "owner_id"})
_VERSION_COLUMNS: Final = Columns(WorkflowVersion, leave_out={"id", "workflow_id"})
_VERSIONS: Final = "versions"

Values = dict[str, Any]


def _write(archive: ArchiveWriter, view: View) -> None:
    versions: defaultdict[int, list[Values]] = defaultdict(list)
    stored = WorkflowVersion.objects.filter(workflow__owner_id=view.owner_id).order_by("number")
    for version in stored.values("workflow_id", *_VERSION_COLUMNS.names):
        versions[version.pop("workflow_id")].append(version)
    rows = Workflow.objects.filter(owner_id=view.owner_id).order_by("name").values("id", *_COLUMNS.names)
    archive.add_lines(_NAME, (as_json({_VERSIONS: versions[row.pop("id")], **row}) for row in rows))


def _restore(restoration: Restoration) -> None:
    """Store the workflows whose names are not taken."""
    owner_id = restoration.actor.owner_id
    taken = dict(Workflow.objects.filter(owner_id=owner_id).values_list("name", "definition"))
    records = [_values(record) for record in restoration.archive.records(_NAME)]
    offered = {values["name"]: values["definition"] for values, _ in records if _is_valid(values)}
    known: Mapping[str, Any] = {**offered, **taken}
    for number, (values, versions) in enumerate(records, start=1):
        if values["name"] in taken:
            restoration.summary.of(_NAME).present += 1
            continue
        try:
            check_name(values["name"])
            if len(taken) >= MAX_WORKFLOWS:
                raise LimitExceeded(f"You have {MAX_WORKFLOWS} workflows, which is the maximum.")
            check_graph(values["name"], read_definition(values["definition"]), known)
            _check_versions(values, versions)
        except MemoriesError as error:
            restoration.summary.refuse(_NAME, f"{_NAME}.jsonl, line {number}", error)
            continue
        row = Workflow.objects.create(owner_id=owner_id, **values)
        WorkflowVersion.objects.bulk_create(WorkflowVersion(workflow=row, **version) for version in versions)
        taken[values["name"]] = values["definition"]
        restoration.summary.of(_NAME).added += 1


def _values(record: Mapping[str, Any]) -> tuple[Values, list[Values]]:
    versions = record.get(_VERSIONS)
    values = _COLUMNS.values_of({name: value for name, value in record.items() if name != _VERSIONS})
    is_complete = len(values) == len(_COLUMNS.names) and isinstance(versions, list)
    if not is_complete or not isinstance(versions, list) or not all(isinstance(each, dict) for each in versions):
        raise UnusableArchive("A workflow is incomplete.")
    read = [_VERSION_COLUMNS.values_of(version) for version in versions]
    if not all(len(version) == len(_VERSION_COLUMNS.names) for version in read):
        raise UnusableArchive("A version of a workflow is incomplete.")
    return values, read


def _is_valid(values: Values) -> bool:
    try:
        read_definition(values["definition"])
    except MemoriesError:
        return False
    return True


def _check_versions(values: Values, versions: list[Values]) -> None:
    """Raise InvalidInput unless the versions are different, valid, and end with the current one."""
    numbers = [version["number"] for version in versions]
    if len(set(numbers)) < len(numbers) or not 0 < len(numbers) <= MAX_VERSIONS or min(numbers) < 1:
        raise InvalidInput(f"must be at most {MAX_VERSIONS} with different numbers from 1.", argument=_VERSIONS)
    last = max(versions, key=lambda version: int(version["number"]))
    if (last["number"], last["definition"]) != (values["version"], values["definition"]):
        raise InvalidInput("must end with the current one.", argument=_VERSIONS)
    for version in versions:
        read_definition(version["definition"])


WORKFLOWS: Final = Part(_NAME, re.compile(r"workflows\.jsonl"), _write, _restore)
