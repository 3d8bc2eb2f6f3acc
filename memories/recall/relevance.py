"""Calibrated estimates: how likely a question is answered at all, and how likely each match answers it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum

from memories.recall.matches import Match
from memories.recall.ranking import Ranked

EVIDENCE_COUNT = 10
"""Number of first candidates that the confidence depends on."""


class Precision(StrEnum):
    """The choice between finding everything and finding nothing irrelevant."""

    HIGH = "high"  # confident matches only, possibly none
    BALANCED = "balanced"  # no matches if probably nothing is known
    ALL = "all"  # the first matches, however irrelevant


@dataclass(frozen=True, slots=True)
class Calibration:
    """The coefficients of two logistic regressions.

    `confidence`: of the features in `question_features`; `relevance`: of those in `match_features`. How they were
    found: benchmarks/confidence.py.
    """

    confidence: Mapping[str, float]
    relevance: Mapping[str, float]


# For the default model. The others that come with OwnSona have cosines of a similar scale, and larger ones in semantic
# mode, where their confidence is too high rather than too low. Other models have another scale.
HYBRID = Calibration(
    confidence={
        "bias": -3.96,
        "words": -1.96,
        "similarity_lead": 9.16,
        "words_lead": 2.02,
        "unknown_name": -2.05,
        "rank": 3.27,
        "both": 2.16,
        "about_other": -3.25,
    },
    relevance={"bias": -4.8, "confidence": 0.66, "gap": -10.22, "words": 0.14, "stated": 3.01, "about_other": -0.63},
)
READ = Calibration(
    confidence={
        "bias": -4.47,
        "words": -2.01,
        "similarity_lead": 8.46,
        "words_lead": 2.26,
        "unknown_name": -1.99,
        "rank": 3.18,
        "both": 0.71,
        "answers": 2.21,
        "about_other": -2.41,
    },
    relevance={
        "bias": -4.96,
        "confidence": 0.63,
        "gap": -6.52,
        "words": -0.26,
        "stated": 2.94,
        "answers": 1.18,
        "about_other": -0.63,
    },
)
"""The calibration of hybrid mode for questions of which a network has read the first candidates."""

SEMANTIC = Calibration(
    confidence={"bias": -9.12, "cosine": 19.39, "cosine_lead": 5.98},
    relevance={"bias": -2.27, "confidence": 0.53, "gap": -18.03},
)
KEYWORD = Calibration(
    confidence={"bias": -2.54, "words": 4.54, "unknown_name": -3.2},
    relevance={"bias": -2.04, "confidence": 0.72, "gap": -7.33},
)

MIN_CONFIDENCE: Mapping[Precision, float] = {Precision.HIGH: 0.5, Precision.BALANCED: 0.07, Precision.ALL: 0.0}
MIN_RELEVANCE: Mapping[Precision, float] = {Precision.HIGH: 0.2, Precision.BALANCED: 0.004, Precision.ALL: 0.0}
"""Least confidence for any match, and least relevance of each match. The best match of a confident result stays."""

WEAK = 0.07
"""Relevance below which a match is shown to the owner as a weak one. Nonsense finds only such matches."""

DATED_CONFIDENCE, BEGINS_THEN, NAMES_DAY = 0.7, 0.6, 0.3
"""Least confidence if memories name a day of the time that a question asks about and nothing else, and least relevance
of events that begin in this time, and of the others. Such a question shares no word with its answers."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The confidence, 0–1, that the question is answered, and the relevance, 0–1, of each candidate, by its id."""

    confidence: float
    relevance: Mapping[int, float]

    def with_dated(self, beginning: Set[int], others: Set[int]) -> Estimate:
        """Return the estimate for a question that only asks what is on at a time.

        `beginning` are the events that begin in this time, `others` the other memories that name a day of it.
        """
        if not (beginning or others):
            return self
        least = {**dict.fromkeys(others, NAMES_DAY), **dict.fromkeys(beginning, BEGINS_THEN)}
        return Estimate(max(self.confidence, DATED_CONFIDENCE), self.at_least(least).relevance)

    def at_least(self, least: Mapping[int, float]) -> Estimate:
        """Return the estimate with the relevance that candidates have at least, by their ids."""
        relevance = {pk: max(value, least.get(pk, 0.0)) for pk, value in self.relevance.items()}
        return Estimate(self.confidence, relevance)

    def keep(self, matches: Sequence[Match], precision: Precision) -> list[Match]:
        """Return the matches that are relevant enough, with their relevance.

        A match also stays if it conflicts with one that stays, or will replace it or be replaced by it: a correction
        without the corrected statement, or the reverse, would mislead.
        """
        relevant = self.relevant([match.memory.id for match in matches], precision)
        staying = [match for match in matches if match.memory.id in relevant]
        related = {pk for match in staying for pk in (*match.conflicts_with, match.superseded_later_by)} | relevant
        related |= {match.memory.id for match in matches if match.superseded_later_by in relevant}
        return [
            match.with_relevance(self.relevance[match.memory.id]) for match in matches if match.memory.id in related
        ]

    def relevant(self, ids: Sequence[int], precision: Precision) -> set[int]:
        """Return those of the items that are relevant enough: always the best one, if the result is confident."""
        if self.confidence < MIN_CONFIDENCE[precision]:
            return set()
        best = max((self.relevance[item_id] for item_id in ids), default=0.0)
        least = min(MIN_RELEVANCE[precision], best)
        return {item_id for item_id in ids if self.relevance[item_id] >= least}


