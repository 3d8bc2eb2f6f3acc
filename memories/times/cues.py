"""Cues of a statement as patterns, and the roles of its dates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from common.lazy_pattern import lazy_pattern
from memories.times.patterns import LANGUAGES, lead_pattern
from memories.times.vocabulary import UP_TO, Vocabulary


class Role(Enum):
    """The part that a date plays in a sentence."""

    ON = "on"
    UNTIL = "until"
    DEADLINE = "deadline"
    START = "start"


@dataclass(frozen=True, slots=True)
class CompiledCues:
    """The cues of a language as patterns: those before a date by its role, and those anywhere in a sentence."""

    roles: Sequence[tuple[Role, re.Pattern[str]]]
    past: re.Pattern[str]
    coming: re.Pattern[str]
    recurring: re.Pattern[str]
    change: re.Pattern[str]
    lasting: re.Pattern[str]
    verb: re.Pattern[str]


def _compiled(words: Vocabulary) -> CompiledCues:
    cues = words.cues
    weekday = f"(?:{'|'.join(words.weekdays)})s?"
    # "Mon-Thu 09:00", "Tuesdays and Fridays": opening hours and the like.
    weekdays = rf"{weekday} ?(?:[-–/&,]|{UP_TO}|o|or|oder|ou) ?{weekday}"
    return CompiledCues(
        [
            (Role.UNTIL, lead_pattern(cues.until)),
            (Role.DEADLINE, lead_pattern(cues.deadline)),
            (Role.START, lead_pattern(cues.start)),
        ],
        lazy_pattern(rf"\b(?:{cues.past})\b"),
        lazy_pattern(rf"(?:\b|(?='))(?:{cues.coming})\b"),
        lazy_pattern(rf"\b(?:{cues.recurring}|{weekdays})\b"),
        lazy_pattern(rf"\b(?:{cues.change})\b"),
        lazy_pattern(rf"\b(?:{cues.lasting})\b"),
        lazy_pattern(rf"\b(?:{cues.verb}|{cues.lasting})\b"),
    )


CUES = {words.since: _compiled(words) for words in LANGUAGES}
"""The cues of each language, by its words for \"since\"."""
