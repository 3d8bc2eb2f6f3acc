"""Figures that others have published for the benchmarks, with their sources."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

PUBLISHED = Path(__file__).parents[1] / "data" / "published.json"


def published(benchmark: str) -> dict[str, Any]:
    """Return the `columns`, the `source` and the `rows` of a benchmark. A figure that was not published is null."""
    content: dict[str, Any] = json.loads(PUBLISHED.read_text(encoding="utf-8"))[benchmark]
    return content


def table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> Iterator[str]:
    """Yield the lines of a Markdown table. The first cell of a row is its name; None is shown as a dash."""
    yield f"| {' | '.join(columns)} |"
    yield f"|{'---|' * len(columns)}"
    for row in rows:
        yield f"| {' | '.join(_cell(value) for value in row)} |"


def _cell(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.3f}" if value <= 1 else f"{value:.1f}"
    return str(value)
