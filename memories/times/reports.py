"""Dates in sentences in the past tense: "met Ada on Tuesday", "cake ordered, pick-up on 23 December"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from common.lazy_pattern import lazy_pattern
from memories.times.cues import CompiledCues
from memories.times.periods import Direction, Period
from memories.times.phrases import Phrase
from memories.times.readings import read_weekday

_CLAUSE_CHARS = 120
"""Number of characters before and after a date in which its clause is looked for."""

_BETWEEN_CLAUSES = lazy_pattern(
    r"[,;:!?(\n] ?|(?<=[^\W_]{3})\. | [-–—] "
    r"| (?:because|since|but|so|weil|aber|sodass|parce que|car|mais|porque|pero|perche|ma) "
)
_ONLY_DATE = lazy_pattern(r"\W*(?:(?:on|at|in|the|am|im|der|dem|den|le|la|el|il|en|de|du|del)\b\W*)*")
_OF_ANOTHER_DAY = lazy_pattern(
    r"\b(?:said|says|told|asked|heard|promised|agreed|decided|invited|reminded|mentioned|announced|confirmed|offered"
    r"|entered|registered|enrolled|signed up|deferred"
    r"|got|bought|ordered|found|paid for|sagte|gesagt|erzahlt|versprochen|vereinbart|bestellt|gekauft|bekommen|dit"
    r"|promis|achete|commande|dijo|dicho|compro|compre|comprado|prometio|detto|promesso|comprato|ordinato)\b"
)
"""Verbs beside which a date is often that of something to come: "got tickets for Friday", "entered a run on 3 May"."""


_PRESENT = lazy_pattern(
    r"^(?:and |but |und |et |y |e )?"
    r"(?:i|we|he|she|it|they|ich|wir|er|sie|es|je|nous|on|il|elle|ils|elles|lui|lei|ella) "
    r"|\b(?:instead|stattdessen|en su lugar|invece)\b"
)
"""Clauses without a verb in the past tense: "cancelled the squash on Tuesday, we play on Thursday instead"."""

# "The bin is emptied on Friday" may be every week.
_PRESENT_PASSIVE = lazy_pattern(r"\b(?:is|are|isn['’]t|aren['’]t)(?: \w+ly| always)? [a-z]{3,}ed\b")


@dataclass(frozen=True, slots=True)
class Report:
    """A sentence in the past tense, said at `said_at`, with the cues of its languages."""

    cues: Sequence[CompiledCues]
    said_at: datetime

    def period(self, phrase: Phrase, *, is_limit: bool) -> Period | None:
        """Return the period that a phrase means. `is_limit`: it is an end or a deadline.

        What happened was on the latest such day. But limits and the dates of clauses in another tense may be to come:
        these are the nearest ones.
        """
        before, after = self._clause(phrase)
        clause = f"{before} {after}"
        is_announced = _OF_ANOTHER_DAY.search(before) is not None
        tells = not is_announced and (
            _ONLY_DATE.fullmatch(clause) is not None or any(cues.past.search(clause) for cues in self.cues)
        )
        if phrase.reading is read_weekday and not (is_limit or phrase.found.groupdict().get("which")):
            if is_announced or _PRESENT_PASSIVE.search(clause):
                return None
            is_to_come = not tells and (
                _PRESENT.search(clause) is not None or any(cues.verb.search(clause) for cues in self.cues)
            )
            return phrase.period(self.said_at, Direction.COMING if is_to_come else Direction.PAST)
        past, coming = (phrase.period(self.said_at, each) for each in (Direction.PAST, Direction.COMING))
        if past is None or coming is None or (tells and not is_limit):
            return past
        is_nearer = coming.end > self.said_at and coming.start - self.said_at < self.said_at - past.end
        return coming if is_nearer else past

    def tells(self, phrase: Phrase) -> bool:
        """Return whether the clause of a date is in the past tense, in a sentence that also announces something."""
        clause = " ".join(self._clause(phrase))
        return any(
            cues.past.search(clause) and not cues.coming.search(clause) and cues.coming.search(phrase.found.string)
            for cues in self.cues
        )

    def _clause(self, phrase: Phrase) -> tuple[str, str]:
        """Return the parts of the clause before and after a date."""
        text, (start, end) = phrase.found.string, phrase.found.span()
        before = _BETWEEN_CLAUSES.split(text[max(0, start - _CLAUSE_CHARS) : start])[-1]
        return before, _BETWEEN_CLAUSES.split(text[end : end + _CLAUSE_CHARS], maxsplit=1)[0]
