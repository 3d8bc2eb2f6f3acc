"""Invented calls, documents and inferences, so that the screenshots show a store in daily use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from io import BytesIO

from django.utils import timezone

from documents.drafts import DocumentDraft
from documents.writing.adding import add_document
from mcpapi.models import AuditLine
from memories.cleanup.search import search
from memories.comparisons.pending import compare_pending
from oauthserver.models import Application, User
from tests.support.factories import infer, owner_actor, quarantined

CALLS: Mapping[str, Sequence[int]] = {
    "Claude": (9, 12, 4, 3, 14, 11, 16, 8, 10, 5, 2, 13, 17, 9),
    "ChatGPT": (3, 5, 0, 2, 4, 6, 3, 7, 2, 0, 4, 5, 3, 6),
    "Cursor": (6, 8, 0, 0, 7, 5, 9, 6, 4, 0, 0, 8, 6, 2),
}
"""The number of calls of each app on each of the last 14 days, today last."""

COMPARING_SECONDS = 60.0

INFERENCES = (
    "Robin practises the choir pieces on Sunday evenings.",
    "Robin is looking for a second-hand child seat for the bicycle.",
)

DOCUMENTS = {
    "Winter concert.md": "# Winter concert\n\nFauré, Requiem. Rehearsals on Mondays at half past seven.",
    "Lease.txt": "The notice period is two months. The rent includes the cellar and the bicycle shed.",
    "Danube route.md": "# Passau to Budapest\n\n650 km in eleven days. The train back leaves from Keleti station.",
}


def add_week() -> None:
    """Add them for the owner and the apps of `scripts/demo_data.py`, and search for what could be tidied up."""
    owner, apps = User.objects.get(), {app.name: app for app in Application.objects.filter(name__in=CALLS)}
    claude = quarantined(owner, client=apps["Claude"].client_id)
    for text in INFERENCES:
        infer(claude, text)
    for name, text in DOCUMENTS.items():
        add_document(owner_actor(owner), DocumentDraft(name), BytesIO(text.encode()), at_once=True)
    AuditLine.objects.bulk_create(_calls(owner, apps))
    compare_pending(COMPARING_SECONDS)
    search(owner.pk)


def _calls(owner: User, apps: Mapping[str, Application]) -> Iterator[AuditLine]:
    now = timezone.now()
    for name, counts in CALLS.items():
        for day, count in enumerate(counts, start=1):
            at = now - timedelta(days=len(counts) - day)
            for _ in range(count):
                yield AuditLine(
                    at=at,
                    owner=owner,
                    client_id=apps[name].client_id,
                    client_name=name,
                    session="",
                    protocol_version="2025-11-25",
                    method="tools/call",
                    tool="recall",
                    memory_ids=[],
                    memory_count=0,
                    result=AuditLine.OK,
                    milliseconds=12.0,
                    query="",
                )
