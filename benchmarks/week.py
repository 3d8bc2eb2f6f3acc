"""A week of use: how often the right memory comes first, and what is found when nothing is known.

    .venv/bin/python benchmarks/week.py

133 facts that four assistants store during a week, with corrections and repetitions, 100 questions that they answer,
and 40 that nothing answers, all written without knowledge of the code. 60 and 20 more are blind: they were written
without knowledge of the facts, too. Then 52 facts of another person about four months, in which most things change, and
40 questions: 23 about what has changed, 17 about what has not. Then 194 facts of two more people about five months, and
135 questions: 56 about what has changed, mostly in words that the old fact does not have. Everything goes through the
real pipeline with the local model. Last, 78 facts of a fourth person about a month, by somebody who knew only the
documentation, and 40 questions in three wordings: about "the user", as assistants ask, in the first person, and as
keywords.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.support.own_database import remove_temporary_data, set_up_django

set_up_django("week")

from django.core.management import call_command  # noqa: E402 - needs Django to be set up

from memories.access import Actor, View  # noqa: E402
from memories.drafts import Draft  # noqa: E402
from memories.recall.pipeline import Mode, Query, recall  # noqa: E402
from memories.writing.remembering import RememberOutcome, RememberRequest, remember  # noqa: E402
from oauthserver.models import User  # noqa: E402

DATA = Path(__file__).parent / "data"
MONDAY = datetime(2026, 5, 4, 9, tzinfo=UTC)
WEEK_END, MONTHS_END = MONDAY + timedelta(days=7), MONDAY + timedelta(days=150)
"""The times at which the questions about the week and about the months are asked."""
MONTH_START = datetime(2026, 11, 2, 9, tzinfo=UTC)
"""The first day of the month of the acoustician, whose facts name its dates."""
LIMIT = 8
CUTS = (1, 3, 8)
COLUMNS = (
    "first",
    "top 3",
    "top 8",
    "current before outdated",
    "unanswerable with a match",
    "matches for those",
)


@dataclass(frozen=True, slots=True)
class Answered:
    """A question of one kind, the ids that answer it, and the ids that were found for it.

    Of a question about something that has changed, only the first answer is current.
    """

    kind: str
    answers: Sequence[int]
    found: Sequence[int]

    def is_within(self, cut: int) -> bool:
        """Return whether an answer, which must be current, is among the first `cut` matches."""
        right = self.answers[:1] if self.kind == "current" else self.answers
        return not set(right).isdisjoint(self.found[:cut])

    def is_current_first(self) -> bool:
        """Return whether no outdated answer comes before the current one."""
        ranks = {pk: rank for rank, pk in reversed(list(enumerate(self.found)))}
        last = len(self.found)
        return all(ranks.get(self.answers[0], last) <= ranks.get(outdated, last) for outdated in self.answers[1:])


def main() -> None:
    """Store the week and the months, ask the questions about them in each mode, and print tables."""
    week = read("week")
    try:
        call_command("migrate", verbosity=0)
        print("\n".join(report(week, {"with the facts": "questions", "blind": "blind_questions"}, WEEK_END)))
        for name in ("months_joiner", "months_nurse", "months_farmer"):
            print("\n".join(report(read(name), {name.replace("_", " of a "): "questions"}, MONTHS_END)))
        month = read("month_acoustician")
        wordings = {name.replace("_", " "): name for name in ("third_person", "first_person", "keywords")}
        print("\n".join(report(month, wordings, MONTH_START + timedelta(days=26), MONTH_START)))
    finally:
        remove_temporary_data()


def read(name: str) -> dict[str, Any]:
    """Return the facts and the questions of a file."""
    content: dict[str, Any] = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    return content


def store(actor: Actor, facts: Sequence[Mapping[str, Any]], start: datetime) -> dict[int, RememberOutcome]:
    """Store the facts in their order, each on its day. The first day is `start`. Without days, they are two days apart.

    Return the outcomes by the id in the file.
    """
    outcomes = {}
    for number, fact in enumerate(facts):
        at = start + timedelta(days=fact.get("day", 2 * number + 1) - 1, minutes=number)
        draft = Draft(
            fact["text"],
            tags=tuple(fact.get("tags", ())),
            importance=fact.get("importance", 0.5),
            source_provider=fact.get("by"),
            session_id=fact.get("session"),
            created_at=at,
            last_confirmed_at=at,
        )
        outcomes[fact["id"]] = remember(actor, RememberRequest(draft))
    return outcomes


def report(
    content: Mapping[str, Any], sets: Mapping[str, str], asked_at: datetime, start: datetime = MONDAY
) -> Iterator[str]:
    """Yield the lines of the report: a table of the sets of questions in each mode, then one of their kinds.

    `sets` has the title of each set and its key in `content`.
    """
    view = View.whole(User.objects.create_user(" ".join(sets)).pk)
    outcomes = store(Actor(view, "benchmark"), content["facts"], start)
    yield f"| questions | mode | {' | '.join(COLUMNS)} |\n|---|---|{'---|' * len(COLUMNS)}"
    kinds: defaultdict[str, list[Answered]] = defaultdict(list)
    for title, key in sets.items():
        for mode in Mode:
            answered = asked(view, content[key], outcomes, mode, asked_at)
            yield f"| {title} | {mode} | {' | '.join(figures(answered))} |"
            if mode is Mode.HYBRID:
                for answer in answered:
                    kinds[answer.kind] += [answer] if answer.answers else []
    yield "\n| kind of question (hybrid) | questions | first | top 3 | top 8 |\n|---|---|---|---|---|"
    for kind, answers in sorted(kinds.items()):
        if answers:
            yield f"| {kind} | {len(answers)} | {' | '.join(shares(answers))} |"
    yield "\n" + named_as_outdated(content, sets.values(), outcomes)
    repeats = {fact["id"]: fact["repeats"] for fact in content["facts"] if "repeats" in fact}
    yield f"Repeated facts that were reported when stored: {reported(repeats, outcomes)} of {len(repeats)}\n"


def asked(
    view: View,
    questions: Sequence[Mapping[str, Any]],
    outcomes: Mapping[int, RememberOutcome],
    mode: Mode,
    asked_at: datetime,
) -> list[Answered]:
    """Ask all questions in one mode."""
    return [
        Answered(
            question["kind"],
            [outcomes[number].memory_id for number in question["answers"]],
            [m.memory.pk for m in recall(view, Query(question["text"], LIMIT, mode=mode, asked_at=asked_at)).matches],
        )
        for question in questions
    ]


def figures(answered: Sequence[Answered]) -> list[str]:
    """Return the figures of one mode."""
    answerable = [answer for answer in answered if answer.answers]
    current = [answer for answer in answerable if answer.kind == "current"]
    unknown = [answer for answer in answered if not answer.answers]
    return [
        *shares(answerable),
        f"{sum(answer.is_current_first() for answer in current)} of {len(current)}",
        f"{sum(bool(answer.found) for answer in unknown)} of {len(unknown)}",
        f"{sum(len(answer.found) for answer in unknown) / len(unknown):.1f}" if unknown else "–",
    ]


def shares(answered: Sequence[Answered]) -> list[str]:
    """Return the shares of the questions that are answered within each cut."""
    return [f"{sum(answer.is_within(cut) for answer in answered) / len(answered):.0%}" for cut in CUTS]


def named_as_outdated(content: Mapping[str, Any], keys: Iterable[str], outcomes: Mapping[int, RememberOutcome]) -> str:
    """Return how many of the facts that a later one makes outdated were named when that one was stored."""
    pairs = {
        (question["answers"][0], outdated)
        for key in keys
        for question in content[key]
        if question["kind"] == "current"
        for outdated in question["answers"][1:]
    }
    named = {fact: {memory.pk for memory, _ in outcome.possibly_outdated} for fact, outcome in outcomes.items()}
    right = {newer for newer, older in pairs if outcomes[older].memory_id in named[newer]}
    shown = sum(map(len, named.values()))
    return f"Changes whose outdated fact was named: {len(right)} of {len({newer for newer, _ in pairs})}, among {shown}"


def reported(repeats: Mapping[int, int], outcomes: Mapping[int, RememberOutcome]) -> int:
    """Return how many of the repeated facts were reported as duplicates or near-duplicates of the first one."""
    return sum(
        outcomes[first].memory_id
        in {outcomes[again].memory_id, *(memory.pk for memory, _ in outcomes[again].neighbours.active)}
        for again, first in repeats.items()
    )


if __name__ == "__main__":
    main()
