"""DevBench: 30 notes of a software project and 20 questions, of which nothing answers five.

    .venv/bin/python benchmarks/devbench.py devbench_dataset.json

The file is `scripts/benchmarks/devbench_dataset.json` of github.com/doobidoo/mcp-memory-service. The notes are stored
with their tags and times; five memories are recalled for each question.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.support.own_database import remove_temporary_data, set_up_django

set_up_django("devbench")

from django.core.management import call_command  # noqa: E402 - needs Django to be set up

from benchmarks.public.devbench import CUT, DevBench, Note, read, scores  # noqa: E402
from benchmarks.public.figures import published, table  # noqa: E402
from benchmarks.support.stored import new_view, store_drafts  # noqa: E402
from benchmarks.support.ways import WAYS  # noqa: E402
from memories.access import View  # noqa: E402
from memories.drafts import Draft  # noqa: E402
from memories.recall.pipeline import Mode, Query, recall  # noqa: E402
from memories.recall.relevance import Precision  # noqa: E402


def main() -> None:
    """Store the notes, ask the questions in each way, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", type=Path, help="devbench_dataset.json")
    benchmark = read(parser.parse_args().dataset)
    try:
        call_command("migrate", verbosity=0)
        view = new_view("devbench")
        drafts = [Draft(note.text, tags=note.tags, created_at=note.at) for note in benchmark.notes]
        ids = store_drafts(view, drafts, "devbench")
        by_id = {pk: note for pk, note in zip(ids, benchmark.notes, strict=True) if pk is not None}
        print(f"{len(benchmark.notes)} notes, of which {ids.count(None)} were refused; ", end="")
        print(f"{len(benchmark.questions)} questions\n")
        print("\n".join(report(benchmark, view, by_id)))
    finally:
        remove_temporary_data()


def report(benchmark: DevBench, view: View, by_id: dict[int, Note]) -> Iterator[str]:
    """Yield a table with a row for each way, and the published figures."""
    others = published("DevBench")
    columns: list[str] = others["columns"]
    rows = []
    for name, (mode, precision) in WAYS.items():
        figures = scores(
            [(question, found(view, question.text, mode, precision, by_id)) for question in benchmark.questions]
        )
        rows.append([name, *(figures[column] for column in columns)])
    yield from table(["system", *columns], [*rows, *others["rows"]])
    yield f"\nFigures of others: {others['source']}"


def found(view: View, question: str, mode: Mode, precision: Precision, by_id: dict[int, Note]) -> list[Note]:
    """Return the notes that recall finds on the day after the last one, best first."""
    asked_at = max(note.at for note in by_id.values()) + timedelta(days=1)
    query = Query(question, CUT, mode=mode, precision=precision, asked_at=asked_at)
    return [by_id[match.memory.pk] for match in recall(view, query).matches]


if __name__ == "__main__":
    main()
