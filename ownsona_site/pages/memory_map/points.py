"""The points of a map with what they say now: texts, tags, apps and ages are read when they are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Value
from django.db.models.functions import Left

from documents.models import Document
from memories.access import View
from memories.admin.history import titled_client
from memories.admin.sources import proper_name
from memories.models import Memory, MemoryMap
from memories.queries.clients import client_names

TEXT_CHARS = 60


@dataclass(frozen=True, slots=True)
class Point:
    """A memory or a document (`id` is a UUID), its position and group, and what is shown of it."""

    id: int | UUID
    x: int
    y: int
    group: int
    text: str
    tags: Sequence[str]
    app: str
    created_at: datetime

    @property
    def is_document(self) -> bool:
        """Whether it is a document."""
        return isinstance(self.id, UUID)


def points_of(view: View, stored: MemoryMap) -> list[Point]:
    """Return the points that the view still shows. Three queries at most; those that are gone are left out."""
    spots = zip(stored.xs, stored.ys, stored.groups, strict=True)
    placed = dict(zip([*stored.memory_ids, *stored.document_ids], spots, strict=True))
    columns = ("pk", "start", "tags", "source_provider", "stored_by", "created_at")
    memories = Memory.objects.visible_to(view).active().filter(pk__in=stored.memory_ids)
    rows = list(memories.annotate(start=Left("text", TEXT_CHARS + 1)).order_by("pk").values_list(*columns))
    if stored.document_ids:
        documents = Document.objects.visible_to(view).not_deleted().filter(pk__in=stored.document_ids)
        titled = documents.annotate(start=Left("title", TEXT_CHARS + 1), source_provider=Value(""))
        rows += list(titled.order_by("pk").values_list(*columns))
    names = client_names({client for *_, client, _ in rows if client})
    return [
        Point(
            pk,
            *placed[pk],
            _shortened(start),
            tags,
            proper_name(source or titled_client(client, names.get(client, ""))),
            created_at,
        )
        for pk, start, tags, source, client, created_at in rows
    ]


def _shortened(start: str) -> str:
    text = " ".join(start.split())
    return text if len(start) <= TEXT_CHARS else f"{text[:TEXT_CHARS].rstrip()}…"
