"""Reads of sources. Every result belongs to one view."""

from __future__ import annotations

from collections.abc import Mapping

from django.db.models import Count

from common.advisory_locks import AdvisoryLock, locked_if_free
from common.texts import translatable
from documents.models import Document, Source
from documents.sources.report import counts_in_words
from documents.sources.stored_settings import configuration_problem
from memories.access import View
from memories.errors import NotFound


def visible_sources(view: View) -> list[Source]:
    """Return the sources that give their documents a tag of the view, by name; to the owner, all."""
    sources = Source.objects.filter(owner_id=view.owner_id).order_by("name")
    return list(sources if view.is_whole else sources.filter(tags__overlap=list(view.only_tags)))


def get_source(view: View, name: str) -> Source:
    """Return the visible source with this name. Raises NotFound."""
    for source in visible_sources(view):
        if source.name == name:
            return source
    raise NotFound(translatable("There is no source %(name)s. list_sources shows the names.", name=repr(name[:100])))


def count_documents(view: View) -> Mapping[str, int]:
    """Return the number of the view's documents of each source that has any. One query."""
    documents = Document.objects.visible_to(view).not_deleted()
    return dict(documents.values_list("source").annotate(count=Count("pk")).order_by("source"))


def health_problem(source: Source) -> str:
    """Return why documents of the source may be missing or old; "" if all is well."""
    return configuration_problem(source) or source.problem


def is_interrupted(source: Source) -> bool:
    """Return whether the last sync was killed: it has not ended, and nobody is syncing. No query if it has ended."""
    if source.started_at is None or source.finished_at is not None:
        return False
    with locked_if_free(AdvisoryLock.SOURCE_SYNC, source.pk) as is_free:
        # It may have ended since the source was read.
        return is_free and Source.objects.filter(pk=source.pk, finished_at=None).exists()


def describe_state(source: Source) -> str:
    """Return one sentence for the owner about the state of a source."""
    problem = health_problem(source)
    if problem:
        return problem
    if source.paused_at is not None:
        return translatable("Paused: it is only synced manually.")
    if source.started_at is None:
        return translatable("Not synced yet.")
    if source.finished_at is None:
        return "Being synced."
    counts = counts_in_words(source.added, source.changed, source.removed, source.skipped, source.unchanged)
    return translatable("Last sync: %(counts)s.", counts=counts)
