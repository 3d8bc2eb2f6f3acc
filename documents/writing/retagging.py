"""Tags of all documents of an owner: counting and replacing them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Count, F, Func, Q, TextField

from documents.models import Document, DocumentQuerySet
from documents.writing.copies import update_copies_of
from memories.access import Actor, View
from memories.database import fetch_rows
from memories.writing.tag_changes import RETAG, retag_parameters
from memories.writing.tagged_documents import TaggedDocuments

_RETAG_DOCUMENTS = RETAG.format(table="documents_document", column="document_id")


def tag_counts(view: View) -> Mapping[str, int]:
    """Return the tags of the view's documents that are not forgotten, with their numbers. One query."""
    tag: Any = Func(F("tags"), function="unnest", output_field=TextField())
    tags = Document.objects.visible_to(view).not_deleted().order_by().annotate(tag=tag).values_list("tag")
    return dict(tags.annotate(count=Count("pk")))


def count_tagged(actor: Actor, tags: Sequence[str]) -> TaggedDocuments:
    """Count the documents that `actor` may change and that have any of the tags. One query."""
    counts = _tagged(actor, tags).aggregate(all=Count("pk"), forgotten=Count("pk", filter=Q(deleted_at__isnull=False)))
    return TaggedDocuments(counts["all"] - counts["forgotten"], counts["forgotten"])


def retag_documents(actor: Actor, tags: Sequence[str], target: str | None) -> TaggedDocuments:
    """Replace `tags` by `target` in these documents, or remove them. Call it in a transaction."""
    # Locked in id order, as everywhere.
    locked = list(_tagged(actor, tags).order_by("pk").select_for_update().values_list("pk", "deleted_at"))
    if not locked:
        return TaggedDocuments()
    ids = [pk for pk, _ in locked]
    fetch_rows(_RETAG_DOCUMENTS, retag_parameters(actor, ids, tags, target))
    update_copies_of(ids)
    forgotten = sum(deleted_at is not None for _, deleted_at in locked)
    return TaggedDocuments(len(locked) - forgotten, forgotten)


def _tagged(actor: Actor, tags: Sequence[str]) -> DocumentQuerySet:
    return Document.objects.changeable_by(actor).filter(tags__overlap=list(tags))
