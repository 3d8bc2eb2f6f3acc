"""Change sets as the journal shows them, newest first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet

from memories.access import View
from memories.admin.changes.kinds import (
    BRIEFING_PLACE,
    HIDDEN,
    PINNED,
    REPLACED,
    UNHIDDEN,
    UNPINNED,
    as_proposed,
    sentence_of,
    somebody_did,
)
from memories.admin.changes.lines import ChangeLine, change_lines
from memories.admin.changes.tags import Renaming, may_be_renaming, renamings
from memories.database import fetch_rows
from memories.models import JournalEntry
from memories.queries.clients import SOURCE_CLIENT, client_names
from memories.undo.undone import undone_sets, undone_sql

PAGE_SIZE = 20
"""Number of change sets on a page."""

SHOWN_LINES = 5
"""Number of changes that a page shows of each change set."""

MOST_LINES = 200
"""Number of changes on the page of a single change set."""

_FINAL = frozenset({JournalEntry.Operation.HARD_DELETE, JournalEntry.Operation.SHOW})
_ENTRIES_AT_ONCE = 200
_MOST_ROUNDS = 4
"""The number of rounds that read entries for a page. Each round leaves out the change sets that are found already."""

_COUNTS = f"""
SELECT change_set, CASE WHEN memory_id IS NOT NULL THEN 'memory' WHEN variant IS NULL THEN 'document' ELSE 'synonym' END
       AS subject,
       CASE WHEN operation = 'forget' AND after ->> 'replaced_by_id' IS NOT NULL THEN '{REPLACED}'
            WHEN operation = 'update' AND after ? '{BRIEFING_PLACE}' AND after - '{BRIEFING_PLACE}' = '{{}}' THEN
                CASE WHEN after ->> '{BRIEFING_PLACE}' = 'pinned' THEN '{PINNED}'
                     WHEN after ->> '{BRIEFING_PLACE}' = 'hidden' THEN '{HIDDEN}'
                     WHEN before ->> '{BRIEFING_PLACE}' = 'pinned' THEN '{UNPINNED}' ELSE '{UNHIDDEN}' END
            ELSE operation END AS done, count(*), max(id), min(at), min(client),
       max(proposed_by)
