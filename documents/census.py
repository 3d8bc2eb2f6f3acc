"""Counts of the documents and sources of all owners together, for the operator of the server."""

from __future__ import annotations

from collections.abc import Mapping

from django.db.models import Count, Q

from documents.models import Document, Source


def count_documents_by_state() -> Mapping[str, int]:
    """Count documents in one query. `unread` ones are queued, or nothing in them could be read."""
    forgotten = Q(deleted_at__isnull=False)
    quarantined = ~forgotten & Q(quarantined_from__isnull=False)
    active = ~forgotten & ~quarantined
    return Document.objects.aggregate(
        ready=Count("pk", filter=active & Q(current__isnull=False)),
        unread=Count("pk", filter=active & Q(current__isnull=True)),
        quarantined=Count("pk", filter=quarantined),
        forgotten=Count("pk", filter=forgotten),
    )


def count_sources_by_state() -> Mapping[str, int]:
    """Count sources in one query. `failing` ones are not paused, and their last sync failed."""
    paused, failed = Q(paused_at__isnull=False), ~Q(problem="")
    return Source.objects.aggregate(
        healthy=Count("pk", filter=~paused & ~failed),
        failing=Count("pk", filter=~paused & failed),
        paused=Count("pk", filter=paused),
    )
