"""Names of sources, compared without case and shown in the spelling that is used most."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable


def fold_counts(rows: Iterable[tuple[str, str, int]]) -> list[tuple[str, int]]:
    """Merge rows of (folded name, spelling, count) to one per source, in its most used spelling, most used first.

    The database folds, so that a filter by `iexact` finds what is counted here. Ties are broken by code point.
    """
    spellings: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for folded, spelling, count in rows:
        spellings[folded][spelling] += count
    counts = ((min(used, key=lambda name: (-used[name], name)), used.total()) for used in spellings.values())
    return sorted(counts, key=lambda row: (-row[1], row[0]))
