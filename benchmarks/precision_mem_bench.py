"""PrecisionMemBench: does a search return what is wanted, and only that? 77 questions and 12 turns of sessions.

    .venv/bin/python benchmarks/precision_mem_bench.py precisionMemBench/fixtures

The folder is `fixtures` of github.com/tenurehq/precisionMemBench. Like every system there, OwnSona is given the text
of each belief, its owner and its first scope, which becomes a tag; a search has the question, the first scope and the
number of results. What was superseded is not revealed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.support.own_database import remove_temporary_data, set_up_django

set_up_django("precision")

from django.core.management import call_command  # noqa: E402 - needs Django to be set up

from benchmarks.public.figures import published, table  # noqa: E402
from benchmarks.public.precision import USER, Belief, Case, Turn, read_beliefs, read_cases, read_sessions  # noqa: E402
from benchmarks.public.precision_scoring import Score, compose, figures, score, score_turn  # noqa: E402
from benchmarks.support.stored import new_view  # noqa: E402
from benchmarks.support.ways import WAYS  # noqa: E402
from memories.access import Actor  # noqa: E402
from memories.drafts import Draft  # noqa: E402
from memories.recall.pipeline import Mode, Query, recall  # noqa: E402
from memories.recall.relevance import Precision  # noqa: E402
from memories.writing.remembering import RememberRequest, remember  # noqa: E402
from memories.writing.updating import MemoryUpdate, update_memory  # noqa: E402


@dataclass(slots=True)
class Stored:
    """The beliefs as memories of owners of their own, and the seconds that each search took."""

    mode: Mode
    precision: Precision
    beliefs: dict[str, Belief] = field(default_factory=dict)
    ids: dict[str, int] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)

    def actor(self, owner: str) -> Actor:
        """Return the actor that stores the memories of an owner of the benchmark."""
        return Actor(new_view(f"{self.mode}-{self.precision}-{owner}"), "benchmark")

    def add(self, belief: Belief) -> None:
        """Remember a belief."""
        draft = Draft(belief.text, tags=belief.scopes[:1])
        self.beliefs[belief.key] = belief
        self.ids[belief.key] = remember(self.actor(belief.owner), RememberRequest(draft)).memory_id

    def add_aliases(self, key: str, aliases: Sequence[str]) -> None:
        """Change the text of a belief to one with more aliases."""
        belief = self.beliefs[key]
        self.beliefs[key] = replace(belief, aliases=tuple(dict.fromkeys([*belief.aliases, *aliases])))
        update_memory(self.actor(belief.owner), self.ids[key], MemoryUpdate(text=self.beliefs[key].text))

    def search(self, case: Case) -> list[str]:
        """Return the keys of the beliefs that recall finds, best first."""
        query = Query(case.query, case.most, tags=case.scopes[:1], mode=self.mode, precision=self.precision)
        start = time.perf_counter()
        found = recall(self.actor(case.owner).view, query).matches
        self.seconds.append(time.perf_counter() - start)
        keys = {pk: key for key, pk in self.ids.items()}
        return [keys[match.memory.pk] for match in found]


def main() -> None:
    """Store the beliefs for each way to search, ask the questions, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fixtures", type=Path, help="the folder fixtures")
    folder = parser.parse_args().fixtures
    beliefs, cases, sessions = read_beliefs(folder), read_cases(folder), read_sessions(folder)
    others = published("PrecisionMemBench")
    rows = []
    try:
        call_command("migrate", verbosity=0)
        for name, (mode, precision) in WAYS.items():
            measured = measure(Stored(mode, precision), beliefs, cases, sessions)
            rows.append([name, *(measured[column] for column in others["columns"])])
    finally:
        remove_temporary_data()
    print("\n".join(table(["system", *others["columns"]], [*rows, *others["rows"]])))
    print(f"\nFigures of others: {others['source']}")


def measure(
    stored: Stored, beliefs: Sequence[Belief], cases: Sequence[Case], sessions: Sequence[Sequence[Turn]]
) -> dict[str, object]:
    """Store the beliefs, ask the single questions, then hold the sessions, which add beliefs. Return the figures."""
    for belief in beliefs:
        stored.add(belief)
    pinned = {belief.key for belief in beliefs if belief.is_pinned and belief.owner == USER}
    scores = [score(case, compose(stored.beliefs, case, stored.search), pinned) for case in cases]
    p50 = 1000 * median(stored.seconds)
    turns = [hold(stored, turn) for session in sessions for turn in session]
    return {**figures(scores, turns), "p50, ms": p50}


def hold(stored: Stored, turn: Turn) -> Score:
    """Ask the question of a turn, then change the memories as the turn says. Return the score."""
    scored = score_turn(turn.case, compose(stored.beliefs, turn.case, stored.search))
    if turn.new_belief:
        stored.add(turn.new_belief)
    if turn.new_aliases:
        stored.add_aliases(*turn.new_aliases)
    return scored


if __name__ == "__main__":
    main()
