"""Memories that tell the aspect of the owner that a question asks about, whatever words it uses.

"Recommend a dinner for us" shares neither words nor much meaning with "Maya has coeliac disease".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memories.aspects.asked import AskedAspect
from memories.aspects.reading import NAME_SIGN, Aspect
from memories.corpus import MEMORIES
from memories.database import fetch_rows
from memories.recall.filters import RecallFilters
from memories.recall.matches import Match
from memories.recall.ranking import Ranked

MOST = 20
"""Number of memories of the asked aspect that are candidates: the most important ones."""

LEAST_RELEVANCE = 0.05
"""Least relevance of a memory that tells the asked aspect of the owner or of people close to them."""

OF_EVERYBODY = frozenset({Aspect.HEALTH, Aspect.FAMILY})
"""Aspects of people close to the owner that count, too. Of others, only the owner's own count."""

_OF_ASPECT = """
SELECT id, aspect, left(text, 300) FROM memories_memory
WHERE owner_id = %(owner)s AND split_part(aspect, %(sign)s, 1) = %(aspect)s AND aspect IS NOT NULL
  AND deleted_at IS NULL AND quarantined_from IS NULL AND {conditions} {restriction}
ORDER BY importance DESC, last_confirmed_at DESC, id DESC LIMIT %(most)s
"""


def ids_of_aspect(filters: RecallFilters, asked: AskedAspect, owner_names: Iterable[Sequence[str]]) -> list[int]:
    """Return the ids of at most `MOST` memories that tell an aspect of the owner. One query.

    `owner_names` are the names of the owner, in lower case: "Ruth lives in Kiel" tells Ruth's home.
    """
    if filters.corpus is not MEMORIES or filters.as_of is not None:
        return []
    selection = filters.selection
    parameters = {**selection.all_parameters, "aspect": str(asked.aspect), "sign": NAME_SIGN, "most": MOST}
    rows = fetch_rows(selection.format_sql(_OF_ASPECT), parameters)
    names = [name for names in owner_names for name in names]
    own = {str(asked.aspect), *(f"{asked.aspect}{NAME_SIGN}{name}" for name in names)}
    return [pk for pk, told, text in rows if (asked.aspect in OF_EVERYBODY or told in own) and asked.is_told_by(text)]


def with_all_telling(matches: Sequence[Match], limit: int) -> list[Match]:
    """Return the matches with those that tell the asked aspect among the first `limit`, where they take at most the
    second half.

    A question about a meal does not name each allergy. If something else ranked higher, an allergy would be left out.
    """
    first, rest = list(matches[:limit]), list(matches[limit:])
    added = [match for match in rest if tells(match.ranked)][: limit // 2]
    places = [place for place in range(limit - limit // 2, len(first)) if not tells(first[place].ranked)][-len(added) :]
    if not added or not places:
        return list(matches)
    added = added[: len(places)]
    left_out = [first.pop(place) for place in reversed(places)][::-1]
    known = {match.memory.id for match in added}
    return [*first, *added, *left_out, *(match for match in rest if match.memory.id not in known)]


def tells(item: Ranked) -> bool:
    """Return whether a candidate tells the asked aspect, and not of somebody else than the question names."""
    return bool(item.candidate.aspect) and not item.candidate.about_other
