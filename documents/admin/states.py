"""States of documents and versions in the words of the pages."""

from __future__ import annotations

from enum import StrEnum

from django.db.models import Prefetch, Q, QuerySet
from django.utils.translation import gettext_noop

from documents.models import Document, Version


class State(StrEnum):
    """The state of a document that the owner sees. If several apply, the last of them is shown."""

    READY = gettext_noop("ready")
    WAITING = gettext_noop("waiting")
    NO_TEXT = gettext_noop("contains no text")
    UNREADABLE = gettext_noop("could not be read")
    IN_REVIEW = gettext_noop("awaiting your review")
    FORGOTTEN = gettext_noop("forgotten")


def versions_without_text() -> QuerySet[Version]:
    """Return all versions with their originals and `has_text` in place of their texts, which may be very long."""
    return Version.objects.defer("text").select_related("original").annotate(has_text=~Q(text=""))


def newest_versions() -> Prefetch[str]:
    """Load the newest version of each document into the list `newest_versions`. One query."""
    newest = versions_without_text().order_by("document_id", "-number").distinct("document_id")
    return Prefetch("versions", newest, to_attr="newest_versions")


def newest_version(document: Document) -> Version | None:
    """Return the newest version of a document with its `newest_versions`; None without a version."""
    versions: list[Version] = document.newest_versions  # type: ignore[attr-defined]  # prefetched
    return versions[0] if versions else None


def state_of_version(version: Version | None) -> State:
    """Return the state of a version with its `has_text`. A document without a version waits for its first one."""
    if version is None or version.state == Version.State.QUEUED:
        return State.WAITING
    if version.state == Version.State.FAILED:
        return State.UNREADABLE
    return State.READY if version.has_text else State.NO_TEXT  # type: ignore[attr-defined]  # annotated


def state_of(document: Document) -> State:
    """Return the state of a document with its `newest_versions`."""
    if document.deleted_at is not None:
        return State.FORGOTTEN
    if document.quarantined_from is not None:
        return State.IN_REVIEW
    return state_of_version(newest_version(document))
