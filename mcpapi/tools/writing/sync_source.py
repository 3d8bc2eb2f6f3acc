"""The tool `sync_source`."""

from __future__ import annotations

from typing import Literal

from django.conf import settings
from pydantic import Field

from common.risks import Risk
from common.scopes import ADMIN, WRITE, Scope
from common.texts import translatable
from documents.models import Source
from documents.queue import sync_soon
from documents.sources.selectors import count_documents, get_source
from documents.sources.stored_settings import configuration_problem
from documents.sources.sync import sync
from mcpapi.approvals.approval_store import RiskyAction
from mcpapi.calls.caller import Caller
from mcpapi.tools.arguments import Flag
from mcpapi.tools.base import Args, Hints, Result, tool
from memories.errors import InvalidInput, NotConfigured

DRY_RUN_SECONDS = 20.0
"""The limit of a listing that a client waits for. The job process, which does the real syncs, has an hour."""


class SyncSourceArgs(Args):
    """The source to sync."""

    name: str = Field(description="The source's name, from list_sources. Built-in sources need no sync.")
    dry_run: Flag = Field(False, description="Only list the source and report what would change.")


class SyncSourceResult(Result):
    """The state of the request, or with `dry_run` the changes that a sync would make."""

    name: str
    dry_run: bool
    message: Literal["Sync requested", "Already requested", "Already running", "Would sync", "Would fail"]
    added: int = Field(0, description="Only with dry_run, as are the other numbers.")
    changed: int = 0
    removed: int = 0
    skipped: int = 0
    unchanged: int = 0
    problem: str | None = Field(None, description="Why the sync would fail.")


def _needed_scope(args: SyncSourceArgs) -> Scope | None:
    return None if args.dry_run else ADMIN


def _risk(caller: Caller, args: SyncSourceArgs) -> RiskyAction | None:
    """Return the forgetting of documents that are gone, if the source has many. Only a listing could tell how many."""
    if args.dry_run:
        return None
    source = _source(caller, args)
    if count_documents(caller.view).get(source.name, 0) <= settings.APPROVAL_BULK_FORGET:
        return None
    summary = translatable("Sync the source %(name)s and forget documents that are gone from it", name=source.name)
    return RiskyAction(Risk.BULK_FORGET, summary)


@tool(
    title="Sync a source",
    scope=WRITE,
    hints=Hints(destructive=True, idempotent=True, open_world=True),
    stronger_scope=_needed_scope,
    risk=_risk,
)
def sync_source(caller: Caller, args: SyncSourceArgs) -> SyncSourceResult:
    """Import new and changed documents from one of the owner's sources, and forget documents that are gone from it.
    Sources are synced on a schedule: use it only when the user wants the newest state. It needs the scope memory:admin,
    because it imports files of the owner's machine and servers; with dry_run, which stores nothing, memory:write is
    enough. The sync runs in the background: list_sources shows when it has finished."""
    source = _source(caller, args)
    if not args.dry_run:
        message: Literal["Sync requested", "Already requested"] = (
            "Sync requested" if sync_soon(source.pk) else "Already requested"
        )
        return SyncSourceResult(name=source.name, dry_run=False, message=message)
    report = sync(source, dry_run=True, max_seconds=DRY_RUN_SECONDS)
    if report.is_already_running:
        return SyncSourceResult(name=source.name, dry_run=True, message="Already running")
    return SyncSourceResult(
        name=source.name,
        dry_run=True,
        message="Would fail" if report.problem else "Would sync",
        added=report.added,
        changed=report.changed,
        removed=report.removed,
        skipped=report.skipped,
        unchanged=report.unchanged,
        problem=report.problem or None,
    )


def _source(caller: Caller, args: SyncSourceArgs) -> Source:
    """Return the source of a call. Raises NotFound, InvalidInput and NotConfigured if the caller cannot sync it."""
    if not caller.view.is_whole:
        # The numbers would include documents that the app may not see.
        raise InvalidInput("this app is limited to some tags, so it cannot sync sources.", argument="name")
    source = get_source(caller.view, args.name)
    if source.paused_at is not None and not args.dry_run:
        raise InvalidInput("the owner has paused this source. Only they can resume it or sync it.", argument="name")
    problem = configuration_problem(source)
    if problem:
        raise NotConfigured(problem)
    return source
