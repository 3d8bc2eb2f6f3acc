"""The signals of ranking: the reasons for which a candidate may answer a question. Each is defined once, here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from memories.times.periods import Period

CONFIRMATION_HALF_LIFE_SECONDS = 365 * 86_400.0
"""Age of a confirmation at which its signal has halved."""

LONG_BYTES, LONGEST_BYTES = 1_200, 2_400
"""Size of a text above which its words count more, and size above which they count in full."""


class Candidate(NamedTuple):
    """An item that may answer a question, with its signals: all 0–1, except `beside` and `session`, 0–1.5.

    A tuple, because a hundred of them are made for each question, and a frozen dataclass takes five times as long.

    - `cosine`: cosine to the question; None if it is unknown, that is without an embedder or while the memory is
      pending.
    - `similarity`: cosine to the question without names; 0 if it is unknown.
    - `words`: BM25 score, divided by the larger of the best candidate's score and the expected score of a match.
    - `named`: 1 if the memory is about somebody whom the question names, 0.5 if it mentions them.
    - `size`: the length of its text in bytes.
    - `beside`: similarity + words/2 of the better neighbour in its session.
    - `session`: similarity + words/2 of the best candidate of its session. If the memory has no session, its own
      similarity: its words must not count twice.
    - `stated`: the share of its text that is not a question.
    - `is_named_day`: its text names a day that the question asks about.
    - `answer_kind`: 1 if its text can give the kind of answer that the question asks for. 0 until the text is read.
    - `answers`: how likely its text answers the question, as a network has read it. 0 until it is read.
    - `aspect`: 1 if it tells the aspect of the owner, such as the family, that the question asks about.
    - `about_other`: 1 if its text is about another subject than the question. 0 until the text is read.
    - `last_confirmed_at`, `created_at`, `valid_until`: Unix times; see `Memory` for the last. Few candidates are
      shown, and reading a time as a datetime costs more than ranking it.
    """

    item_id: int
    cosine: float | None
    similarity: float
    words: float = 0.0
    named: float = 0.0
    beside: float = 0.0
    session: float = 0.0
    stated: float = 0.0
    importance: float = 0.0
    last_confirmed_at: float = 0.0
    created_at: float = 0.0
    valid_until: float | None = None
    is_named_day: bool = False
    size: int = 0
    answer_kind: float = 0.0
    answers: float = 0.0
    aspect: float = 0.0
    about_other: float = 0.0

    def reaches(self, min_score: float) -> bool:
        """Return whether the cosine is at least `min_score`; if it is unknown, a matching word suffices."""
        if self.cosine is None:
            return self.words > 0 or min_score == 0
        return self.cosine >= min_score


class Moment(NamedTuple):
    """The time of a question, in Unix time, and the period that it refers to, if any."""

    now: float
    period: Period | None = None


@dataclass(frozen=True, slots=True)
class Signal:
    """A reason for the rank of a candidate.

    - `name`: its key in `explain` and in stored recalls.
    - `label`: its name in docs/recall.md. The owner's pages show some signals as one.
    - `weight`: its weight in hybrid mode, where a cosine of 1 is the unit. How it was found: docs/decisions/ranking.md.
    - `compute`: returns its value, 0 to `maximum`; None for the field of `Candidate` with its name.
    """

    name: str
    label: str
    weight: float
    compute: Callable[[Candidate, Moment], float] | None = None
    maximum: float = 1.0

    def value(self, candidate: Candidate, moment: Moment) -> float:
        """Return its value for a candidate."""
        value: float = getattr(candidate, self.name) if self.compute is None else self.compute(candidate, moment)
        return value


def _long(candidate: Candidate, moment: Moment) -> float:
    """Return the words of a long text, 0–1. One vector says little about everything in such a text."""
    if candidate.size <= LONG_BYTES:
        return 0.0
    return candidate.words * min((candidate.size - LONG_BYTES) / (LONGEST_BYTES - LONG_BYTES), 1.0)


def _confirmed(candidate: Candidate, moment: Moment) -> float:
    """Return how recently the memory was confirmed, 0–1. A confirmation in the future counts as one of now."""
    age = max(moment.now - candidate.last_confirmed_at, 0.0)
    return float(0.5 ** (age / CONFIRMATION_HALF_LIFE_SECONDS))


def _time(candidate: Candidate, moment: Moment) -> float:
    """Return 1 if the memory was created in the period that the question refers to, or names a day of it, else 0."""
    period = moment.period
    if candidate.is_named_day:
        return 1.0
    return float(period is not None and period.start.timestamp() <= candidate.created_at < period.end.timestamp())


def _past(candidate: Candidate, moment: Moment) -> float:
    """Return 1 if the time in which the memory was true is over, unless the question asks about that time; else 0."""
    end = candidate.valid_until
    return float(
        end is not None and end < moment.now and candidate.last_confirmed_at <= end and not candidate.is_named_day
    )


SIGNALS = (
    Signal("similarity", "meaning", 1.0),
    Signal("words", "words", 0.2),
    Signal("long", "words of a long text", 1.2, _long),
    Signal("named", "the person", 0.45),
    Signal("beside", "the neighbour", 0.15, maximum=1.5),
    Signal("session", "the session", 0.38, maximum=1.5),
    Signal("stated", "what it states", 0.2),
    Signal("time", "the time", 0.2, _time),
    Signal("answer_kind", "the kind of answer", 0.13),
    Signal("answers", "how well it answers", 0.25),
    Signal("aspect", "what it tells about you", 0.15),
    Signal("about_other", "about something else", -0.1),
    Signal("past", "past", -0.05, _past),
    Signal("importance", "importance", 0.02),
    Signal("confirmed", "freshness", 0.02, _confirmed),
)
"""All signals, in the order of docs/recall.md."""

Weights = Mapping[str, float]
"""The weight of each signal that counts, by its name."""

HYBRID: Weights = {signal.name: signal.weight for signal in SIGNALS}
SEMANTIC: Weights = {"similarity": 1.0}
KEYWORD: Weights = {"words": 1.0}
