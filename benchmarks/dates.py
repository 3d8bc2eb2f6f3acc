"""Dates of statements: how many of the labelled sentences get the right period, in each language.

.venv/bin/python benchmarks/dates.py
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from timeit import timeit

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from memories.times.statements import stated_period

DATES = Path(__file__).parent / "data" / "dates.json"
ROUNDS = 20


def main() -> None:
    """Print every wrong period, a table, and the time per statement."""
    groups = json.loads(DATES.read_text(encoding="utf-8"))
    statements = groups["statements"] + groups["held_out"]
    counts: Counter[tuple[str, str]] = Counter()
    for item in statements:
        kind = judged(item)
        counts[item["language"], kind] += 1
        counts["held out" if item in groups["held_out"] else "developed with", kind] += 1
        if kind in ("wrong", "missed"):
            print(f"{kind}: {item} → {period_of(item)}")
    print("\n".join(table(counts)))
    seconds = timeit(lambda: [period_of(item) for item in statements], number=ROUNDS)
    print(f"\n{seconds / ROUNDS / len(statements) * 1000:.3f} ms per statement")


def judged(item: Mapping[str, str]) -> str:
    """Return whether the period is right, wrong, missed or rightly none."""
    found, wanted = period_of(item), (item.get("from"), item.get("until"))
    if found == wanted:
        return "right" if any(wanted) else "rightly none"
    return "wrong" if any(found) else "missed"


def period_of(item: Mapping[str, str]) -> tuple[str | None, str | None]:
    """Return the first and the last day for which the statement holds."""
    said_at = datetime.fromisoformat(item["said"]).replace(tzinfo=UTC) + timedelta(hours=9)
    stated = stated_period(item["text"], said_at)
    if stated is None:
        return None, None
    return day_of(stated.valid_from), day_of(stated.valid_until)


def day_of(limit: datetime | None) -> str | None:
    """Return the date of a limit."""
    return None if limit is None else limit.date().isoformat()


def table(counts: Mapping[tuple[str, str], int]) -> Iterator[str]:
    """Yield the lines of a table with a row for each language and each half."""
    kinds = ("right", "rightly none", "wrong", "missed")
    yield f"\n| | {' | '.join(kinds)} |\n|---|---|---|---|---|"
    for group in sorted({group for group, _ in counts}):
        yield f"| {group} | {' | '.join(str(counts.get((group, kind), 0)) for kind in kinds)} |"


if __name__ == "__main__":
    main()
