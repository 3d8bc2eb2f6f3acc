"""The memories that fit into a token budget, with at most half of it for one app, or more for who the owner is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from memories.briefing.selection import Ranked
from memories.embeddings.tokens import least_tokens

OWNER_CLIENTS = frozenset({"admin", "import"})
"""Clients that stand for the owner and are not apps."""

APP_SHARE = 0.5
"""Share of the budget that one app gets at most, as long as memories of others are left."""

ESSENTIAL_SHARE = 0.75
"""The same, including essential memories: who the owner and the family are may all be known from one app."""


CountTokens = Callable[[str], int]
"""A function that returns the number of tokens of a memory's line."""


@dataclass(slots=True)
class Budget:
    """Tokens to spend on lines of memories, of which each may cost at most `largest`.

    `costs` are the tokens of the chosen memories, by id.
    """

    left: int
    largest: int
    count: CountTokens
    costs: dict[int, int] = field(default_factory=dict)

    def cost_if_it_fits(self, text: str) -> int | None:
        """Return the tokens of the line of `text`, or None if they are too many."""
        most = min(self.left, self.largest)
        # Long texts are not worth counting exactly only to find that they do not fit.
        if least_tokens(text) > most:
            return None
        cost = self.count(text)
        return cost if cost <= most else None

    def spend(self, memory_id: int, cost: int) -> None:
        """Choose a memory."""
        self.left -= cost
        self.costs[memory_id] = cost


def fit(ranked: Sequence[Ranked], budget: Budget) -> dict[int, int]:
    """Return the ids of the memories that fit into `budget`, each with the tokens of its line.

    One that does not fit is left out, and a shorter one may take its place. An app that has used up its share waits
    until the memories of all others are included, because each app sets the importance, expiry and confirmation of its
    own memories. Its essential memories may still be included. Pinned memories and those that the owner stored are not
    counted.
    """
    total = budget.left
    used: Counter[str] = Counter()
    waiting: list[Ranked] = []
    waiting_apps: set[tuple[str, bool]] = set()
    for each in ranked:
        app, is_essential = each.memory.stored_by, each.reasons.is_essential
        share = total * (ESSENTIAL_SHARE if is_essential else APP_SHARE)
        is_counted = not each.reasons.is_pinned and app not in OWNER_CLIENTS
        if is_counted and {(app, True), (app, is_essential)} & waiting_apps:
            waiting.append(each)
        elif (cost := budget.cost_if_it_fits(each.memory.text)) is None:
            continue
        elif is_counted and used[app] + cost > share:
            waiting.append(each)
            waiting_apps.add((app, is_essential))
        else:
            budget.spend(each.memory.id, cost)
            used[app] += cost * is_counted
    for each in waiting:
        if (cost := budget.cost_if_it_fits(each.memory.text)) is not None:
            budget.spend(each.memory.id, cost)
    return budget.costs
