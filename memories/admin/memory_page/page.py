"""The page of one memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import DateTimeField, Func, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext

from common.pages.owner_pages import owner_page
from memories.access import View
from memories.admin.base import ADMIN_CLIENT, owners_view
from memories.admin.changes.kinds import as_proposed
from memories.admin.kept_secrets.values import values_of
from memories.admin.memory_list.merging import memory_address, merge_address
from memories.admin.memory_page.related import Related, related_to
from memories.admin.memory_page.successions import true_since, true_until
from memories.admin.memory_page.usage import COUNTED, usage_of
from memories.admin.memory_page.versions import LONG_CHARS, versions_of
from memories.admin.page_timestamps import SEEN_AT
from memories.admin.review.decisions import placing
from memories.admin.rows import MemoryRow, memory_row
from memories.admin.sources import shown_name, with_source
from memories.admin.states import State, state_of, validity_of
from memories.admin.text_diff import Piece, diff
from memories.models import Memory
from memories.queries.clients import BUILTIN_CLIENTS
from memories.recall.successions import LAST_SECOND
from memories.vectors.indexing import has_vector
from memories.writing.merging import names_successors

TITLE_CHARS = 60
MOST_REPLACED = 5


@dataclass(frozen=True, slots=True)
class Repetition:
    """A memory that says the same: its row, how its text differs, and the address of the page that merges both."""

    row: MemoryRow
    pieces: Sequence[Piece]
    merge_url: str


@dataclass(frozen=True, slots=True)
class LinkedText:
    """The text of another memory, with its address."""

    text: str
    url: str


def memory_page(request: HttpRequest, memory_id: int) -> HttpResponse:
    """Show a memory of the owner. Raises Http404 for any other id."""
    view = owners_view(request)
    own = with_source(Memory.objects.visible_including_quarantined(view)).annotate(
        has_vector=has_vector(), read_at=Func(function="statement_timestamp", output_field=DateTimeField())
    )
    memory = own.select_related("replaced_by").filter(pk=memory_id).first()
    if memory is None:
        raise Http404
    is_active = memory.deleted_at is None and memory.quarantined_from is None
    versions = versions_of(view.owner_id, memory.pk)
    proposer = next((version.proposed_by for version in versions if version.is_first), "")
    successors = _successors(memory)
    related = related_to(view, memory) if is_active else Related()
    context = {
        "memory": memory,
        "row": memory_row(memory, proposer=proposer),
        "is_long": len(memory.text) > LONG_CHARS,
        "is_active": is_active,
        "has_expired": is_active and memory.expires_at is not None and memory.expires_at <= timezone.now(),
        SEEN_AT: memory.read_at.isoformat(),  # type: ignore[attr-defined]  # annotated
        "origin": as_proposed(_origin(memory), proposer),
        "replaced": [_linked(old) for old in (*_replaced(memory), *true_until(view, memory))],
        "true_since": [_linked(new) for new in true_since(view, memory)] if is_active else (),
        "ended_at": memory.valid_until and memory.valid_until + LAST_SECOND,
        "successors": [_linked(each) for each in successors],
        "shows_reason": bool(memory.forget_reason) and not names_successors(memory.forget_reason),
        "hidden_values": values_of(memory),
        "usage": usage_of(view, memory.pk),
        "counted": COUNTED,
        "related": related,
        "repetitions": _repetitions(view, memory, related.same),
        "merge_all_url": _merge_url(memory, related.same),
        "versions": versions,
        "can_compare": any(version.can_be_restored for version in versions),
        "placing": placing(memory) if is_active else (),
        "has_vector": state_of(memory) is not State.PENDING_VECTOR,
        "validity": validity_of(memory) if memory.valid_from or memory.valid_until else "",
        "list_url": reverse("admin:memories_memory_changelist"),
    }
    title = memory.text if len(memory.text) <= TITLE_CHARS else f"{memory.text[: TITLE_CHARS - 1]}…"
    return owner_page(request, "memories/memory.html", context, title=title)


def _repetitions(view: View, memory: Memory, rows: Sequence[MemoryRow]) -> list[Repetition]:
    """Return what the page shows of the memories that say the same. At most one query."""
    found = Memory.objects.visible_to(view).in_bulk([row.id for row in rows]) if rows else {}
    return [
        Repetition(row, diff(memory.text, found[row.id].text), _merge_url(memory, [row]))
        for row in rows
        if row.id in found
    ]


def _merge_url(memory: Memory, rows: Sequence[MemoryRow]) -> str:
    return merge_address([memory.pk, *(row.id for row in rows)], memory_address(memory.pk))


def _origin(memory: Memory) -> str:
    """Return the beginning of a sentence that ends with a date."""
    name: str | None = memory.source_name  # type: ignore[attr-defined]  # annotated
    if memory.stored_by == ADMIN_CLIENT or name == BUILTIN_CLIENTS[ADMIN_CLIENT]:
        return gettext("You added it")
    if memory.stored_by == "import" and not memory.source_provider:
        return gettext("It was imported")
    name = shown_name(name) if name else None
    if memory.capture_mode == Memory.CaptureMode.INFERRED:
        return gettext("%(app)s inferred it") % {"app": name} if name else gettext("An app inferred it")
    return gettext("You told %(app)s") % {"app": name} if name else gettext("You told an app")


def _replaced(memory: Memory) -> QuerySet[Memory]:
    return memory.replaces.filter(owner_id=memory.owner_id).order_by("-pk")[:MOST_REPLACED]


def _successors(memory: Memory) -> list[Memory]:
    """Return the memories that have replaced a forgotten one: all parts of one that was split. At most one query."""
    if memory.replaced_by is None:
        return []
    parts = Memory.objects.visible_to(View.whole(memory.owner_id)).filter(split_from=memory.pk).order_by("pk")
    return list(parts) or [memory.replaced_by]


def _linked(memory: Memory) -> LinkedText:
    return LinkedText(memory.text, reverse("admin:memories_memory_change", args=[memory.pk]))
