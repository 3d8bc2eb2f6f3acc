"""Obstacles to undoing that one document's history does not show: other documents, versions, and what apps may do."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from documents.models import Document, Version
from memories.access import Actor
from memories.database import among_uuids
from memories.undo.reversal import Effect, Obstacle, Reversal, State

Place = tuple[str, str]
"""The source of a document and its key there, which only one active document has."""


def with_obstacles(
    actor: Actor, reversals: Iterable[Reversal[uuid.UUID]], states: Mapping[uuid.UUID, State]
) -> list[Reversal[uuid.UUID]]:
    """Return the reversals, with the obstacles of those that would break a rule. At most three queries."""
    checked = [_within_rights(actor, reversal, states[reversal.item_id]) for reversal in reversals]
    with_content = [reversal for reversal in checked if _new_content(reversal) is not None]
    contents = _contents_of(reversal.item_id for reversal in with_content)
    checked = [_with_content(reversal, contents) for reversal in checked]
    returning = {reversal.item_id for reversal in checked if _comes_back(reversal, states[reversal.item_id])}
    if not returning:
        return checked
    going = {item.item_id for item in checked if item.effect == Effect.REMOVED and item.obstacle is None}
    places = _places_of(returning)
    taken = _taken(actor.owner_id, places.values(), going)
    return [
        _in_place(reversal, places[reversal.item_id], taken) if reversal.item_id in returning else reversal
        for reversal in checked
    ]


def _within_rights(actor: Actor, reversal: Reversal[uuid.UUID], state: State) -> Reversal[uuid.UUID]:
    if actor.is_owner or reversal.effect == Effect.NONE:
        return reversal
    earlier = _earlier(reversal)
    if "quarantined_from" in earlier:
        return replace(reversal, obstacle=Obstacle.OWNERS_DECISION)
    if not actor.view.shows({**state, **earlier}["tags"] or ()):
        return replace(reversal, obstacle=Obstacle.OUT_OF_VIEW)
    return reversal


def _earlier(reversal: Reversal[uuid.UUID]) -> dict[str, Any]:
    """Return the fields that would be set, also if later changes were undone as well."""
    return {**reversal.values, **{conflict.name: conflict.earlier for conflict in reversal.conflicts}}


def _new_content(reversal: Reversal[uuid.UUID]) -> str | None:
    content: str | None = _earlier(reversal).get("content") if reversal.effect == Effect.RESTORED else None
    return content


def _contents_of(document_ids: Iterable[uuid.UUID]) -> set[tuple[uuid.UUID, str]]:
    """Return the contents of all versions of the documents."""
    ids = list(document_ids)
    if not ids:
        return set()
    found = Version.objects.filter(document__in=among_uuids(ids)).values_list("document_id", "original__content_hash")
    return {(document_id, bytes(content_hash).hex()) for document_id, content_hash in found}


def _with_content(reversal: Reversal[uuid.UUID], contents: set[tuple[uuid.UUID, str]]) -> Reversal[uuid.UUID]:
    content = _new_content(reversal)
    if content is None or (reversal.item_id, content) in contents:
        return reversal
    return replace(reversal, obstacle=Obstacle.CONTENT_GONE)


def _comes_back(reversal: Reversal[uuid.UUID], state: State) -> bool:
    """Return whether the document would be active outside of quarantine, and is not now."""
    if reversal.obstacle not in (None, Obstacle.CHANGED_SINCE) or reversal.effect != Effect.RESTORED:
        return False
    return not _is_in_place(state) and _is_in_place({**state, **_earlier(reversal)})


def _is_in_place(state: State) -> bool:
    return state["deleted_at"] is None and state["quarantined_from"] is None


def _places_of(document_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, Place]:
    found = Document.objects.filter(pk__in=among_uuids(document_ids)).values_list("pk", "source", "source_key")
    return {pk: (source, key) for pk, source, key in found}


def _taken(owner_id: int, places: Iterable[Place], going: set[uuid.UUID]) -> dict[Place, uuid.UUID]:
    """Return the active documents that have one of the places and are not `going` away by the same undo."""
    wanted = set(places)
    found = Document.objects.not_deleted().filter(
        owner_id=owner_id, quarantined_from=None, source_key__in=[key for _, key in wanted]
    )
    rows = found.values_list("pk", "source", "source_key")
    return {(source, key): pk for pk, source, key in rows if (source, key) in wanted and pk not in going}


def _in_place(reversal: Reversal[uuid.UUID], place: Place, taken: dict[Place, uuid.UUID]) -> Reversal[uuid.UUID]:
    """Return the reversal, with an obstacle if `taken`, which it adds itself to, has its place already."""
    holder = taken.setdefault(place, reversal.item_id)
    if holder == reversal.item_id:
        return reversal
    return replace(reversal, obstacle=Obstacle.ADDED_AGAIN, duplicate_id=holder)
