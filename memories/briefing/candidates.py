"""The memories that a briefing chooses from: for each reason the best ones of each app."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any

from django.db import transaction

from memories.access import View
from memories.aspects.names import owner_name_in
from memories.aspects.reading import NAME_SIGN, Aspect
from memories.aspects.relatives import CALLED, relative_first, relatives_in
from memories.database import fetch_as, fetch_rows
from memories.models import Memory
from memories.recall.relevance import WEAK
from memories.writing.briefing_places import MOST_PINNED

POOL = 60
"""Number of memories that each reason contributes: the best of each app, then the second of each, and so on."""

PER_ASPECT = 8
"""Number of memories of each aspect of the owner that are read for each app, of the first POOL of them."""

MOST_NAMES = 3
"""Number of names of the owner by which they are known, such as a first name and a nickname."""

MOST_RELATIVES = 20
"""Number of relatives of the owner that are known by name."""

RELATIVE_ASPECTS = (Aspect.HEALTH, Aspect.NAME)
"""Aspects that are about the owner's family if they are told of a relative: what they must not eat, when they were
born."""

CLOSEST = 2

ASPECTS_WITH_RELATIVES = (Aspect.FAMILY, Aspect.HOME, Aspect.HEALTH, Aspect.NAME)
"""Aspects that may tell the name of a relative: "I live in Graz with my wife Lena"."""

_MOST_NAME_STATEMENTS = 20

ASPECT_POOL = 120
"""Number of memories that say who the owner and the family are. Each relative has an aspect of their own."""

MOST_READ = 600
"""Number of memories that are read for a reason. With more than ten apps, fewer than POOL are read of each."""

RECENT_RECALLS = 200
"""Number of the owner's last recalls in which the matches are counted, without weak ones. Older versions did not store
the relevance of matches: they all count until later recalls have taken their places."""

UPCOMING_DAYS = 14
"""A memory is upcoming if it expires, or begins or stops being true, within this time."""

MOST_RECALLED = 300
"""Number of the most recalled memories that are looked up for a view without limits; with limits, all of them are."""

_ACTIVE = """
    AND deleted_at IS NULL AND (expires_at IS NULL OR expires_at > statement_timestamp())
    AND briefing_place IS DISTINCT FROM 'hidden'
    AND (valid_until < %(day)s AND last_confirmed_at <= valid_until) IS NOT TRUE
"""

# One step through the index for each app. DISTINCT would read all of the owner's memories.
_APPS = """
WITH RECURSIVE app AS (
    SELECT min(stored_by) AS name
    FROM memories_memory WHERE owner_id = %(owner)s AND deleted_at IS NULL {restriction}
    UNION ALL
    SELECT (SELECT min(stored_by)
            FROM memories_memory
            WHERE owner_id = %(owner)s AND deleted_at IS NULL {restriction} AND stored_by > app.name)
    FROM app WHERE name IS NOT NULL
)
SELECT name, set_config('plan_cache_mode', 'force_custom_plan', true) FROM app WHERE name IS NOT NULL
"""

# The best plan depends on how frequent the tags are. A generic plan, which ignores them, took five times as long:
# the setting is for the statements that follow in the transaction.

_NAME_STATEMENTS = """
SELECT left(text, 100) FROM memories_memory
WHERE owner_id = %(owner)s AND stored_by = ANY(%(apps)s) AND aspect = 'name' {restriction} {condition}
ORDER BY importance DESC, last_confirmed_at DESC, id DESC LIMIT {most}
"""

_FAMILY_STATEMENTS = """
SELECT best.start FROM unnest(%(apps)s::text[]) AS app CROSS JOIN unnest(%(telling)s::text[]) AS telling(name)
CROSS JOIN LATERAL (
    SELECT left(text, 160) AS start FROM memories_memory
    WHERE owner_id = %(owner)s AND stored_by = app AND aspect = telling.name {restriction} {condition}
    ORDER BY importance DESC, last_confirmed_at DESC, id DESC LIMIT {most}) AS best
