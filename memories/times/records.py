"""Dates that tell when something was said, decided or found, and not until when it is true.

As in "Decision (5 Nov): we use tabs", "2026-11-05: the archive is on the NAS" and "coeliac disease (diagnosed in
November 2026)".
"""

from __future__ import annotations

import re
from datetime import datetime

from common.lazy_pattern import lazy_pattern
from memories.times.occasions import is_of_occasion
from memories.times.periods import DAY, Period, midnight

_NEAR_CHARS = 80
"""Number of characters before a date that decide about it."""

# "ADR-8 (27 Nov 2026, accepted): we log in UTC", but not the colon of a time of day.
_HEADS = lazy_pattern(r"[^.;:!?\n]{0,40}:(?=[\s*_]|$)")
_LABEL = lazy_pattern(
    r"\b(?:decisions?|decided|agreements?|agreed|notes?|adr|rules?|log|entry|updated?|minutes|status|preferences?|noted"
    r"|recorded|entscheidung(?:en)?|beschluss|beschlusse|notiz(?:en)?|regeln?|protokoll|eintrag|vermerk|stand|regles?"
    r"|decisiones|decisione|decisioni|notas?|reglas?|acta|registro|regol[ae]|verbale)\b[^.;!?\n]*$"
)
_IN_BRACKETS = lazy_pattern(r"[(\[][^()\[\]\n]*$")


def is_of_record(found: re.Match[str], period: Period, said_at: datetime, *, is_past: bool) -> bool:
    """Return whether a date in a folded text hardly says until when the text is true.

    A date to come says so, unless it is that of a decision, a note or the like. `is_past`: the sentence reports
    something.
    """
    before = found.string[max(0, found.start() - _NEAR_CHARS) : found.start()]
    is_head = _HEADS.match(found.string, found.end()) is not None
    today = midnight(said_at)
    if period.start > today:
        return is_head and _LABEL.search(before) is not None
    is_range = bool(found.groupdict().get("first"))
    if is_past or (is_head and not is_range):
        return True
    if _IN_BRACKETS.search(before) and not is_range:
        return True
    is_today = period.end <= today + DAY
    return is_today and not is_of_occasion(found.string, *found.span())
