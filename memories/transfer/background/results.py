"""Previews and counts of imports as JSON values, for pages and apps."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from memories.models import ImportJob, ImportReport
from memories.transfer.importer import Summary
from memories.transfer.preview import MAX_REJECTIONS, Preview
from memories.transfer.report import FAILED

MAX_TAGS = 50
MAX_NAMES = 100


def summary_json(summary: Summary) -> dict[str, Any]:
    """Return the counts of an import so far."""
    return {
        "inserted": summary.inserted,
        "duplicates": summary.duplicates,
        "failed": summary.failed,
        "unindexed": summary.unindexed,
        "left_out": dict(summary.left_out.most_common(MAX_NAMES)),
        "ignored_fields": sorted(summary.ignored)[:MAX_NAMES],
    }


def summary_of(counts: Mapping[str, Any]) -> Summary:
    """Return the summary with these counts, to go on counting. No counts are zero."""
    return Summary(
        counts.get("inserted", 0),
        counts.get("duplicates", 0),
        counts.get("failed", 0),
        counts.get("unindexed", 0),
        set(counts.get("ignored_fields", ())),
        Counter(counts.get("left_out", {})),
    )


def preview_json(found: Preview) -> dict[str, Any]:
    """Return a preview: the counts under "counts", and lists of what is shown. The longest lists are cut."""
    counts = {name: value for name, value in summary_json(found.summary).items() if name != "unindexed"}
    return {
        "counts": counts | {"forgotten": found.forgotten, "expired": found.expired},
        "formats": dict(found.files.most_common(MAX_NAMES)),
        "fields": [
            {"format": label, "fields": [{"from": part, "to": ours} for part, ours in fields]}
            for label, fields in list(found.fields.items())[:MAX_NAMES]
        ],
        "samples": [
            {"place": each.place, "text": each.text, "tags": list(each.tags), "state": each.state}
            for each in found.samples
        ],
        "rejections": [{"place": place, "reason": reason} for place, reason in found.rejections],
        "tags": [{"tag": tag, "count": count} for tag, count in found.tags.most_common(MAX_TAGS)],
        "changed_tags": [
            {"from": given, "to": stored} for given, stored in list(found.changed_tags.items())[:MAX_TAGS]
        ],
        "notes": list(found.notes),
    }


def first_rejections(job: ImportJob) -> list[dict[str, str]]:
    """Return the place and the reason of the first entries that could not be imported, as in a preview. One query."""
    return list(islice(_rejections(job), MAX_REJECTIONS)) if job.counts.get("failed") else []


def _rejections(job: ImportJob) -> Iterator[dict[str, str]]:
    reports = ImportReport.objects.filter(job=job, lines__contains=f'"{FAILED}"').order_by("first")
    for lines in reports.values_list("lines", flat=True)[:MAX_REJECTIONS]:
        for line in map(json.loads, lines.splitlines()):
            if line.get("outcome") == FAILED:
                yield {"place": line["place"], "reason": line["reason"]}