"""

# The best of each app are looked up in an index, and apps take turns. Otherwise an app with many memories of the
# highest importance would leave no place for those of others.
_FIND = """
WITH recalled AS MATERIALIZED (
    SELECT (found->>'id')::bigint AS id, count(*) AS times
    FROM (SELECT matches FROM memories_pastrecall WHERE owner_id = %(owner)s ORDER BY at DESC, id DESC
          LIMIT {recent_recalls}) AS past
    CROSS JOIN jsonb_array_elements(past.matches) AS found
    WHERE coalesce((found->>'relevance')::float8, 1) >= {weak}
    GROUP BY 1
), pool AS (
    (SELECT id FROM memories_memory
     WHERE owner_id = %(owner)s AND briefing_place = 'pinned' {restriction} {condition}
     ORDER BY id LIMIT {most_pinned})
    UNION
    (SELECT best.id FROM unnest(%(apps)s::text[]) AS app CROSS JOIN LATERAL (
        SELECT id, importance, last_confirmed_at,
               row_number() OVER (ORDER BY importance DESC, last_confirmed_at DESC, id DESC) AS place
        FROM memories_memory
        WHERE owner_id = %(owner)s AND stored_by = app {restriction} {condition}
        ORDER BY importance DESC, last_confirmed_at DESC, id DESC LIMIT {per_app}) AS best
     ORDER BY place, importance DESC, last_confirmed_at DESC, id DESC LIMIT {pool})
    UNION
    (SELECT best.id FROM unnest(%(apps)s::text[]) AS app CROSS JOIN LATERAL (
        SELECT id, last_confirmed_at, row_number() OVER (ORDER BY last_confirmed_at DESC, id DESC) AS place
        FROM memories_memory
        WHERE owner_id = %(owner)s AND stored_by = app {restriction} {condition}
        ORDER BY last_confirmed_at DESC, id DESC LIMIT {per_app}) AS best
     ORDER BY place, last_confirmed_at DESC, id DESC LIMIT {pool})
    UNION
    (SELECT best.id FROM unnest(%(apps)s::text[]) AS app CROSS JOIN LATERAL (
        SELECT id, expires_at, row_number() OVER (ORDER BY expires_at, id) AS place
        FROM memories_memory
        WHERE owner_id = %(owner)s AND stored_by = app AND expires_at <= %(soon)s {restriction} {condition}
        ORDER BY expires_at, id LIMIT {per_app}) AS best
     ORDER BY place, expires_at, id LIMIT {pool})
    UNION
    (SELECT best.id FROM unnest(%(apps)s::text[]) AS app CROSS JOIN unnest(%(aspects)s::text[]) AS aspects(name)
     CROSS JOIN LATERAL (
        SELECT id, importance, last_confirmed_at,
               row_number() OVER (ORDER BY importance DESC, last_confirmed_at DESC, id DESC) AS place
        FROM memories_memory
        WHERE owner_id = %(owner)s AND stored_by = app AND aspect = aspects.name {restriction} {condition}
        ORDER BY importance DESC, last_confirmed_at DESC, id DESC LIMIT {per_aspect}) AS best
     ORDER BY place, importance DESC, last_confirmed_at DESC, id DESC LIMIT {aspect_pool})
    UNION
    (SELECT id FROM (
        SELECT id, valid_until, row_number() OVER (PARTITION BY stored_by ORDER BY valid_until, id) AS place
        FROM memories_memory
        WHERE owner_id = %(owner)s AND valid_until BETWEEN %(day)s AND %(soon)s {restriction} {condition}) AS best
     ORDER BY place, valid_until, id LIMIT {pool})
    UNION
    (SELECT id FROM (
        SELECT id, times, row_number() OVER (PARTITION BY stored_by ORDER BY times DESC, id) AS place
        FROM memories_memory JOIN (SELECT * FROM recalled {most_recalled}) AS often USING (id)
        WHERE owner_id = %(owner)s {restriction} {condition}) AS best
     ORDER BY place, times DESC, id LIMIT {pool})
)
SELECT id, text, tags, importance, last_confirmed_at, expires_at, valid_from, valid_until, capture_mode, stored_by,
       aspect, briefing_place IS NOT NULL AS is_pinned, coalesce(times, 0) AS recalls,
       CASE WHEN valid_from IS NULL AND upper(named_days) <= %(today)s AND last_confirmed_at < upper(named_days)
            THEN upper(named_days) - 1 END AS announced_day,
       false AS is_of_relative, 2 AS closeness
FROM pool JOIN memories_memory USING (id) LEFT JOIN recalled USING (id)
ORDER BY id
"""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An active memory that may be in a briefing.

    - `aspect`: the aspect of the owner that it is about, if any.
    - `recalls`: the number of recent recalls in which it was more than a weak match.
    - `announced_day`: the last day that it names, if it was said before that day, and the day is past. It may say more
      than what was on then: "School fair on 5 December; I bake a cake".
    - `is_of_relative`: the aspect is that of a relative, not of the owner.
    - `closeness`: CLOSEST if it is about the owner, a partner or a child, 1 if it names another relative, else 0.
    """

    id: int
    text: str
    tags: Sequence[str]
    importance: float
    last_confirmed_at: datetime
    expires_at: datetime | None
    valid_from: datetime | None
    valid_until: datetime | None
    capture_mode: str
    stored_by: str
    aspect: str | None
    is_pinned: bool
    recalls: int
    announced_day: date | None
    is_of_relative: bool
    closeness: int

    @property
    def is_explicit(self) -> bool:
        """Whether the owner told it to an app."""
        return self.capture_mode == Memory.CaptureMode.EXPLICIT


