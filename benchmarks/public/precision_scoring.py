"""The scoring of PrecisionMemBench: the context that its harness composes around a search, and its figures.

The harness itself adds the pinned beliefs, the open questions and the participants of relations, for every system.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.public.precision import OPEN_QUESTION, RELATION, Belief, Case
from benchmarks.public.scores import mean

STRUCTURAL = frozenset(
    {
        "Scope disambiguation",
        "Supersession chain exclusion",
        "Type routing and open questions",
        "Budget eviction and capacity",
        "Cross-user isolation",
        "Ranking stability",
        "Persona prelude content",
    }
)
"""Categories in which a passed case without a wanted belief counts as structural."""

MOST_QUESTIONS = 15

Search = Callable[[Case], Sequence[str]]
"""Returns the keys of the beliefs that are found for a case, best first."""


@dataclass(frozen=True, slots=True)
class Context:
    """The beliefs that an assistant would be given: pinned ones, those that were found, and open questions."""

    pinned: Sequence[str]
    relevant: Sequence[str]
    questions: Sequence[str]


@dataclass(frozen=True, slots=True)
class Score:
    """The result of a case. `precision` and `recall` are None where nothing is wanted and nothing was found."""

    category: str
    is_passed: bool
    precision: float | None
    recall: float | None

    @property
    def drift(self) -> float:
        """The share of the beliefs found in a turn of a session that are not wanted, 0–1."""
        return 0.0 if self.precision is None else 1 - self.precision

    @property
    def pass_type(self) -> str:
        """The type of a pass: by finding what is wanted, by leaving out what must not be found, or empty."""
        if self.precision:
            return "active"
        return "structural" if self.category in STRUCTURAL else "empty"


def compose(beliefs: Mapping[str, Belief], case: Case, search: Search) -> Context:
    """Return the context for a case. Nothing is searched for an empty question or if no belief may be returned."""
    visible = [
        belief
        for belief in beliefs.values()
        if belief.owner == case.owner and belief.is_pinned and not belief.is_resolved and _in_scope(belief, case)
    ]
    pinned = [belief.key for belief in visible if belief.kind != OPEN_QUESTION and not belief.is_over]
    questions = [belief.key for belief in visible if belief.kind == OPEN_QUESTION]
    found = []
    if case.query.strip() and case.most > 0:
        found = [key for key in dict.fromkeys(search(case)) if key in beliefs and key not in pinned]
    relevant = [*found, *_participants(beliefs, case, found, {*pinned, *found})]
    kept = pinned[: case.most]
    return Context(kept, relevant[: max(0, case.most - len(kept))], questions[:MOST_QUESTIONS])


def _in_scope(belief: Belief, case: Case) -> bool:
    return not set(belief.scopes).isdisjoint(case.scopes)


def _participants(
    beliefs: Mapping[str, Belief], case: Case, found: Iterable[str], known: Iterable[str]
) -> Iterable[str]:
    """Return the beliefs that the relations which were found connect."""
    return [
        key
        for relation in (beliefs[name] for name in found)
        if relation.kind == RELATION
        for key in relation.participants
        if key not in known and key in beliefs
        if beliefs[key].owner == case.owner and _in_scope(beliefs[key], case)
    ]


def score(case: Case, context: Context, pinned_of_user: Iterable[str]) -> Score:
    """Score a single question. `pinned_of_user` are all pinned beliefs of the user, of every scope."""
    expected, relevant = case.expected, set(context.relevant)
    wanted = expected.included - set(pinned_of_user) if expected.only is None else expected.only
    hits = len(relevant & wanted)
    precision = (hits / len(relevant) if relevant else 0.0) if relevant or wanted else None
    return Score(case.category, _is_passed(case, context), precision, hits / len(wanted) if wanted else None)


def score_turn(case: Case, context: Context) -> Score:
    """Score a turn of a session, in which a pinned belief counts as found."""
    expected, relevant = case.expected, set(context.relevant)
    wanted = expected.included if expected.only is None else expected.only
    hits = len(wanted & (relevant | set(context.pinned)))
    return Score(
        case.category,
        _is_passed(case, context),
        hits / len(relevant) if relevant else None,
        hits / len(wanted) if wanted else None,
    )


def _is_passed(case: Case, context: Context) -> bool:
    expected = case.expected
    relevant, pinned, questions = set(context.relevant), set(context.pinned), set(context.questions)
    returned = relevant | pinned
    return (
        (expected.only is None or relevant == expected.only)
        and expected.included <= returned
        and returned.isdisjoint(expected.excluded | expected.noise)
        and expected.pinned <= pinned
        and pinned.isdisjoint(expected.not_pinned)
        and expected.questions <= questions
        and questions.isdisjoint(expected.not_questions)
    )


def figures(scores: Sequence[Score], turns: Sequence[Score]) -> dict[str, object]:
    """Return the figures that the benchmark publishes for single questions and for the turns of its sessions."""
    passed = [score.pass_type for score in scores if score.is_passed]
    return {
        "active passes": passed.count("active"),
        "structural": passed.count("structural"),
        "empty": passed.count("empty"),
        "passes": f"{len(passed)}/{len(scores)}",
        "mean precision": _mean_known(score.precision for score in scores),
        "mean recall": _mean_known(score.recall for score in scores),
        "turns passed": f"{sum(turn.is_passed for turn in turns)}/{len(turns)}",
        "mean drift": mean(turn.drift for turn in turns),
        "mean precision of turns": _mean_known(turn.precision for turn in turns),
    }


def _mean_known(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return mean(known) if known else None
