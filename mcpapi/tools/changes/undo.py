"""The tool `undo`."""

from __future__ import annotations

from typing import Any, Literal
from uuid import UUID

from django.conf import settings
from pydantic import BaseModel, Field

from common.risks import Risk
from common.scopes import ADMIN
from common.texts import translatable
from documents.selectors import changeable_documents
from mcpapi.approvals.approval_store import RiskyAction
from mcpapi.calls.caller import Caller
from mcpapi.tools.arguments import Flag, Integer, MemoryId, Time
from mcpapi.tools.base import Args, Hints, Result, tool
from mcpapi.tools.changes.shapes import parse_change_set, shape_fields
from memories.errors import InvalidInput
from memories.queries import selectors
from memories.undo import undoing
from memories.undo.documents import DescribedDocument, documents
from memories.undo.outcomes import Outcome, Resolution
from memories.undo.reversal import Obstacle, Reversal
from memories.undo.selection import Selection, checked_session, clients_of_app
from memories.undo.undoing import UndoOutcome
from memories.undo.versions import later_than

MAX_CONFLICTS = 100

_REASONS = {
    Obstacle.CHANGED_SINCE: "It was changed again since.",
    Obstacle.SAME_TEXT: "Another active memory has the text that it would get back.",
    Obstacle.ADDED_AGAIN: "The document has been added again since it was forgotten.",
    Obstacle.CONTENT_GONE: "The earlier version of the document no longer exists.",
    Obstacle.OUT_OF_VIEW: "It would leave what this app may see.",
    Obstacle.OWNERS_DECISION: "Only the owner decides about the inbox and the briefing.",
}


class UndoArgs(Args):
    """The changes to undo: exactly one of change_set, memory_id with version, app and session_id, or since alone."""

    change_set: str | None = Field(None, description="Undo this change set, as list_changes returns its id.")
    memory_id: MemoryId | None = Field(None, description="Restore a version of this memory.")
    version: Integer | None = Field(None, description="The version to restore, as memory_history numbers it.")
    app: str | None = Field(None, description='Undo changes by this app: its name or client id. "you" is the owner.')
    session_id: str | None = Field(None, description="Undo the changes of this session.")
    since: Time | None = Field(
        None, description="Undo only changes at this ISO 8601 time or later; alone, those of all apps."
    )
    on_conflict: Literal["keep", "revert", "keep_both"] = Field(
        "keep",
        description="What to do with memories that were changed again since: keep them, revert the later changes too, "
        "or keep both texts.",
    )
    dry_run: Flag = Field(False, description="Only report what would happen.")

    def selection(self, caller: Caller) -> Selection:
        """Return the changes. Raises InvalidInput and NotFound."""
        self._check_companions()
        ways = [self.change_set, self.memory_id, self.app, self.session_id]
        given = sum(way is not None for way in ways)
        if given > 1 or (given == 0 and self.since is None):
            raise InvalidInput(
                "Give exactly one of change_set, memory_id with version, app and session_id, or since alone."
            )
        if self.memory_id is not None and self.version is not None:
            return later_than(caller.actor, self.memory_id, self.version)
        return Selection(
            change_set=None if self.change_set is None else parse_change_set(self.change_set),
            clients=None if self.app is None else clients_of_app(caller.actor, self.app),
            session_id=None if self.session_id is None else checked_session(self.session_id),
            since=self.since,
        )

    def _check_companions(self) -> None:
        """Raise InvalidInput that names an argument without the one that it needs, or with one that it excludes."""
        if self.memory_id is None and self.version is not None:
            raise InvalidInput("must come with memory_id.", argument="version")
        if self.memory_id is not None and self.version is None:
            raise InvalidInput("must come with version.", argument="memory_id")
        for name in ("change_set", "memory_id"):
            if getattr(self, name) is not None and self.since is not None:
                raise InvalidInput("cannot be combined with since.", argument=name)


