"""The command `evaluate_recall`."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memories.errors import MemoriesError
from memories.management.owners import add_user_argument, chosen_view
from memories.recall_log.evaluation import CUTS, WRONG_CUT, Comparison, RecallMetrics, compare, compute_metrics

SHOWN_CHARS = 60


class Command(BaseCommand):
    """A command that repeats every judged recall and compares the places of the judged memories then and now."""

    help = (
        "Repeat the recalls that you judged on the page Recalls, and show the place of each useful or wrong "
        "memory then "
        "and now. Use it to evaluate a change of the model or the ranking."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_user_argument(parser)
        parser.add_argument("--json", action="store_true", help="print JSON instead of tables")

    def handle(self, *args: object, **options: Any) -> None:
        try:
            comparisons = list(compare(chosen_view(options["user"])))
        except MemoriesError as error:
            raise CommandError(str(error)) from None
        if options["json"]:
            self.stdout.write(json.dumps(_document(comparisons), ensure_ascii=False, indent=2))
        elif comparisons:
            self.stdout.write("\n".join([*_lines(comparisons), "", *_summary(comparisons)]))
        else:
            self.stdout.write("No recall is judged yet. Mark matches as useful or wrong on the page Recalls.")


def _lines(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Yield a line for each question, and one for each judged memory, or the reason why it cannot be asked."""
    yield "then  now  "
    for comparison in comparisons:
        yield f"           {_short(comparison.recall.query)}"
        if comparison.refusal:
            yield f"           cannot be repeated: {comparison.refusal}"
        for item in comparison.judged:
            word = "useful" if item.is_useful else "wrong"
            yield f"{_place(item.place_then):>4} {_place(item.place_now):>4}  {word} #{item.memory_id}"


def _summary(comparisons: Sequence[Comparison]) -> Iterator[str]:
    then, now = _then(comparisons), _now(comparisons)
    count = sum(not comparison.refusal for comparison in comparisons)
    rows = [
        ("1 question" if count == 1 else f"{count} questions", "then", "now"),
        *((f"recall@{cut}", _share(then.recall_at[cut]), _share(now.recall_at[cut])) for cut in CUTS),
        (f"wrong among the first {WRONG_CUT}", then.wrong, now.wrong),
    ]
    yield from (f"{label:<24}{was:>8}{is_now:>8}" for label, was, is_now in rows)


def _document(comparisons: Sequence[Comparison]) -> dict[str, Any]:
    return {
        "then": _figures(_then(comparisons)),
        "now": _figures(_now(comparisons)),
        "questions": [
            {
                "recall": comparison.recall.pk,
                "at": comparison.recall.at.isoformat(),
                "query": comparison.recall.query,
                "mode": comparison.recall.mode,
                "refusal": comparison.refusal or None,
                "memories": [
                    {
                        "id": item.memory_id,
                        "verdict": "useful" if item.is_useful else "wrong",
                        "place_then": item.place_then,
                        "place_now": item.place_now,
                    }
                    for item in comparison.judged
                ],
            }
            for comparison in comparisons
        ],
    }


def _then(comparisons: Sequence[Comparison]) -> RecallMetrics:
    return compute_metrics(comparisons, lambda item: item.place_then)


def _now(comparisons: Sequence[Comparison]) -> RecallMetrics:
    return compute_metrics(comparisons, lambda item: item.place_now)


def _figures(found: RecallMetrics) -> dict[str, float | None]:
    return {**{f"recall@{cut}": share for cut, share in found.recall_at.items()}, f"wrong@{WRONG_CUT}": found.wrong}


def _share(share: float | None) -> str:
    return "–" if share is None else f"{share:.3f}"


def _place(place: int | None) -> str:
    return "–" if place is None else str(place)


def _short(text: str) -> str:
    """Return the beginning of an app's question, without control characters that a terminal would interpret."""
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in text[: 4 * SHOWN_CHARS]).split())
    return line if len(line) <= SHOWN_CHARS else f"{line[: SHOWN_CHARS - 1]}…"
