"""The contents of an archive, and the result of importing it, as the pages show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from django.utils.translation import gettext, gettext_noop

Count = TypeVar("Count")

_KINDS = {
    "memories": gettext_noop("Memories"),
    "hidden_values": gettext_noop("Hidden values"),
    "history": gettext_noop("Changes in the journal"),
    "judged_recalls": gettext_noop("Judged recalls"),
    "tag_synonyms": gettext_noop("Tag synonyms"),
    "plans": gettext_noop("Clean-up plans"),
    "documents": gettext_noop("Documents"),
    "sources": gettext_noop("Sources"),
    "prompts": gettext_noop("Prompts"),
    "agents": gettext_noop("Agents"),
    "workflows": gettext_noop("Workflows"),
    "custom_tools": gettext_noop("Custom tools"),
}
"""The kinds of data, in the order of the pages. PostgreSQL does not keep the order of a JSON object."""

_LISTS_OF_DOCUMENTS = {"document_versions", "document_chunks", "originals"}
_OTHER_NAMES = {"cleanup_plans": "plans"}


@dataclass(frozen=True, slots=True)
class ArchivePreview:
    """The version of OwnSona that made an archive, the time, and the number of each kind that it has."""

    version: str
    created_at: datetime
    kinds: Sequence[tuple[str, int]]


def archive_preview(preview: Mapping[str, Any] | None) -> ArchivePreview | None:
    """Return what the archive of a preview has; None for another file."""
    archive = (preview or {}).get("archive")
    if not archive:
        return None
    counts = {kind: number for kind, number in archive["counts"].items() if kind not in _LISTS_OF_DOCUMENTS}
    return ArchivePreview(archive["version"], datetime.fromisoformat(archive["created_at"]), _named(counts))


def archive_result(counts: Mapping[str, Any]) -> Sequence[tuple[str, Mapping[str, int]]]:
    """Return the name of each kind of an archive that was imported, with its counts."""
    return _named({kind: each for kind, each in counts.get("archive", {}).items() if any(each.values())})


def _named(counts: Mapping[str, Count]) -> Sequence[tuple[str, Count]]:
    """Return the kinds that an archive has by their names on the pages, in their order there."""
    found = {}
    for kind, count in counts.items():
        name = kind.replace(" ", "_")
        found[_OTHER_NAMES.get(name, name)] = count
    known = {kind: found[kind] for kind in _KINDS if found.get(kind)}
    return [(gettext(_KINDS.get(kind, kind)), count) for kind, count in (known | found).items() if count]
