"""Open plans of clean-up in an archive: the lines that await the owner's decision. Decided ones are in the history."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from memories.access import Actor, View
from memories.cleanup.actions import Action, ProposedChange
from memories.cleanup.plans import ChangesNothing, open_plans, propose_plan, stale_lines
from memories.errors import MemoriesError
from memories.models import CleanupLine
from memories.transfer.archive.clients import with_clients_here
from memories.transfer.archive.columns import as_json
from memories.transfer.archive.errors import UnusableArchive
from memories.transfer.archive.registry import Part
from memories.transfer.archive.restoration import Restoration
from memories.transfer.archive.writer import ArchiveWriter

_NAME = "plans"
_MEMBER = "cleanup_plans"
_DETAILS = {"text": str, "texts": list, "tags": list, "expires_at": str, "replaced_by_id": int}


def _write(archive: ArchiveWriter, view: View) -> None:
    archive.add_lines(_MEMBER, map(as_json, _plans(view)))


def _plans(view: View) -> Iterator[dict[str, Any]]:
    """Yield the open plans, oldest first. Lines whose memories have changed since are left out."""
    owner = Actor(view, "export", is_owner=True)
    for plan in open_plans(owner).order_by("pk"):
        stale = stale_lines(owner, plan)
        lines = [
            {
                "action": line.action,
                "memory_ids": line.memory_ids,
                "details": line.details,
                "reason": line.reason,
            }
            for line in plan.lines.all()
            if line.state == CleanupLine.State.OPEN and line.position not in stale
        ]
        if lines:
            yield {"client": plan.client, "reason": plan.reason, "lines": lines}


def _restore(restoration: Restoration) -> None:
    """Propose again what is missing. A line that was decided here stays decided."""
    counts = restoration.summary.of(_NAME)
    for number, record in enumerate(restoration.archive.records(_MEMBER), start=1):
        client, reason, changes = _parsed(restoration, record)
        missing = [change for change in changes if not _is_known(restoration, change)]
        if not missing:
            counts.present += 1
            continue
        try:
            propose_plan(Actor(restoration.actor.view, client, is_owner=True), missing, reason)
        except ChangesNothing:
            counts.present += 1
        except MemoriesError as error:
            restoration.summary.refuse(_NAME, f"{_MEMBER}.jsonl, line {number}", error)
        else:
            counts.added += 1


def _parsed(restoration: Restoration, record: dict[str, Any]) -> tuple[str, str, list[ProposedChange]]:
    try:
        values = with_clients_here(record)
        client, reason, lines = values["client"], values["reason"], values["lines"]
        if not isinstance(client, str) or not isinstance(reason, str):
            raise TypeError
        return client, reason, [_change(restoration, line) for line in lines]
    except (KeyError, TypeError, ValueError, AttributeError):
        raise UnusableArchive("A plan of clean-up is incomplete.") from None


def _change(restoration: Restoration, line: dict[str, Any]) -> ProposedChange:
    """Return the change of a line, with the ids that its memories have here. Raises TypeError and others."""
    details = restoration.translated(line["details"], ("replaced_by_id",))
    if not all(isinstance(value, _DETAILS[name]) for name, value in details.items()):
        raise TypeError
    texts = [*details.get("texts", []), *details.get("tags", []), line["reason"]]
    if not all(isinstance(text, str) for text in texts):
        raise TypeError
    former_ids = line["memory_ids"]
    if "text" in details:
        details["text"] = restoration.placeholder_numbers.translated(former_ids, details["text"])
    if "texts" in details:
        details["texts"] = [restoration.placeholder_numbers.translated(former_ids, text) for text in details["texts"]]
    if "expires_at" in details:
        details["expires_at"] = datetime.fromisoformat(details["expires_at"])
    ids = [restoration.memory_ids.known_or_new(former_id) for former_id in former_ids]
    return ProposedChange(Action(line["action"]), ids, reason=line["reason"], **details)


def _is_known(restoration: Restoration, change: ProposedChange) -> bool:
    lines = CleanupLine.objects.filter(plan__owner_id=restoration.actor.owner_id, action=change.action)
    same = lines.filter(memory_ids__contains=list(change.memory_ids), memory_ids=list(change.memory_ids))
    return same.filter(details=change.details()).exists()


CLEANUP_PLANS = Part(_NAME, re.compile(r"cleanup_plans\.jsonl"), _write, _restore)
