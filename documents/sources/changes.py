"""Creating, changing and removing sources."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from django.db import IntegrityError, transaction
from django.utils import timezone

from common.advisory_locks import AdvisoryLock, locked_if_free
from common.texts import translatable
from documents.connectors.base import SourceError
from documents.models import Document, Source
from documents.sources.drafts import SourceDraft, check_interval, check_name, checked_limits
from documents.sources.items import actor_of
from documents.sources.opening import cache_folder
from documents.sources.schedule import next_run
from documents.sources.stored_settings import StoredSettings, settings_to_store
from documents.writing import journal
from documents.writing.copies import update_copies
from documents.writing.forgetting import forget_documents_of
from memories.access import View
from memories.errors import InvalidInput
from memories.tags import canonical_tags
from memories.validation.text import clean_tags


def create_source(owner_id: int, draft: SourceDraft) -> Source:
    """Store a new source, which is due at once unless it is paused. Raises InvalidInput and SecretRejected."""
    check_name(draft.name)
    check_interval(draft.interval_minutes)
    stored = _checked_settings(draft.kind, draft.settings)
    try:
        with transaction.atomic():
            return Source.objects.create(
                owner_id=owner_id,
                name=draft.name,
                kind=draft.kind,
                settings=stored.plain,
                encrypted_secrets=stored.encrypted_secrets,
                tags=_checked_tags(owner_id, draft.tags),
                interval_minutes=draft.interval_minutes,
                limits=checked_limits(draft.limits),
                next_run_at=timezone.now() if draft.interval_minutes else None,
                paused_at=timezone.now() if draft.is_paused else None,
            )
    except IntegrityError:
        raise InvalidInput(
            translatable("There is already a source %(name)s. Choose another name.", name=draft.name), argument="name"
        ) from None


def change_source(
    source: Source,
    *,
    settings: Mapping[str, object] | None = None,
    tags: Sequence[str] | None = None,
    interval_minutes: int | None = None,
    is_paused: bool | None = None,
) -> None:
    """Change what is given. `settings` replaces all of them, secrets included; `tags` also changes the documents.

    Raises InvalidInput, also while the source is being synced, and SecretRejected.
    """
    with _not_syncing(source), transaction.atomic():
        if settings is not None:
            stored = _checked_settings(source.kind, settings)
            source.settings, source.encrypted_secrets = stored.plain, stored.encrypted_secrets
        if interval_minutes is not None:
            check_interval(interval_minutes)
            source.interval_minutes = interval_minutes
            source.next_run_at = next_run(interval_minutes, 0, timezone.now())
        if tags is not None:
            _retag(source, _checked_tags(source.owner_id, tags))
        if is_paused is not None:
            source.paused_at = (source.paused_at or timezone.now()) if is_paused else None
        source.save(
            update_fields=["settings", "encrypted_secrets", "interval_minutes", "next_run_at", "tags", "paused_at"]
        )


def remove_source(source: Source, *, forget_documents: bool = True) -> int:
    """Remove a source with its secrets and its cache, and return the number of documents that are forgotten with it.

    Raises InvalidInput while it is being synced.
    """
    with _not_syncing(source):
        with transaction.atomic():
            reason = translatable("The source “%(name)s” was removed.", name=source.name)
            forgotten = forget_documents_of(actor_of(source), source.name, reason=reason) if forget_documents else 0
            folder = cache_folder(source.pk)
            Source.objects.filter(pk=source.pk).delete()
        shutil.rmtree(folder, ignore_errors=True)
    return forgotten


@contextmanager
def _not_syncing(source: Source) -> Iterator[None]:
    """Keep the source from being synced inside the block. Raises InvalidInput while it is."""
    with locked_if_free(AdvisoryLock.SOURCE_SYNC, source.pk) as is_free:
        if not is_free:
            raise InvalidInput(
                translatable(
                    "The source “%(name)s” is being synced. Try again when the sync has ended.", name=source.name
                )
            )
        yield


def _checked_settings(kind: str, settings: Mapping[str, object]) -> StoredSettings:
    try:
        return settings_to_store(kind, settings)
    except SourceError as error:
        raise InvalidInput(str(error)) from None


def _checked_tags(owner_id: int, tags: Sequence[str]) -> list[str]:
    return canonical_tags(View.whole(owner_id), clean_tags(tags))


def _retag(source: Source, tags: list[str]) -> None:
    """Replace the tags of the source, in its documents, too. Other tags of the documents stay."""
    old, actor = set(source.tags), actor_of(source)
    source.tags = tags
    mine = Document.objects.filter(owner_id=source.owner_id, source=source.name).order_by("pk")
    for document in mine.select_for_update():
        before = journal.snapshot(document)
        document.tags = list(dict.fromkeys([*(tag for tag in document.tags if tag not in old), *tags]))
        document.save(update_fields=["tags"])
        update_copies(document)
        journal.write_change(actor, journal.Operation.UPDATE, document.pk, before, journal.snapshot(document))
