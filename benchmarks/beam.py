"""BEAM's retrieval: are the messages that a question was made from among the first that are found?

    .venv/bin/python benchmarks/beam.py BEAM/chats/100K

The folder is one of github.com/mohammadtavakoli78/BEAM. Each of its conversations is the memory of one owner: a message
with its reply is a memory, as in BEAM's own search, whose default is to return five. BEAM's score itself is what a
language model thinks of the answers of another one, so it is not measured. If OWNSONA_DATA_DIR names a folder, the
memories are kept there, and a second run embeds nothing.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.support.own_database import remove_temporary_data, set_up_django

set_up_django("beam")

from django.conf import settings  # noqa: E402 - needs Django to be set up
from django.core.management import call_command  # noqa: E402

from benchmarks.public.beam import ABSTENTION, Conversation, Question, pieces, read  # noqa: E402
from benchmarks.public.figures import published, table  # noqa: E402
from benchmarks.public.scores import mean, recall_at, reciprocal_rank  # noqa: E402
from benchmarks.support.stored import new_view, store_drafts  # noqa: E402
from memories.access import View  # noqa: E402
from memories.drafts import Draft  # noqa: E402
from memories.recall.pipeline import Mode, Query, gather_candidates, recall  # noqa: E402
from memories.recall.relevance import Precision  # noqa: E402

CUTS = (5, 10)
MOST = max(CUTS)
WAYS = {"OwnSona": Mode.HYBRID, "cosine alone": Mode.SEMANTIC, "BM25 alone": Mode.KEYWORD}
Places = Sequence[int]
"""The exchanges of the memories that were found, by their positions in the conversation, best first."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A conversation as memories: the exchange of each memory, by its position, and when the questions are asked."""

    conversation: Conversation
    view: View
    places: Mapping[int, int]
    refused: int
    asked_at: datetime | None

    def found(self, question: str, mode: Mode, precision: Precision = Precision.ALL) -> Places:
        """Return the exchanges that recall finds."""
        query = Query(question, MOST, mode=mode, precision=precision, asked_at=self.asked_at)
        return [self.places[match.memory.pk] for match in recall(self.view, query).matches]

    def candidates(self, question: Question) -> Places:
        """Return the exchanges of all candidates that are ranked, in no order."""
        gathered = gather_candidates(self.view, Query(question.text, MOST, asked_at=self.asked_at))
        return [self.places[candidate.item_id] for candidate in gathered.candidates]

    def wanted(self, question: Question) -> frozenset[int]:
        """Return the exchanges with a message that the question was made from."""
        exchanges = self.conversation.exchanges
        return frozenset(place for place, item in enumerate(exchanges) if item.messages & question.sources)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with a source: its ability, the wanted exchanges, those that each way found, and all ranked."""

    ability: str
    wanted: frozenset[int]
    found: Mapping[str, Places]
    candidates: Places


def main() -> None:
    """Store the conversations, ask their questions, and print a table for each ability and one of all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chats", type=Path, help="a folder such as chats/100K")
    folder = parser.parse_args().chats
    try:
        call_command("migrate", verbosity=0)
        stored = [store(conversation, folder.name) for conversation in read(folder)]
        print(
            f"{len(stored)} conversations, {sum(len(item.conversation.exchanges) for item in stored)} exchanges, ",
            end="",
        )
        print(f"{sum(len(item.places) for item in stored)} memories, {sum(item.refused for item in stored)} refused\n")
        print("\n".join(report(stored)))
    finally:
        remove_temporary_data()


def store(conversation: Conversation, size: str) -> Stored:
    """Store a conversation with the times that it names. An exchange that is too long becomes several memories."""
    view = new_view(f"beam-{size}-{conversation.name}")
    drafts, places = [], []
    for place, exchange in enumerate(conversation.exchanges):
        at = exchange.at and exchange.at + timedelta(minutes=place)
        for piece in pieces(exchange.text, settings.MAX_TEXT_CHARS):
            drafts.append(Draft(piece, session_id=f"{conversation.name}-{exchange.session}", created_at=at))
            places.append(place)
    ids = store_drafts(view, drafts, f"conversation {conversation.name}")
    known = {pk: place for pk, place in zip(ids, places, strict=True) if pk is not None}
    days = [exchange.at for exchange in conversation.exchanges if exchange.at]
    return Stored(conversation, view, known, ids.count(None), max(days) + timedelta(days=1) if days else None)


def report(stored: Sequence[Stored]) -> Iterator[str]:
    """Yield the tables."""
    asked = [
        answered(item, question) for item in stored for question in item.conversation.questions if question.sources
    ]
    abilities = sorted({question.ability for question in asked})
    columns = ["way", "questions", "MRR", *(f"hit@{cut}" for cut in CUTS), *(f"recall@{cut}" for cut in CUTS)]
    others = published("BEAM")
    rows = [[way, len(asked), *figures(asked, way)] for way in WAYS]
    yield from table(columns, [*rows, *others["rows"]])
    share = mean(recall_at(len(each.candidates), each.candidates, each.wanted) for each in asked)
    count = mean(len(each.candidates) for each in asked)
    yield f"\nFigures of others: {others['source']}\nOf the sources, {share:.1%} are among {count:.0f} candidates\n"
    by_ability = [
        [ability, len(chosen), *figures(chosen, "OwnSona")]
        for ability in abilities
        if (chosen := [question for question in asked if question.ability == ability])
    ]
    yield from table(["ability", *columns[1:]], by_ability)
    yield from unanswerable(stored)


def answered(item: Stored, question: Question) -> Asked:
    """Ask a question in each way."""
    found = {way: item.found(question.text, mode) for way, mode in WAYS.items()}
    return Asked(question.ability, item.wanted(question), found, item.candidates(question))


def figures(asked: Sequence[Asked], way: str) -> list[float]:
    """Return the mean reciprocal rank among the first ten, the share of questions with a source, and of the sources."""
    pairs = [(question.found[way], question.wanted) for question in asked]
    return [
        mean(reciprocal_rank(*pair) for pair in pairs),
        *(mean(float(recall_at(cut, *pair) > 0) for pair in pairs) for cut in CUTS),
        *(mean(recall_at(cut, *pair) for pair in pairs) for cut in CUTS),
    ]


def unanswerable(stored: Sequence[Stored]) -> Iterator[str]:
    """Yield how often nothing is returned, for the questions without an answer and for the others."""
    empty: defaultdict[tuple[Precision, bool], list[float]] = defaultdict(list)
    for item in stored:
        for question in item.conversation.questions:
            for precision in (Precision.BALANCED, Precision.HIGH):
                nothing = not item.found(question.text, Mode.HYBRID, precision)
                empty[precision, question.ability == ABSTENTION].append(float(nothing))
    for precision in (Precision.BALANCED, Precision.HIGH):
        unknown, known = mean(empty[precision, True]), mean(empty[precision, False])
        yield f"\nNothing returned with precision {precision}: {unknown:.0%} of {ABSTENTION}, {known:.0%} of the others"


if __name__ == "__main__":
    main()
