"""The tool `forget_document`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from common.risks import Risk
from common.scopes import ADMIN, WRITE, Scope
from common.texts import translatable
from documents.selectors import changeable_document
from documents.writing import forgetting
from mcpapi.approvals.approval_store import RiskyAction
from mcpapi.calls.caller import Caller
from mcpapi.tools.arguments import Flag
from mcpapi.tools.base import Args, Hints, Result, tool
from mcpapi.tools.documents.shapes import DocumentId

Message = Literal["Forgotten", "Hard deleted", "Would be forgotten", "Would be hard-deleted"]


class ForgetDocumentArgs(Args):
    """A document and how to forget it."""

    id: DocumentId
    hard_delete: Flag = Field(False, description="Remove every trace permanently; needs the scope memory:admin.")
    dry_run: Flag = Field(False, description="Only report what would happen.")


class ForgetDocumentResult(Result):
    """The outcome, or with `dry_run` what would happen."""

    document_id: str
    dry_run: bool
    already_deleted: bool
    message: Message


def _needed_scope(args: ForgetDocumentArgs) -> Scope | None:
    return ADMIN if args.hard_delete else None


def _risk(caller: Caller, args: ForgetDocumentArgs) -> RiskyAction | None:
    if not args.hard_delete or args.dry_run:
        return None
    document = changeable_document(caller.actor, args.id)
    summary = translatable("Permanently delete document %(id)s and its versions", id=args.id)
    return RiskyAction(Risk.HARD_DELETE, summary, documents=(document,))


@tool(
    title="Forget a document",
    scope=WRITE,
    hints=Hints(destructive=True, idempotent=True),
    stronger_scope=_needed_scope,
    risk=_risk,
)
def forget_document(caller: Caller, args: ForgetDocumentArgs) -> ForgetDocumentResult:
    """Forget a document that is outdated or unwanted: no search finds it, and the owner can restore it. hard_delete
    removes it permanently: only when the user asks for exactly that."""
    forget = forgetting.hard_delete_document if args.hard_delete else forgetting.forget_document
    outcome = forget(caller.actor, args.id, dry_run=args.dry_run)
    caller.record_documents([args.id])
    return ForgetDocumentResult(
        document_id=str(args.id),
        dry_run=args.dry_run,
        already_deleted=outcome.already_deleted,
        message=_message(args),
    )


def _message(args: ForgetDocumentArgs) -> Message:
    if args.hard_delete:
        return "Would be hard-deleted" if args.dry_run else "Hard deleted"
    return "Would be forgotten" if args.dry_run else "Forgotten"
