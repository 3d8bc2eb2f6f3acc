"""Calls for two databases, one with hidden memories and one without, whose results must be equal."""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from collections.abc import Iterable
from typing import Any

from django.db import connection, transaction

from documents.corpus import CHUNKS
from documents.drafts import ADDED
from documents.models import Chunk, Document
from memories.models import JournalEntry, Memory, MemoryVector
from memories.vectors.indexing import index_pending_batch
from memories.writing.lifecycle import forget_memory
from oauthserver.models import User
from tests.documents.support import added
from tests.support.factories import Assistant, actor_for, make_expired, make_memory

FIRST_SHOWN, FIRST_HIDDEN, FIRST_NEW = 1_001, 5_001, 9_001
SHOWN, SHOWN_NEAR, SHOWN_TOMBSTONE, SHOWN_EXPIRED = range(FIRST_SHOWN, FIRST_SHOWN + 4)
HIDDEN, HIDDEN_NEAR, HIDDEN_TOMBSTONE, HIDDEN_EXPIRED = range(FIRST_HIDDEN, FIRST_HIDDEN + 4)
MEETING = "We meet the whole team at the office every single Monday morning"

SHOWN_DOCUMENT, HIDDEN_DOCUMENT = (f"00000000-0000-4000-8000-00000000000{number}" for number in (1, 2))
HIDDEN_TEXT = f"# Secretary\n\n{MEETING} beside the kettle."

CALLS: dict[str, list[dict[str, Any]]] = {
    "remember": [
        {"text": f"{MEETING} with cake", "dedup_policy": "skip_if_near", "tags": ["home"]},
        {"text": f"{MEETING} with tea"},
        {"text": "The kettle is broken for good"},
    ],
    "remember_batch": [{"items": [{"text": f"{MEETING} with cake"}, {"text": "x", "tags": ["hushed"]}, {"text": "y"}]}],
    "recall": [
        *({"query": f"{MEETING} kettle", "mode": mode} for mode in ("hybrid", "semantic", "keyword")),
        {"query": "kettle", "tags": ["hushed", "drinks"]},
        {"query": "kettle", "since": "2020-01-01T00:00:00Z", "limit": 1},
        {"query": "kettle", "include_documents": True},
    ],
    "search_memory": [{"query": MEETING}],
    "briefing": [{}, {"max_tokens": 40}, {"tags": ["hushed"]}, {"session_id": "kitchen"}],
    "build_context_prompt": [{"user_prompt": MEETING}, {"user_prompt": MEETING, "include_documents": True}],
    "list_memories": [
        {},
        {"include_deleted": True, "include_expired": True},
        {"untagged_only": True},
        {"min_chars": 10},
        {"limit": 1, "offset": 1},
    ],
    "update_memory": [
        {"id": HIDDEN, "importance": 0.1},
        {"id": HIDDEN, "text": "Something else", "dry_run": True},
        {"id": HIDDEN, "tags": ["home"]},
        {"id": HIDDEN_TOMBSTONE, "importance": 0.1},
        {"id": SHOWN, "tags": ["hushed"]},
    ],
    "update_memory_batch": [
        {"items": [{"id": memory_id, "importance": 0.1} for memory_id in (HIDDEN, SHOWN, HIDDEN_TOMBSTONE)]},
        {"items": [{"id": HIDDEN, "tags": ["home"]}], "dry_run": True},
    ],
    "confirm": [{"id": HIDDEN}, {"id": HIDDEN_EXPIRED}],
    "forget": [
        {"id": HIDDEN, "dry_run": True},
        {"id": HIDDEN, "reason": "no more"},
        {"id": SHOWN, "replaced_by_id": HIDDEN},
        {"id": HIDDEN_TOMBSTONE, "reason": "no more"},
        {"id": HIDDEN, "hard_delete": True},
        {"id": HIDDEN_TOMBSTONE, "hard_delete": True},
    ],
    "forget_batch": [{"ids": [SHOWN, HIDDEN, HIDDEN_TOMBSTONE], "reason": "no more"}],
    "find_near_duplicates": [{}, {"threshold": 0.5, "max_groups": 1}],
    "text_search": [{"text": "e"}, {"text": "MEET", "include_expired": True}],
    "get_memory": [{"id": HIDDEN}, {"id": HIDDEN_TOMBSTONE}, {"id": SHOWN_TOMBSTONE}],
    "count_memories": [{}, {"include_deleted": True, "include_expired": True}, {"tags": ["drinks"]}],
    "memory_stats": [{}],
    "list_tags": [{}, {"include_deleted": True}, {"limit": 1}],
    "export_memories": [{}, {"cursor": f"after-{SHOWN_EXPIRED}"}, {"include_deleted": False}],
    "memory_history": [{"id": memory_id} for memory_id in (HIDDEN, SHOWN, HIDDEN_TOMBSTONE, SHOWN_TOMBSTONE)],
    "list_changes": [{}, {"limit": 1}, {"app": "tests", "since": "2020-01-01T00:00:00Z"}, {"session_id": "kitchen"}],
    "undo": [
        {"memory_id": HIDDEN, "version": 1},
        {"memory_id": SHOWN_TOMBSTONE, "version": 1},
        {"app": "tests", "dry_run": True},
        {"session_id": "kitchen", "dry_run": True},
        {"since": "2020-01-01T00:00:00Z", "dry_run": True},
        {"app": "tests"},
    ],
    "merge_memories": [
        {"ids": [HIDDEN, SHOWN], "text": "x y"},
        {"ids": [SHOWN, HIDDEN_TOMBSTONE], "text": "x y"},
        {"ids": [SHOWN, SHOWN + 1], "text": HIDDEN_TEXT, "dry_run": True},
    ],
    "split_memory": [{"id": HIDDEN, "texts": ["a b", "c d"]}],
    "tidy_next": [{}, {"skip_ids": [HIDDEN, SHOWN]}],
    "propose_cleanup": [
        {"changes": [{"action": "confirm", "ids": [HIDDEN]}]},
        {"changes": [{"action": "forget", "ids": [SHOWN], "replaced_by_id": HIDDEN}]},
    ],
    "list_cleanup_plans": [{}, {"include_closed": True}],
    "apply_cleanup": [{"id": 1}],
    "manage_tags": [
        {"action": "delete", "tags": ["hushed"]},
        {"action": "rename", "tags": ["hushed"], "into": "home", "dry_run": True},
        {"action": "add_synonym", "tags": ["hushed"], "into": "home"},
    ],
    "add_document": [{"text": HIDDEN_TEXT}, {"text": HIDDEN_TEXT, "tags": ["home"]}],
    "search_documents": [
        *({"query": f"{MEETING} kettle", "mode": mode} for mode in ("hybrid", "semantic", "keyword")),
        {"query": "kettle", "tags": ["hushed", "drinks"]},
    ],
    "get_document": [{"id": HIDDEN_DOCUMENT}, {"id": SHOWN_DOCUMENT, "max_chars": 20}],
    "list_documents": [{}, {"tags": ["hushed"]}, {"limit": 1, "offset": 1}],
    "forget_document": [
        {"id": HIDDEN_DOCUMENT, "dry_run": True},
        {"id": HIDDEN_DOCUMENT},
        {"id": HIDDEN_DOCUMENT, "hard_delete": True},
    ],
    "search": [{"query": f"{MEETING} kettle"}],
    "fetch": [{"id": str(memory_id)} for memory_id in (HIDDEN, HIDDEN_TOMBSTONE, SHOWN)],
    "list_sources": [{}],
    "sync_source": [{"name": "notes"}, {"name": "notes", "dry_run": True}],
    "run_workflow": [{"id": "look"}, {"id": "look", "dry_run": True}],
    "ping": [{}],
}


