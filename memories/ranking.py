"""Fusion of what meaning and words say into one order: pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

KEYWORD_WEIGHT = 0.3
"""How much the best keyword match counts beside a cosine of 1."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for a memory: `similarity`, a cosine 0–1 (0 while the vector is pending), and `keyword_rank` ≥ 0."""

    memory_id: int
    similarity: float
    keyword_rank: float


def by_words(evidence: Sequence[Evidence]) -> list[Evidence]:
    """The best keyword match first. Ties: newest first."""
    return sorted(evidence, key=lambda item: (-item.keyword_rank, -item.memory_id))


def fuse(evidence: Sequence[Evidence]) -> list[Evidence]:
    """Most relevant first: cosine plus a part of the keyword rank relative to the best one. Ties: newest first."""
    best = max((item.keyword_rank for item in evidence), default=0.0) or 1.0
    return sorted(
        evidence,
        key=lambda item: (-(item.similarity + KEYWORD_WEIGHT * item.keyword_rank / best), -item.memory_id),
    )
