"""Notes on facts in prompts: on which day one was, until when it was true, and which later one replaces it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from django.conf import settings

from mcpapi.tools.shapes import past_note
from memories.recall.matches import Match
from memories.recall.replacement_times import replaced_since
from memories.times.written_days import relative_days, written_day

QUOTED_CHARS = 80
"""Most characters of a later fact that a note repeats: it may be left out for want of space."""


def notes_on(matches: Sequence[Match]) -> Mapping[int, str]:
    """Return the note to put after the text of each match, by the id of its memory; an empty one if nothing is to say.

    Of two facts that cannot both be true, only the older one has a note. Recall puts the newer one first.
    """
    places = {match.memory.id: place for place, match in enumerate(matches)}
    return {match.memory.id: _note(match, _later_of(match, places, matches)) for match in matches}


def _later_of(match: Match, places: Mapping[int, int], matches: Sequence[Match]) -> Match | None:
    """Return the later fact that replaces a match or seems to contradict it, if it is shown."""
    for replacing in (match.superseded_by, match.superseded_later_by):
        if replacing is not None and replacing in places:
            return matches[places[replacing]]
    earlier = [
        places[other] for other in match.conflicts_with if places.get(other, len(places)) < places[match.memory.id]
    ]
    return matches[min(earlier)] if earlier else None


def _note(match: Match, later: Match | None) -> str:
    past = past_note(match.memory)
    if later is None:
        return past or _days_note(match)
    newer = f"newer: {_quoted(later.found_text)}"
    if past:
        return f"{past.removesuffix(')')}; {newer})"
    if later.memory.id == match.superseded_by:
        return f" (outdated since {_day(replaced_since(match.memory, later.memory))}; {newer})"
    if later.memory.id == match.superseded_later_by and later.memory.valid_from is not None:
        return f" (outdated from {_day(later.memory.valid_from)} on; {newer})"
    return (
        f" (possibly outdated; confirmed later, on {_day(later.memory.last_confirmed_at)}: {_quoted(later.found_text)})"
    )


def _days_note(match: Match) -> str:
    """Return the days of a text such as "dentist next Tuesday", which depend on when it was said."""
    days = relative_days(match.found_text, match.memory.created_at.astimezone(settings.OWNER_TIME_ZONE))
    return f" ({days})" if days else ""


def _day(moment: datetime) -> str:
    return written_day(moment.astimezone(settings.OWNER_TIME_ZONE).date())


def _quoted(text: str) -> str:
    """Return the beginning of a text on one line, in quotation marks."""
    folded = " ".join(text.split())
    return f"“{folded}”" if len(folded) <= QUOTED_CHARS else f"“{folded[: QUOTED_CHARS - 1].rstrip()}…”"
