"""An owner with something on every page, and the addresses of the translated pages."""

from __future__ import annotations

import io

from documents.corpus import CHUNKS
from documents.drafts import DocumentDraft
from documents.sources.changes import create_source
from documents.sources.drafts import SourceDraft
from documents.writing.adding import add_document
from memories.cleanup.actions import Action, ProposedChange
from memories.cleanup.plans import propose_plan
from memories.models import CleanupFinding, JournalEntry
from memories.vectors.indexing import index_pending_batch
from memories.writing.lifecycle import forget_memory
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import Budget, Connection, User
from ownsona_site.pages.memory_map.computing import compute
from tests.support.factories import (
    Assistant,
    actor_for,
    infer,
    make_app,
    make_memory,
    owner_actor,
    quarantined,
)

PAGES = (
    "/",
    "/login/",
    "/admin/",
    "/admin/go/",
    "/admin/keys/",
    "/admin/add/",
    "/admin/account/",
    "/admin/password_change/",
    "/admin/two-step-login/",
    "/admin/connection-check/",
    "/admin/backups/",
    "/admin/ask/",
    "/admin/map/",
    "/admin/map/?group=0",
    "/admin/ask/?q=cat",
    "/admin/review/",
    "/admin/review/?show=m{inferred}",
    "/admin/review/?show=m{inferred}&edit=1",
    "/admin/review/?show=p{plan}",
    "/admin/review/?show=f{finding}",
    "/admin/inbox/",
    "/admin/inbox/accept-all/?app={client}&up_to={inferred}&seen_at=2026-01-01T00:00:00Z",
    "/admin/cleanup/",
    "/admin/briefing/",
    "/admin/memories/memory/",
    "/admin/memories/memory/?q=cat",
    "/admin/memories/memory/?q=is:nonsense before:x tag:",
    "/admin/memories/memory/?q=is:forgotten",
    "/admin/memories/memory/timeline/",
    "/admin/memories/memory/add/",
    "/admin/memories/memory/{memory}/change/",
    "/admin/memories/memory/{memory}/change/?fields=all",
    "/admin/memories/memory/{forgotten}/change/",
    "/admin/memories/memory/{inferred}/change/",
    "/admin/memories/memory/{memory}/edit/",
    "/admin/memories/memory/merge/?id={memory}&id={other}",
    "/admin/memories/memory/{memory}/delete/",
    "/admin/memories/memory/forget/?ids={memory}",
    "/admin/memories/memory/confirm/?ids={memory}",
    "/admin/memories/memory/restore/?ids={forgotten}",
    "/admin/memories/journalentry/",
    "/admin/memories/journalentry/?q=cat&kind=changed",
    "/admin/memories/journalentry/{entry}/change/",
    "/admin/versions/?memory={memory}",
    "/admin/undo/",
    "/admin/undo/?app=tests&period=all",
    "/admin/oauthserver/connection/",
    "/admin/oauthserver/connection/{connection}/change/",
    "/admin/documents/document/",
    "/admin/documents/document/?q=cat",
    "/admin/documents/document/{document}/change/",
    "/admin/documents/document/add/",
    "/admin/documents/document/forget/?ids={document}",
    "/admin/documents/source/",
    "/admin/documents/source/add/",
    "/admin/documents/source/add/?kind=folder",
    "/admin/documents/source/add/?kind=web",
    "/admin/documents/source/{source}/change/",
    "/admin/documents/source/{source}/settings/",
    "/admin/documents/source/{source}/remove/",
    "/admin/oauthserver/budget/",
    "/admin/oauthserver/budget/add/",
    "/admin/oauthserver/budget/{budget}/change/",
    "/admin/oauthserver/personaltoken/",
    "/admin/oauthserver/personaltoken/add/",
    "/admin/memories/pastrecall/",
    "/admin/memories/tagsynonym/",
    "/admin/memories/tagsynonym/add/",
    "/admin/mcpapi/auditline/",
    "/admin/mcpapi/approval/",
    "/admin/mcpapi/ownprompt/",
    "/admin/mcpapi/ownprompt/add/",
    "/admin/tags/",
    "/admin/import/",
    "/admin/workflows/",
    "/admin/custom-tools/",
    "/admin/agents/add/",
    "/admin/oauthserver/externalidentity/",
    "/admin/procrastinate/procrastinatejob/",
    "/admin/mcpapi/session/",
    "/admin/customtools/allowedhost/",
    "/admin/customtools/allowedhost/add/",
    "/admin/customtools/toolsecret/add/",
    "/admin/customtools/toollogline/",
)
"""Addresses of pages, with the ids of the world."""


def addresses(person: User) -> list[str]:
    """Make a world of `person`, and return the addresses of its pages."""
    app = make_app("Claude")
    claude = Assistant.of(person, app=app)
    inferred = infer(quarantined(person, client=app.client_id), "MINE_jazz.").memory_id
    memory = make_memory(person, "MINE_cat", tags=("pets",), importance=0.9)
    update_memory(actor_for(person), memory.pk, MemoryUpdate(text="MINE_cat2", tags=["pets", "garden"]))
    forgotten = make_memory(person, "MINE_dog")
    forget_memory(owner_actor(person), forgotten.pk, reason="MINE_moved")
    claude.call("recall", query="MINE_cat")
    remembered = claude.call("remember", text="MINE_tea")
    plan = propose_plan(owner_actor(person), [ProposedChange(Action.FORGET, [memory.pk])], "MINE_old")
    document = add_document(owner_actor(person), DocumentDraft("MINE.txt"), io.BytesIO(b"MINE_text"), at_once=True)
    index_pending_batch(corpus=CHUNKS)
    finding = CleanupFinding.objects.create(
        owner=person, kind="contradiction", key=b"key", memory_ids=[memory.pk, remembered["memory_id"]],
        details={"kept_id": memory.pk}, reason="MINE_reason", strength=1.0,
    )  # fmt: skip
    source = create_source(person.pk, SourceDraft("mine", "folder", {"path": "/MINE_notes"}))
    for number in range(5):
        make_memory(person, f"MINE_{number}")
    compute(person.pk)
    budget = Budget.objects.create(user=person, measure="calls", period="day", limit=10)
    values = {
        "memory": memory.pk,
        "other": remembered["memory_id"],
        "inferred": inferred,
        "forgotten": forgotten.pk,
        "plan": plan.pk,
        "client": app.client_id,
        "entry": JournalEntry.objects.filter(owner_id=person.pk).latest("pk").pk,
        "connection": Connection.objects.get(user=person).pk,
        "document": document.document.pk,
        "finding": finding.pk,
        "source": source.pk,
        "budget": budget.pk,
    }
    return [path.format(**values) for path in PAGES]
