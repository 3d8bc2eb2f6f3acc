"""Questions in other words: how often the right memory comes first, among those of 22 invented people.

    .venv/bin/python benchmarks/wordings.py

2,700 memories and 5,700 questions in `data/stores`, written without knowledge of the code and of the other data. Two
thirds of the questions share no word with the memory that answers them, so this favours meaning over words: a real
person's questions are a mixture of these and of those of `week.py`. In English, the network that reads answers has
learned from two people of each file, and not from the third one. Everything goes through the real pipeline with the
local model, which takes five minutes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.support.own_database import remove_temporary_data, set_up_django

set_up_django("wordings")

from django.core.management import call_command  # noqa: E402 - needs Django to be set up

from benchmarks.support.people import ENGLISH_STORES, Person, people  # noqa: E402
from benchmarks.support.stored import new_view, store_drafts  # noqa: E402
from memories.access import View  # noqa: E402
from memories.comparisons.pending import compare_pending  # noqa: E402
from memories.drafts import Draft  # noqa: E402
from memories.recall.pipeline import Mode, Query, recall  # noqa: E402
from memories.recall.relevance import Precision  # noqa: E402

STORES = Path(__file__).parent / "data" / "stores"
FIRST_DAY, ASKED_AT = datetime(2026, 3, 1, 9, tzinfo=UTC), datetime(2026, 11, 20, 9, tzinfo=UTC)
DAYS = 240
"""Days over which the memories of a person are spread, in their order."""

LINES_OF_SESSION = 25
CHATS = "chats"
COMPARING_SECONDS = 600.0
"""Limit on the time in which the memories of a person are compared, as the job process would do."""
CUTS = (1, 3, 8)
WAYS = {mode.value: (mode, Precision.ALL) for mode in Mode} | {"balanced": (Mode.HYBRID, Precision.BALANCED)}
"""The ways to ask, by their names."""


def main() -> None:
    """Store the memories of all people, ask their questions in each mode, and print a table."""
    try:
        call_command("migrate", verbosity=0)
        print(f"| memories | questions | {' | '.join(f'{way}: first, top 3, top 8' for way in WAYS)} |")
        print(f"|---|---|{'---|' * len(WAYS)}")
        for path in sorted(STORES.glob("*.tsv")):
            for title, part in parts(path.stem, people(path)):
                places: dict[str, list[int]] = {way: [] for way in WAYS}
                for number, person in enumerate(part):
                    view = new_view(f"{title} {number}")
                    ids = store_drafts(view, list(drafts(person, in_sessions=path.stem == CHATS)), title)
                    compare_pending(COMPARING_SECONDS)
                    for way in WAYS:
                        places[way] += [place_of(ids[memory], view, text, way) for memory, text in person.questions]
                shares = " | ".join(map(share_within, places.values()))
                print(f"| {title} | {len(places[Mode.HYBRID])} | {shares} |", flush=True)
    finally:
        remove_temporary_data()


def parts(name: str, everybody: Sequence[Person]) -> Iterator[tuple[str, Sequence[Person]]]:
    """Yield the people of a file with a title: first those from whom the network that reads answers has learned."""
    title = name.replace("_", " ")
    if name in ENGLISH_STORES:
        yield f"{title}, learned from", everybody[:-1]
        yield f"{title}, unseen", everybody[-1:]
    else:
        yield title, everybody


def drafts(person: Person, *, in_sessions: bool) -> Iterator[Draft]:
    """Yield what a person's apps store, in its order."""
    for place, text in enumerate(person.memories):
        at = FIRST_DAY + timedelta(days=DAYS * place / len(person.memories))
        session_id = str(place // LINES_OF_SESSION) if in_sessions else None
        yield Draft(text, created_at=at, last_confirmed_at=at, session_id=session_id)


def place_of(memory: int | None, view: View, question: str, way: str) -> int:
    """Return the place of a memory among the matches for a question, from 0; if it is not found, their number."""
    mode, precision = WAYS[way]
    query = Query(question, CUTS[-1], mode=mode, precision=precision, asked_at=ASKED_AT)
    found = [match.memory.pk for match in recall(view, query).matches]
    return found.index(memory) if memory in found else CUTS[-1]


def share_within(places: Sequence[int]) -> str:
    """Return the shares of the places within each cut."""
    return " ".join(f"{sum(place < cut for place in places) / len(places):.1%}" for cut in CUTS)


if __name__ == "__main__":
    main()
