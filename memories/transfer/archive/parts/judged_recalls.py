"""Recalls with the owner's judgements in an archive. Other recalls are a log for a limited time and are left out."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from memories.access import View
from memories.models import PastRecall, Verdict
from memories.transfer.archive.columns import Columns, as_json
from memories.transfer.archive.errors import UnusableArchive
from memories.transfer.archive.registry import Part
from memories.transfer.archive.restoration import Restoration
from memories.transfer.archive.writer import ArchiveWriter
from memories.transfer.batches import batches

_NAME = "judged recalls"
_MEMBER = "judged_recalls"
_COLUMNS = Columns(PastRecall, leave_out={"id", "owner_id"})
_JUDGEMENTS = "judgements"
"""The field of a recall with the judgements: objects of `memory_id` and `is_useful`."""
_MATCHES = ("matches", "near_misses")
_BATCH = 200


def _write(archive: ArchiveWriter, view: View) -> None:
    archive.add_lines(_MEMBER, map(as_json, _recalls(view)))


def _recalls(view: View) -> Iterator[dict[str, Any]]:
    judged = PastRecall.objects.filter(owner_id=view.owner_id, verdicts__isnull=False).distinct().order_by("pk")
    for batch in batches(judged.values("pk", *_COLUMNS.names).iterator(chunk_size=_BATCH), _BATCH):
        judgements = defaultdict[int, list[dict[str, Any]]](list)
        for verdict in Verdict.objects.filter(recall__in=[row["pk"] for row in batch]).order_by("pk"):
            judgements[verdict.recall_id].append({"memory_id": verdict.memory_id, "is_useful": verdict.is_useful})
        for row in batch:
            yield {name: row[name] for name in _COLUMNS.names} | {_JUDGEMENTS: judgements[row["pk"]]}


def _restore(restoration: Restoration) -> None:
    """Store the missing recalls with their judgements."""
    counts = restoration.summary.of(_NAME)
    for record in restoration.archive.records(_MEMBER):
        judgements = record.pop(_JUDGEMENTS, None)
        values = _COLUMNS.values_of(record)
        if len(values) < len(_COLUMNS.names) or not _is_list_of_objects(judgements):
            raise UnusableArchive("A judged recall is incomplete.")
        same = {name: values[name] for name in ("at", "client", "tool", "query")}
        if PastRecall.objects.filter(owner_id=restoration.actor.owner_id, **same).exists():
            counts.present += 1
            continue
        values |= {name: _translated(restoration, values[name]) for name in _MATCHES}
        recall = PastRecall.objects.create(owner_id=restoration.actor.owner_id, **values)
        Verdict.objects.bulk_create(_verdicts(restoration, recall, judgements))
        counts.added += 1


def _is_list_of_objects(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, dict) for each in value)


def _translated(restoration: Restoration, matches: object) -> list[dict[str, Any]]:
    if not isinstance(matches, list) or not _is_list_of_objects(matches):
        raise UnusableArchive("The matches of a judged recall are not a list.")
    return [restoration.translated(match, ("id",)) for match in matches]


def _verdicts(restoration: Restoration, recall: PastRecall, judgements: list[dict[str, Any]]) -> Iterator[Verdict]:
    """Yield the judgements of memories that are here."""
    for judgement in judgements:
        former_id, is_useful = judgement.get("memory_id"), judgement.get("is_useful")
        if not isinstance(former_id, int) or not isinstance(is_useful, bool):
            raise UnusableArchive("A judgement is incomplete.")
        memory_id = restoration.memory_ids.find(former_id)
        if memory_id is not None:
            yield Verdict(recall=recall, memory_id=memory_id, is_useful=is_useful)


JUDGED_RECALLS = Part(_NAME, re.compile(r"judged_recalls\.jsonl"), _write, _restore)