class ConflictShape(BaseModel):
    """A memory that is left as it is, and why."""

    memory_id: int
    reason: str
    now: dict[str, Any] = Field({}, description="The fields that were changed since, as they are now.")
    earlier: dict[str, Any] = Field({}, description="The same fields, as the undo would set them.")
    duplicate_of: int | None = Field(None, description="The active memory that has the text.")


class DocumentConflictShape(BaseModel):
    """A document that is left as it is, and why."""

    document_id: str
    reason: str
    now: dict[str, Any] = Field({}, description="The fields that were changed since, as they are now.")
    earlier: dict[str, Any] = Field({}, description="The same fields, as the undo would set them.")


class UndoneDocuments(BaseModel):
    """What was undone of documents, or would be."""

    restored: list[str] = Field(description="The documents that get their earlier version, title, tags or state back.")
    removed: list[str] = Field(description="The documents that are forgotten, because their adding is undone.")
    conflicts: list[DocumentConflictShape] = Field(
        description=f"At most {MAX_CONFLICTS} of the documents that stay as they are."
    )
    conflict_count: int
    unchanged: int = Field(description="The number of documents that are already as before.")
    deleted_permanently: list[str] = Field(description="Documents that cannot come back.")
    from_sources: int = Field(
        description="How many of the restored and removed documents come from a source. If their files change there "
        "again, the next sync stores the new content."
    )


class UndoResult(Result):
    """What was undone, or with `dry_run` what would be."""

    dry_run: bool
    change_set: str | None = Field(None, description="The id of the undo itself, which can be undone, too.")
    restored: list[int] = Field(description="The memories that get earlier values back.")
    removed: list[int] = Field(description="The memories that become tombstones, because their storing is undone.")
    conflicts: list[ConflictShape] = Field(
        description=f"At most {MAX_CONFLICTS} of the memories that stay as they are."
    )
    conflict_count: int
    unchanged: int = Field(description="The number of memories that are already as before.")
    deleted_permanently: list[int] = Field(description="Memories that cannot come back.")
    added: list[int] = Field([], description="With keep_both: the new memories with the earlier texts.")
    documents: UndoneDocuments | None = Field(None, description="What was undone in documents, if any were affected.")
    synonyms: int = Field(0, description="The number of tag synonyms that are restored.")
    message: str


def _risk(caller: Caller, args: UndoArgs) -> RiskyAction | None:
    if args.dry_run:
        return None
    planned = undoing.preview(caller.actor, args.selection(caller), default=Resolution(args.on_conflict))
    changed, changed_documents = planned.changed_ids, planned.documents.changed_ids
    if len(changed) + len(changed_documents) <= settings.APPROVAL_BULK_FORGET:
        return None
    removed = len(planned.removed) + len(planned.documents.removed)
    restored = len(planned.restored) + len(planned.documents.restored)
    counts = {"removed": removed, "restored": restored}
    summary = (
        translatable(
            "Undo changes: forget %(removed)s memories and documents, and restore earlier values of %(restored)s",
            **counts,
        )
        if changed_documents
        else translatable(
            "Undo changes: forget %(removed)s memories, and restore earlier values of %(restored)s", **counts
        )
    )
    return RiskyAction(
        Risk.BULK_FORGET,
        summary,
        tuple(selectors.changeable_memories_with_ids(caller.actor, changed)),
        documents=tuple(changeable_documents(caller.actor, changed_documents)),
    )