def number_from(first: int) -> None:
    """Set the id of the next memory to `first`."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT setval(pg_get_serial_sequence('memories_memory', 'id'), %s, false)", [first])


def make_four(user: User, tag: str, provider: str, first: int, texts: tuple[str, str, str, str]) -> None:
    """Make two memories that are near the meeting or the kettle, a tombstone and an expired one."""
    number_from(first)
    made = [make_memory(user, text, tags=(tag, "drinks"), source_provider=provider) for text in texts]
    if first == FIRST_HIDDEN:
        make_document_with_id(user, HIDDEN_DOCUMENT, HIDDEN_TEXT, tag)
    else:
        make_document_with_id(user, SHOWN_DOCUMENT, f"# {provider}\n\nThe kettle is described here at length.", tag)
    forget_memory(actor_for(user), made[2].pk, reason=f"{provider} said so")
    make_expired(made[3])


def make_document_with_id(
    user: User, document_id: str, text: str, tag: str, quarantined_from: str | None = None
) -> None:
    """Make a document that has been read and indexed."""
    Document.objects.create(
        id=uuid.UUID(document_id),
        owner=user,
        source=ADDED,
        source_key=hashlib.sha256(text.encode()).hexdigest(),
        title="Notes",
        tags=[tag],
        stored_by="tests",
        quarantined_from=quarantined_from,
    )
    added(actor_for(user), text, quarantined_from=quarantined_from)
    index_pending_batch(corpus=CHUNKS)


def answers(assistant: Assistant, tools: Iterable[str], *, sees_all: bool = False) -> dict[str, list[Any]]:
    """Return the results of all calls of each tool, with times masked. What a tool changes is rolled back.

    Fails if an assistant changes hidden rows, unless it sees all memories.
    """
    before = hidden_rows()
    told = {}
    for tool in tools:
        with transaction.atomic():
            number_from(FIRST_NEW)
            told[tool] = without_times([assistant.call(tool, **arguments) for arguments in CALLS[tool]])
            assert sees_all or hidden_rows() == before, f"{tool} changes hidden rows."
            transaction.set_rollback(True)
    return told


def without_times(told: list[Any]) -> list[Any]:
    """Return `told` with times and new ids of documents masked."""
    without_ids = re.sub(
        r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", _known_or_masked, json.dumps(told)
    )
    masked: list[Any] = json.loads(re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "…", without_ids))
    return masked


def _known_or_masked(found: re.Match[str]) -> str:
    return found[0] if found[0] in {SHOWN_DOCUMENT, HIDDEN_DOCUMENT} else "…"


def hidden_rows() -> list[list[Any]]:
    """Return the hidden memories, their vectors and their history."""
    ids = range(FIRST_HIDDEN, FIRST_HIDDEN + 4)
    return [
        list(Memory.objects.filter(pk__in=ids).order_by("pk").values()),
        list(MemoryVector.objects.filter(memory_id__in=ids).order_by("memory_id").values_list("memory_id", "window")),
        list(JournalEntry.objects.filter(memory_id__in=ids).order_by("pk").values()),
        list(Document.objects.filter(pk=HIDDEN_DOCUMENT).values()),
        list(Chunk.objects.filter(document_id=uuid.UUID(HIDDEN_DOCUMENT)).values()),
    ]
