"""Notes on facts in prompts: until when one was true, and which later one replaces it or conflicts with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from django.conf import settings
from django.utils import timezone

from mcpapi.tools.shapes import past_note
from memories.recall.matches import Match

QUOTED_CHARS = 80
"""Most characters of a later fact that a note repeats: it may be left out for want of space."""


def notes_on(matches: Sequence[Match]) -> Mapping[int, str]:
    """Return the note to put after the text of each match, by the id of its memory; an empty one if nothing is to say.

    Of two facts that cannot both be true, only the older one has a note. Recall puts the newer one first.
    """
    places = {match.memory.id: place for place, match in enumerate(matches)}
    notes = {}
    for place, match in enumerate(matches):
        newer = match.superseded_by
        is_replaced = newer in places
        if not is_replaced:
            earlier = [places[other] for other in match.conflicts_with if places.get(other, place) < place]
            newer = matches[min(earlier)].memory.id if earlier else None
        later = None if newer is None else matches[places[newer]]
        notes[match.memory.id] = _note(match, later, is_replaced=is_replaced)
    return notes


def _note(match: Match, later: Match | None, *, is_replaced: bool) -> str:
    past = past_note(match.memory)
    if later is None:
        return past
    newer = f"newer: {_quoted(later.found_text)}"
    if past:
        return f"{past.removesuffix(')')}; {newer})"
    if is_replaced:
        return f" ({_since(later.memory.valid_from or later.memory.created_at)}; {newer})"
    return (
        f" (possibly outdated; confirmed later, on {_day(later.memory.last_confirmed_at)}: {_quoted(later.found_text)})"
    )


def _since(moment: datetime) -> str:
    return f"outdated since {_day(moment)}" if moment <= timezone.now() else f"outdated from {_day(moment)} on"


def _day(moment: datetime) -> str:
    local = moment.astimezone(settings.OWNER_TIME_ZONE)
    return f"{local.day} {local:%B %Y}"


def _quoted(text: str) -> str:
    """Return the beginning of a text on one line, in quotation marks."""
    folded = " ".join(text.split())
    return f"“{folded}”" if len(folded) <= QUOTED_CHARS else f"“{folded[: QUOTED_CHARS - 1].rstrip()}…”"