@tool(title="Undo changes", scope=ADMIN, hints=Hints(destructive=True, idempotent=True), risk=_risk)
def undo(caller: Caller, args: UndoArgs) -> UndoResult:
    """Undo changes of memories and documents: one change set, everything by an app or in a session, everything since
    a time, or a memory back to one version. First show the user what would happen (dry_run). What was changed
    again since is a conflict and stays as it is. An undo can itself be undone."""
    run = undoing.preview if args.dry_run else undoing.undo
    outcome = run(caller.actor, args.selection(caller), default=Resolution(args.on_conflict))
    caller.record_memories(outcome.changed_ids)
    caller.record_documents(outcome.documents.changed_ids)
    result = UndoResult(
        dry_run=args.dry_run,
        restored=[reversal.item_id for reversal in outcome.restored],
        removed=[reversal.item_id for reversal in outcome.removed],
        conflicts=[_shape_conflict(reversal) for reversal in outcome.conflicts[:MAX_CONFLICTS]],
        conflict_count=len(outcome.conflicts),
        unchanged=outcome.unchanged,
        deleted_permanently=list(outcome.deleted_ids),
        added=list(outcome.kept_both),
        documents=_shape_documents(caller, outcome.documents),
        synonyms=outcome.synonyms,
        message=_message(outcome, args.dry_run),
    )
    return result if args.dry_run else result.model_copy(update={"change_set": str(caller.actor.change_set)})


def _shape_conflict(reversal: Reversal[int]) -> ConflictShape:
    assert reversal.obstacle is not None
    shape = ConflictShape(memory_id=reversal.item_id, reason=_REASONS[reversal.obstacle])
    if reversal.obstacle == Obstacle.SAME_TEXT:
        return shape.model_copy(update={"duplicate_of": reversal.duplicate_id})
    if reversal.obstacle == Obstacle.CHANGED_SINCE:
        now = {conflict.name: conflict.now for conflict in reversal.conflicts}
        earlier = {conflict.name: conflict.earlier for conflict in reversal.conflicts}
        return shape.model_copy(update={"now": shape_fields(now), "earlier": shape_fields(earlier)})
    return shape


def _shape_documents(caller: Caller, outcome: Outcome[UUID]) -> UndoneDocuments | None:
    if not (outcome.changed_ids or outcome.conflicts or outcome.unchanged or outcome.deleted_ids):
        return None
    shown = outcome.conflicts[:MAX_CONFLICTS]
    found = documents().described(caller.view, [reversal.item_id for reversal in shown])
    return UndoneDocuments(
        restored=[str(reversal.item_id) for reversal in outcome.restored],
        removed=[str(reversal.item_id) for reversal in outcome.removed],
        conflicts=[_shape_document_conflict(each, found[each.item_id]) for each in shown if each.item_id in found],
        conflict_count=len(outcome.conflicts),
        unchanged=outcome.unchanged,
        deleted_permanently=[str(document_id) for document_id in outcome.deleted_ids],
        from_sources=documents().count_from_sources(outcome.changed_ids) if outcome.changed_ids else 0,
    )


def _shape_document_conflict(reversal: Reversal[UUID], document: DescribedDocument) -> DocumentConflictShape:
    assert reversal.obstacle is not None
    shape = DocumentConflictShape(document_id=str(reversal.item_id), reason=_REASONS[reversal.obstacle])
    if reversal.obstacle != Obstacle.CHANGED_SINCE:
        return shape
    now = document.shown({conflict.name: conflict.now for conflict in reversal.conflicts})
    earlier = document.shown({conflict.name: conflict.earlier for conflict in reversal.conflicts})
    return shape.model_copy(update={"now": shape_fields(now), "earlier": shape_fields(earlier)})


def _message(outcome: UndoOutcome, is_dry_run: bool) -> str:
    """Say in one sentence what happened, or would happen."""
    parts = [
        (len(outcome.restored) + len(outcome.documents.restored), "restored"),
        (len(outcome.removed) + len(outcome.documents.removed), "removed"),
        (outcome.synonyms, "tag synonyms restored"),
        (len(outcome.conflicts) + len(outcome.documents.conflicts), "left as they are because of conflicts"),
    ]
    counted = ", ".join(f"{count} {what}" for count, what in parts if count)
    if not counted:
        return "Nothing to undo: everything is already as before."
    return f"{'Would be' if is_dry_run else 'Done'}: {counted}."