def find_candidates(view: View, day: datetime, tags: Sequence[str] | None, session_id: str | None) -> list[Candidate]:
    """Return the candidates by id. The arguments are those of `compose_briefing`. Four queries."""
    condition = _ACTIVE
    if tags is not None:
        condition += " AND tags && %(tags)s::text[]"
    if session_id is not None:
        condition += " AND session_id = %(session)s"
    whole = View.whole(view.owner_id)
    parameters: dict[str, Any] = {
        "owner": view.owner_id,
        "only_tags": list(view.only_tags),
        "day": day,
        "today": day.date(),
        "soon": day + timedelta(days=UPCOMING_DAYS),
        "tags": list(tags or ()),
        "session": session_id,
    }
    with transaction.atomic():
        parameters["apps"] = [name for name, _ in fetch_rows(_APPS.format(restriction=whole.restriction), parameters)]
        names = _owner_names(view, parameters)
        relatives = _relatives(view, parameters, names)
        parameters["aspects"] = [
            *(str(aspect) for aspect in Aspect),
            *(f"{aspect}{NAME_SIGN}{name}" for name in names for aspect in Aspect),
            *(f"{aspect}{NAME_SIGN}{name}" for name in relatives for aspect in RELATIVE_ASPECTS),
        ]
        is_limited = not view.is_whole or tags is not None or session_id is not None
        statement = _statement(view, condition, len(parameters["apps"]), is_limited=is_limited)
        return [_of_owner(each, names, relatives) for each in fetch_as(Candidate, statement, parameters)]


def _statement(view: View, condition: str, apps: int, *, is_limited: bool) -> str:
    """Return the statement that finds the candidates of so many apps.

    It contains the numbers, because the planner guesses badly for a LIMIT that is a parameter.
    """
    return _FIND.format(
        restriction=view.restriction,
        condition=condition,
        recent_recalls=RECENT_RECALLS,
        weak=WEAK,
        most_pinned=MOST_PINNED,
        # Otherwise those that the view does not show would take the places of those that it does.
        most_recalled="" if is_limited else f"ORDER BY times DESC, id LIMIT {MOST_RECALLED}",
        pool=POOL,
        aspect_pool=ASPECT_POOL,
        per_app=min(max(MOST_READ // max(apps, 1), 1), POOL),
        per_aspect=min(max(MOST_READ // (len(Aspect) * max(apps, 1)), 1), PER_ASPECT),
    )


def _owner_names(view: View, parameters: Mapping[str, Any]) -> list[str]:
    """Return the names that the memories of the view give their owner, in lower case."""
    statement = _NAME_STATEMENTS.format(restriction=view.restriction, condition=_ACTIVE, most=_MOST_NAME_STATEMENTS)
    names = [owner_name_in(text) for (text,) in fetch_rows(statement, parameters)]
    return list(dict.fromkeys(name for name in names if name))[:MOST_NAMES]


def _relatives(view: View, parameters: Mapping[str, Any], owner_names: Sequence[str]) -> dict[str, bool]:
    """Return the names of the owner's relatives, in lower case, each with whether it is a partner or a child."""
    statement = _FAMILY_STATEMENTS.format(restriction=view.restriction, condition=_ACTIVE, most=PER_ASPECT)
    aspects = [
        *map(str, ASPECTS_WITH_RELATIVES),
        *(f"{aspect}{NAME_SIGN}{name}" for name in owner_names for aspect in ASPECTS_WITH_RELATIVES),
    ]
    told: dict[str, bool] = {}
    for (text,) in fetch_rows(statement, {**parameters, "telling": aspects}):
        for name, is_close in relatives_in(text).items():
            told[name] = is_close or told.get(name, False)
    closest = sorted((name for name in told if name not in owner_names), key=lambda name: not told[name])
    return {name: told[name] for name in closest[:MOST_RELATIVES]} | dict.fromkeys(CALLED, False)


def _of_owner(candidate: Candidate, names: Sequence[str], relatives: Mapping[str, bool]) -> Candidate:
    """Return the candidate with its aspect if that is one of the owner or the family, or without."""
    if candidate.aspect is None:
        return candidate
    aspect, sign, name = candidate.aspect.partition(NAME_SIGN)
    if name in relatives and aspect in RELATIVE_ASPECTS:
        # When a child was born says who the family is.
        told = Aspect.FAMILY if aspect == Aspect.NAME else aspect
        return replace(candidate, aspect=told, is_of_relative=True, closeness=CLOSEST if relatives[name] else 1)
    if sign and name not in names:
        return replace(candidate, aspect=None)
    if aspect not in (Aspect.FAMILY, Aspect.HEALTH):
        return replace(candidate, aspect=aspect)
    is_close = relative_first(candidate.text)
    if is_close is None and aspect == Aspect.HEALTH:
        return replace(candidate, aspect=aspect)
    told_of = relatives_in(candidate.text)
    closeness = CLOSEST if is_close or any(told_of.values()) else min(len(told_of), 1)
    return replace(candidate, aspect=aspect, is_of_relative=True, closeness=closeness)
