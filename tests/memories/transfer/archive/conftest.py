"""An owner with data of every kind."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from agents.changes import switch_agent
from documents.models import Document
from documents.writing.forgetting import forget_document
from mcpapi.models import OwnPrompt
from memories.models import Memory, PastRecall, TagSynonym, Verdict
from memories.writing.briefing_places import place_memory
from memories.writing.lifecycle import confirm_memory, forget_memory, hard_delete_memory
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import User
from tests.agents.support import make_agent
from tests.documents.support import BOAT, added, make_document
from tests.support.factories import actor_for, infer, make_memory, make_user, owner_actor, quarantined
from tests.workflows.support import make_workflow
from workflows.changes import change_workflow
from workflows.definitions import read_definition


def add_memories(owner: User) -> None:
    """Give `owner` memories in every state, some with a long history."""
    actor, mine = actor_for(owner), owner_actor(owner)
    rain = make_memory(owner, "It rained on 3 May 2024 in Linz.", tags=("weather",), session_id="s-1")
    update_memory(actor, rain.pk, MemoryUpdate(text="It rained on 4 May 2024 in “Linz”\n— all day.", importance=0.25))
    confirm_memory(actor, rain.pk)
    place_memory(mine, rain.pk, Memory.BriefingPlace.PINNED)
    place_memory(mine, make_memory(owner, "Has two cats.").pk, Memory.BriefingPlace.HIDDEN)
    first, second = make_memory(owner, "Lives in Linz."), make_memory(owner, "Lives in Graz.")
    forget_memory(actor, first.pk, reason="Moved.", replaced_by_id=second.pk)
    forget_memory(actor, make_memory(owner, "Likes tea.").pk)
    make_memory(owner, "Likes tea.", source_provider="notes", created_at=datetime(2020, 1, 1, 0, 0, 0, 7, tzinfo=UTC))
    expired = make_memory(owner, "Is on holiday.", expires_at=timezone.now() + timedelta(hours=1))
    Memory.objects.filter(pk=expired.pk).update(expires_at=timezone.now() - timedelta(hours=1))
    infer(quarantined(owner), "Prefers green tea.", tags=("tea",))
    part = make_memory(owner, "Plays the oboe.")
    Memory.objects.filter(pk=part.pk).update(split_from=first)
    hard_delete_memory(actor, make_memory(owner, "Has a secret.").pk)


def add_judged_recall(owner: User) -> None:
    """Give `owner` a recall with judgements, one of a memory that it did not find."""
    ids = list(Memory.objects.filter(owner=owner).order_by("pk").values_list("pk", flat=True))
    recall = PastRecall.objects.create(
        owner=owner,
        at=timezone.now(),
        client="tests",
        tool="recall",
        milliseconds=1.5,
        query="What is the weather like?",
        mode="auto",
        limit=8,
        min_score=0.0,
        tags=["weather"],
        only_tags=[],
        only_keywords=False,
        matches=[{"id": ids[0], "score": 0.5, "parts": {"meaning": 0.5}}],
        near_misses=[{"id": ids[-1] + 7, "score": None, "parts": {}}],
    )
    Verdict.objects.create(recall=recall, memory_id=ids[0], is_useful=True)
    Verdict.objects.create(recall=recall, memory_id=ids[1], is_useful=False)


def add_documents(owner: User) -> Document:
    """Give `owner` a document with two versions, a forgotten one, and one that could not be read. Return the first."""
    boat = make_document(owner, BOAT, source_key="boat", tags=("boat",))
    added(actor_for(owner), BOAT + "\n## Harbour\n\nThe mooring is number 12.\n", source_key="boat")
    gone = make_document(owner, "A forgotten note.", name="gone.txt", title="Gone")
    forget_document(actor_for(owner), gone.pk, reason="Old.")
    make_document(owner, b"%PDF-1.7 broken", name="broken.pdf")
    return boat


@pytest.fixture
def full_owner() -> User:
    """Return an owner with data of every kind."""
    owner = make_user("owner")
    TagSynonym.objects.filter(owner=owner, variant="bio").delete()
    TagSynonym.objects.create(owner=owner, variant="sailing", canonical="boat")
    add_memories(owner)
    add_judged_recall(owner)
    add_documents(owner)
    OwnPrompt.objects.create(
        owner=owner,
        name="letter",
        title="A letter",
        arguments=[{"name": "person", "description": "To whom", "required": True}],
        messages=[{"role": "user", "text": "Write to {person}."}],
    )
    make_agent(owner)
    switch_agent(owner.pk, "librarian", is_enabled=False)
    make_workflow(owner, "inner", {"description": "x", "steps": [{"id": "a", "tool": "ping"}]})
    make_workflow(owner, "a-flow", {"description": "x", "steps": [{"id": "a", "workflow": "inner"}]})
    changed = read_definition({"description": "y", "steps": [{"id": "a", "tool": "ping"}]})
    change_workflow(owner.pk, "inner", 1, changed)
    make_memory(owner, "The owner likes short reviews.", agent="reviewer")
    return owner
