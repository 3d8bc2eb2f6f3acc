"""The documents of the journal: their states, titles, and what an undo does to them."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from django.db.models import Exists, OuterRef

from common.advisory_locks import AdvisoryLock, lock_until_commit
from documents.models import Document, DocumentQuerySet, Source, Version
from documents.undo.obstacles import with_obstacles
from documents.undo.storing import store
from documents.writing import journal
from documents.writing.locking import lock_documents
from memories.access import Actor, View
from memories.database import among_uuids
from memories.models import JournalEntry
from memories.undo.documents import DescribedDocument
from memories.undo.reversal import Fields, Reversal, State
from memories.writing.journal import write


class Documents:
    """The documents of the journal: see `memories.undo.documents.JournalledDocuments`."""

    fields = Fields(journal.JOURNALLED_FIELDS, {"forget_reason": "deleted_at"})

    def known_to(self, actor: Actor) -> DocumentQuerySet:
        """Return the documents whose history `actor` may know: quarantined ones are for the owner alone."""
        if actor.is_owner:
            return Document.objects.visible_including_quarantined(actor.view)
        return Document.objects.visible_to(actor.view)

    def states(
        self, actor: Actor, document_ids: Collection[uuid.UUID], *, lock: bool = False
    ) -> Mapping[uuid.UUID, State]:
        """Return the states of those of the documents that `actor` may change, locked until the transaction ends."""
        if not lock:
            return _states(Document.objects.changeable_by(actor).filter(pk__in=among_uuids(document_ids)))
        # The order in which adding documents locks. Nobody takes the place of one that comes back.
        lock_until_commit(AdvisoryLock.DOCUMENT_ADDING, actor.owner_id)
        return _states(lock_documents(actor, document_ids))

    def known_states(self, actor: Actor, document_ids: Collection[uuid.UUID]) -> Mapping[uuid.UUID, State]:
        """Return the states of those of the documents whose history `actor` may know."""
        return _states(self.known_to(actor).filter(pk__in=among_uuids(document_ids)))

    def with_obstacles(
        self, actor: Actor, reversals: Iterable[Reversal[uuid.UUID]], states: Mapping[uuid.UUID, State]
    ) -> list[Reversal[uuid.UUID]]:
        """Return the reversals, with the obstacles of those that would break a rule."""
        return with_obstacles(actor, reversals, states)

    def store(
        self,
        actor: Actor,
        reversals: Sequence[Reversal[uuid.UUID]],
        states: Mapping[uuid.UUID, State],
        operation: JournalEntry.Operation,
    ) -> None:
        """Set locked documents back, with a journal entry each. Call it in a transaction."""
        store(actor, reversals, states, operation)

    def write_first_entries(self, actor: Actor, document_ids: Collection[uuid.UUID]) -> None:
        """Record that `actor` has stored those of the documents that are not forgotten."""
        active = Document.objects.changeable_by(actor).not_deleted().filter(pk__in=among_uuids(document_ids))
        write(journal.first_entry(actor, pk, state) for pk, state in _states(active.order_by("pk")).items())

    def described(self, view: View, document_ids: Collection[uuid.UUID]) -> Mapping[uuid.UUID, DescribedDocument]:
        """Return the titles and versions of those of the documents in view that exist. At most two queries."""
        if not document_ids:
            return {}
        found = Document.objects.visible_including_quarantined(view).filter(pk__in=among_uuids(document_ids))
        titles = dict(found.values_list("pk", "title"))
        # Latest first: of versions with equal contents, the first one counts.
        versions = Version.objects.filter(document__in=among_uuids(titles)).order_by("-number")
        numbers: defaultdict[uuid.UUID, dict[str, int]] = defaultdict(dict)
        for document_id, number, content in versions.values_list("document_id", "number", "original__content_hash"):
            numbers[document_id][bytes(content).hex()] = number
        return {pk: DescribedDocument(title, numbers[pk]) for pk, title in titles.items()}

    def titled(self, view: View, wanted: str, *, limit: int) -> list[uuid.UUID]:
        """Return the owner's documents whose title contains `wanted`, latest updated first."""
        found = Document.objects.visible_including_quarantined(view).filter(title__icontains=wanted).newest_first()
        return list(found.values_list("pk", flat=True)[:limit])

    def count_from_sources(self, document_ids: Collection[uuid.UUID]) -> int:
        """Return how many of the documents come from a source that still exists, which may store them again."""
        source = Source.objects.filter(owner=OuterRef("owner"), name=OuterRef("source"))
        return Document.objects.filter(Exists(source), pk__in=among_uuids(document_ids)).count()


def _states(documents: Iterable[Document]) -> dict[uuid.UUID, dict[str, Any]]:
    """Return the journalled fields of the documents, by id. Two queries."""
    found = list(documents.defer("metadata") if isinstance(documents, DocumentQuerySet) else documents)
    newest = Version.objects.filter(document__in=among_uuids(document.pk for document in found))
    pairs = newest.order_by("document_id", "-number").distinct("document_id")
    contents = dict(pairs.values_list("document_id", "original__content_hash"))
    return {
        document.pk: {"content": _hex(contents.get(document.pk)), **journal.snapshot(document)} for document in found
    }


def _hex(content_hash: memoryview | bytes | None) -> str | None:
    return None if content_hash is None else bytes(content_hash).hex()
