"""Validation of token budgets."""

from __future__ import annotations

from memories.errors import InvalidInput

MOST_TOKENS = 1_000_000


def checked_max_tokens(max_tokens: int) -> int:
    """Return `max_tokens`, a budget from 1 to MOST_TOKENS. Raises InvalidInput."""
    if not 1 <= max_tokens <= MOST_TOKENS:
        raise InvalidInput(f"must be a whole number from 1 to {MOST_TOKENS}.", argument="max_tokens")
    return max_tokens