FROM memories_journalentry WHERE owner_id = %(owner)s AND change_set = ANY(%(sets)s)
GROUP BY change_set, subject, done
"""  # noqa: S608 - only constants

_FIRST_LINES = f"""
SELECT entry.*, {undone_sql("entry")} AS is_undone FROM unnest(%(sets)s::uuid[]) AS wanted(change_set)
CROSS JOIN LATERAL (
    SELECT * FROM memories_journalentry
    WHERE owner_id = %(owner)s AND change_set = wanted.change_set ORDER BY id LIMIT %(limit)s
) AS entry
"""  # noqa: S608 - only constants


@dataclass(frozen=True, slots=True)
class ShownSet:
    """A change set: a sentence about it, its first lines, and how many more there are. `last_id` is its newest entry.

    `can_be_undone` is false if it only deleted permanently, or looked at hidden values. `is_undone`: all of it has been
    undone since.
    """

    id: UUID
    client: str
    name: str
    sentence: str
    at: datetime
    size: int
    last_id: int
    can_be_undone: bool
    is_undone: bool
    lines: Sequence[ChangeLine]

    @property
    def symbol(self) -> str:
        """The icon in place of the letters of an app, for what no app has changed."""
        if self.client.startswith(SOURCE_CLIENT):
            return "folder"
        return {"admin": "user", "import": "upload"}.get(self.client, "")

    @property
    def more(self) -> int:
        """The number of its changes that are not shown."""
        return self.size - len(self.lines)


@dataclass
class _Counted:
    counts: dict[tuple[str, str], int] = field(default_factory=dict)
    last_id: int = 0
    at: datetime | None = None
    client: str = ""
    proposed_by: str = ""


def newest_sets(view: View, entries: QuerySet[JournalEntry], *, before: int | None) -> tuple[list[ShownSet], bool]:
    """Return the change sets with changes in `entries`, latest changed first, and whether there are more.

    `before` is the `last_id` of the last change set of the page before. At most twelve queries.
    """
    found: dict[UUID, None] = {}
    selected = entries if before is None else entries.filter(pk__lt=before)
    for _ in range(_MOST_ROUNDS):
        rows = selected.order_by("-pk").values_list("change_set", flat=True)
        if found:
            rows = rows.exclude(change_set__in=list(found))
        page = list(rows[:_ENTRIES_AT_ONCE])
        found.update(dict.fromkeys(page))
        if len(page) < _ENTRIES_AT_ONCE or len(found) > PAGE_SIZE:
            break
    shown = shown_sets(view, list(found), before=before)
    return shown[:PAGE_SIZE], len(shown) > PAGE_SIZE


def shown_sets(
    view: View, ids: Collection[UUID], *, limit: int = SHOWN_LINES, before: int | None = None
) -> list[ShownSet]:
    """Return these change sets of the owner, latest changed first. Those that `before` excludes are left out.

    At most nine queries.
    """
    counted = _counted(view.owner_id, ids)
    kept = {key: each for key, each in counted.items() if before is None or each.last_id < before}
    ordered = sorted(kept, key=lambda key: kept[key].last_id, reverse=True)[: PAGE_SIZE + 1]
    lines = _first_lines(view, ordered, limit)
    names = client_names({name for each in kept.values() for name in (each.client, each.proposed_by)})
    # Without an undone line, a change set is not undone.
    undone = undone_sets(view.owner_id, [key for key in ordered if any(line.is_undone for line in lines[key])])
    renamed = renamings(view.owner_id, [key for key in ordered if may_be_renaming(kept[key].counts)])
    return [_shown(key, kept[key], names, lines[key], renamed.get(key), is_undone=key in undone) for key in ordered]


def _counted(owner_id: int, ids: Collection[UUID]) -> Mapping[UUID, _Counted]:
    if not ids:
        return {}
    counted: defaultdict[UUID, _Counted] = defaultdict(_Counted)
    rows = fetch_rows(_COUNTS, {"owner": owner_id, "sets": list(ids)})
    for key, subject, done, count, last_id, at, client, proposed_by in rows:
        each = counted[key]
        each.counts[subject, done] = count
        each.last_id = max(each.last_id, last_id)
        each.at = min(each.at or at, at)
        each.client = client
        each.proposed_by = max(each.proposed_by, proposed_by)
    return counted


def _first_lines(view: View, ids: Sequence[UUID], limit: int) -> Mapping[UUID, Sequence[ChangeLine]]:
    parameters = {"owner": view.owner_id, "sets": list(ids), "limit": limit}
    entries = JournalEntry.objects.raw(_FIRST_LINES, parameters) if ids else ()
    lines: defaultdict[UUID, list[ChangeLine]] = defaultdict(list)
    for line in change_lines(view, entries):
        lines[line.change_set].append(line)
    return lines


def _shown(
    key: UUID,
    counted: _Counted,
    names: Mapping[str, str],
    lines: Sequence[ChangeLine],
    renaming: Renaming | None,
    *,
    is_undone: bool,
) -> ShownSet:
    assert counted.at is not None
    client, name = counted.client, names[counted.client]
    if renaming:
        sentence = somebody_did(client, name, renaming.phrase(counted.counts))
    else:
        sentence = sentence_of(client, name, counted.counts)
    return ShownSet(
        id=key,
        client=client,
        name=name,
        sentence=as_proposed(sentence, names[counted.proposed_by]),
        at=counted.at,
        size=sum(counted.counts.values()),
        last_id=counted.last_id,
        can_be_undone=any(done not in _FINAL for _, done in counted.counts),
        is_undone=is_undone,
        lines=lines,
    )
