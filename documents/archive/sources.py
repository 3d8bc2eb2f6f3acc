"""Sources in an archive, without secrets and states. They are paused after an import: the owner resumes them."""

from __future__ import annotations

import re
from typing import Any, Final

from django.db import transaction

from documents.models import Source
from documents.sources.changes import create_source
from documents.sources.drafts import SourceDraft
from documents.sources.server_access import check_server_access
from memories.access import View
from memories.errors import MemoriesError
from memories.transfer.archive.columns import Columns, as_json
from memories.transfer.archive.errors import UnusableArchive
from memories.transfer.archive.registry import Part
from memories.transfer.archive.restoration import Restoration
from memories.transfer.archive.writer import ArchiveWriter

_NAME: Final = "sources"
_KEPT: Final = {"name", "kind", "settings", "tags", "interval_minutes", "limits"}
_COLUMNS: Final = Columns(
    Source, leave_out={field.attname for field in Source._meta.concrete_fields if field.attname not in _KEPT}
)


def _write(archive: ArchiveWriter, view: View) -> None:
    sources = Source.objects.filter(owner_id=view.owner_id).order_by("name").values(*_COLUMNS.names)
    archive.add_lines(_NAME, map(as_json, sources.iterator()))


def _restore(restoration: Restoration) -> None:
    """Create the sources whose names are not taken.

    One that needs a secret is refused: nobody but the owner has it. So is one that reads what belongs to the server,
    unless the owner runs it.
    """
    owner_id, counts = restoration.actor.owner_id, restoration.summary.of(_NAME)
    taken = set(Source.objects.filter(owner_id=owner_id).values_list("name", flat=True))
    for number, record in enumerate(restoration.archive.records(_NAME), start=1):
        draft = _draft(_COLUMNS.values_of(record))
        if draft.name in taken:
            counts.present += 1
            continue
        try:
            with transaction.atomic():
                # It checks the settings, which must be valid before it is known what they lead to.
                create_source(owner_id, draft)
                check_server_access(owner_id, draft.kind, draft.settings)
        except MemoriesError as error:
            restoration.summary.refuse(_NAME, f"{_NAME}.jsonl, line {number}", error)
            continue
        taken.add(draft.name)
        counts.added += 1


def _draft(values: dict[str, Any]) -> SourceDraft:
    limits = values.get("limits")
    if values.keys() != _KEPT or not isinstance(values["settings"], dict) or not isinstance(limits, dict):
        raise UnusableArchive("A source is incomplete.")
    if not all(isinstance(limit, int | float) for limit in limits.values()):
        raise UnusableArchive("A source is incomplete.")
    return SourceDraft(**values, is_paused=True)


SOURCES_PART: Final = Part(_NAME, re.compile(r"sources\.jsonl"), _write, _restore)
