"""Tag synonyms in an archive."""

from __future__ import annotations

import re
from typing import Any

from memories.access import View
from memories.models import TagSynonym
from memories.tags import DEFAULT_SYNONYMS
from memories.transfer.archive.columns import Columns, as_json
from memories.transfer.archive.errors import UnusableArchive
from memories.transfer.archive.registry import Part
from memories.transfer.archive.restoration import Restoration
from memories.transfer.archive.writer import ArchiveWriter
from memories.validation.text import MAX_TAG_CHARS, clean_tag

_NAME = "tag synonyms"
_MEMBER = "tag_synonyms"
_COLUMNS = Columns(TagSynonym, leave_out={"id", "owner_id"})


def _write(archive: ArchiveWriter, view: View) -> None:
    synonyms = TagSynonym.objects.filter(owner_id=view.owner_id).order_by("variant").values(*_COLUMNS.names)
    archive.add_lines(_MEMBER, map(as_json, synonyms.iterator()))


def _restore(restoration: Restoration) -> None:
    """Add the missing synonyms. The defaults of an owner who has not changed them are replaced: some may be deleted."""
    if not restoration.archive.has(f"{_MEMBER}.jsonl"):
        return
    mine = TagSynonym.objects.filter(owner_id=restoration.actor.owner_id)
    here = dict(mine.values_list("variant", "canonical"))
    if here == DEFAULT_SYNONYMS:
        found = {values["variant"]: values["canonical"] for values in map(_values, _records(restoration))}
        mine.filter(variant__in=here.keys() - found.keys()).delete()
        changed = [variant for variant in here.keys() & found.keys() if here[variant] != found[variant]]
        mine.filter(variant__in=changed).delete()
        here = {variant: canonical for variant, canonical in here.items() if variant not in changed}
    counts = restoration.summary.of(_NAME)
    for values in map(_values, _records(restoration)):
        if values["variant"] in here:
            counts.present += 1
        else:
            TagSynonym.objects.create(owner_id=restoration.actor.owner_id, **values)
            counts.added += 1


def _records(restoration: Restoration) -> list[dict[str, Any]]:
    return list(restoration.archive.records(_MEMBER))


def _values(record: dict[str, Any]) -> dict[str, Any]:
    values = _COLUMNS.values_of(record)
    if len(values) != len(_COLUMNS.names) or not all(map(_is_tag, values.values())):
        raise UnusableArchive("A tag synonym is not a pair of tags.")
    return values


def _is_tag(tag: str) -> bool:
    return clean_tag(tag) == tag and 0 < len(tag) <= MAX_TAG_CHARS


TAG_SYNONYMS = Part(_NAME, re.compile(r"tag_synonyms\.jsonl"), _write, _restore)
