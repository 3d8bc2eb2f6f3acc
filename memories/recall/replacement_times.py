"""The time from which a newer memory is true in place of an older one."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Protocol

from common.lazy_pattern import lazy_pattern
from memories.models import Memory
from memories.relations.vocabulary import DATE_NAMES
from memories.times.periods import MAX_SPAN_DAYS

_LATER = lazy_pattern(
    r"\b(?:will|'ll|going to|shall|future|soon|next|later|from|after|upcoming|coming|planned|new|become"
    r"|rises?|increases?"
    r"|wird|werden|künftig\w*|zukünftig\w*|bald|nächste\w*|ab|nach|neue\w*|steigt"
    r"|sera|seront|futur\w*|bientôt|prochaine?s?|à partir|après|nouve\w+|augmente\w*"
    r"|será|serán|pronto|próxim[oa]s?|a partir|después|nuev[oa]s?|sube"
    r"|sarà|saranno|presto|prossim[oaie]|dopo|nuov[oaie]|aumenta)\b"
)
"""Words of questions about what is to come, in five languages."""

_YEAR = lazy_pattern(r"\b20\d\d\b")
_WORD = lazy_pattern(r"[^\W\d_]+")
_DAY = timedelta(days=1)
_LONGEST_EVENT = MAX_SPAN_DAYS * _DAY


class Limited(Protocol):
    """Something that is true in a period. A limit that is not known is None."""

    @property
    def valid_from(self) -> datetime | None:
        """The first second."""

    @property
    def valid_until(self) -> datetime | None:
        """The last second."""


def replaced_since(older: Memory, newer: Memory) -> datetime:
    """Return the time from which `newer` is true in place of `older`.

    "From 1 January the rate is 74" replaces the old rate on that day. "Dentist moved to 17 December" replaces the old
    appointment at once, because the new day is that of an event.
    """
    if newer.valid_from is None or _tells_of_event(newer, older):
        return newer.created_at
    return newer.valid_from


def replaces_later(older: Limited, newer: Limited, moment: datetime) -> bool:
    """Return whether `older` is still true at `moment`, because the state of which `newer` tells begins after it."""
    is_to_come = newer.valid_from is not None and newer.valid_from > moment
    return is_to_come and not _tells_of_event(newer, older)


def asks_about_later(question: str, moment: datetime) -> bool:
    """Return whether a question may be about a time after `moment`: it contains a month or a year to come, or a word
    such as "will" or "from".
    """
    lowered = question.lower()
    if _LATER.search(lowered) or any(int(year) > moment.year for year in _YEAR.findall(lowered)):
        return True
    return not DATE_NAMES.isdisjoint(_WORD.findall(lowered))


def is_event(memory: Limited) -> bool:
    """Return whether a memory is true for a few days only, as an appointment or a journey is."""
    length = _length_of(memory)
    return length is not None and length <= _LONGEST_EVENT


def _tells_of_event(newer: Limited, older: Limited) -> bool:
    """Return whether the days of the newer memory are those of an event, and not the beginning of a new state.

    Several days may also be those of an exception, as in "closed from 24 to 28 December".
    """
    length = _length_of(newer)
    return is_event(newer) and (is_event(older) or (length is not None and length <= _DAY))


def _length_of(memory: Limited) -> timedelta | None:
    """Return the length of the time in which a memory is true; None if it has no beginning or no end."""
    if memory.valid_from is None or memory.valid_until is None:
        return None
    return memory.valid_until - memory.valid_from
