"""Candidates with a given rank, for matches that no search has found."""

from __future__ import annotations

from memories.recall.ranking import Ranked
from memories.recall.signals import Candidate, Moment


def ranked_candidate(number: int, rank: float = 0.5) -> Ranked:
    """Return the memory with the id `number` as a candidate that has its whole rank from its similarity."""
    return Ranked(Candidate(number, rank, rank), rank, {"similarity": 1.0}, Moment(0.0))