def estimate(
    ranked: Sequence[Ranked], considered: Sequence[Ranked], calibration: Calibration, *, unknown_name: bool
) -> Estimate:
    """Estimate the confidence of a result from its candidates in the order of rank, and the relevance of some of them.

    `considered` are in order, too, with the signals that only a part of the candidates has. These signals say little
    about whether the question is answered: many texts contain a time, but few the right one. `unknown_name`: the
    question names somebody or something that no memory mentions.
    """
    if not ranked:
        return Estimate(0.0, {})
    logit = _logit(calibration.confidence, question_features(ranked, considered, unknown_name=unknown_name))
    best = max(items[0].rank for items in (ranked, considered) if items)
    return Estimate(
        _probability(logit),
        {
            item.candidate.item_id: _probability(_logit(calibration.relevance, match_features(item, best, logit)))
            for item in considered
        },
    )


def question_features(
    ranked: Sequence[Ranked], considered: Sequence[Ranked], *, unknown_name: bool
) -> dict[str, float]:
    """Return what the first candidates say about the question.

    A lead is how far the best value is above the mean of the others. `both` is high if words and meaning agree.
    `about_other`: even the first candidate is about another subject.
    """
    first = [item.candidate for item in ranked[:EVIDENCE_COUNT]]
    similarities = [candidate.similarity for candidate in first]
    cosines = [candidate.cosine or 0.0 for candidate in first]
    words = [candidate.words for candidate in first]
    return {
        "words": max(words),
        "similarity_lead": _lead(similarities),
        "words_lead": _lead(words),
        "cosine": max(cosines),
        "cosine_lead": _lead(cosines),
        "unknown_name": float(unknown_name),
        "rank": ranked[0].rank,
        "answers": max((item.candidate.answers for item in considered), default=0.0),
        "about_other": considered[0].candidate.about_other if considered else 0.0,
        "both": max(candidate.words * candidate.similarity for candidate in first),
    }


def match_features(item: Ranked, best_rank: float, confidence_logit: float) -> dict[str, float]:
    """Return what a candidate says about its relevance. `gap` is how far it ranks behind the first one."""
    return {
        "confidence": confidence_logit,
        "gap": best_rank - item.rank,
        "words": item.candidate.words,
        "stated": item.candidate.stated,
        "answers": item.candidate.answers,
        "about_other": item.candidate.about_other,
    }


def _lead(values: Sequence[float]) -> float:
    best = max(values)
    return best - (sum(values) - best) / (len(values) - 1) if len(values) > 1 else best


def _logit(coefficients: Mapping[str, float], features: Mapping[str, float]) -> float:
    return coefficients["bias"] + sum(
        weight * features[name] for name, weight in coefficients.items() if name != "bias"
    )


def _probability(logit: float) -> float:
    return 1.0 / (1.0 + math.exp(-logit)) if logit > -700 else 0.0
