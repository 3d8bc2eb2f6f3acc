"""Spending from budgets, counted in PostgreSQL for all processes together. See docs/budgets.md."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import connection

from common.disk_space import unless_disk_is_full
from common.rows import read_rows
from oauthserver.budgets.periods import current_spans
from oauthserver.connections.usage import PermissionKey
from oauthserver.models import Budget, Connection, ExternalIdentity, Permission, PersonalToken

logger = logging.getLogger(__name__)

NEAR = Decimal("0.8")
"""The part of a limit from which the owner is warned."""

CHARACTERS_PER_TOKEN = 4
"""Approximate length of a token of English text (OpenAI, "What are tokens and how to count them")."""

Measure = Budget.Measure

Amounts = Mapping[Measure, Decimal | int]

_COLUMNS: Mapping[type[Permission], str] = {
    Connection: "connection_id",
    PersonalToken: "personal_token_id",
    ExternalIdentity: "external_identity_id",
}
# A single statement: of two concurrent ones the second waits for the row locks, then counts on from the first. Rows are
# locked in the order of their ids, so that no two statements wait for each other.
_SPEND = """
WITH asked AS (
    SELECT * FROM unnest(%(measures)s::text[], %(amounts)s::numeric[]) AS asked(measure, amount)
), span AS (
    SELECT * FROM unnest(%(periods)s::text[], %(began)s::timestamptz[], %(ends)s::timestamptz[])
        AS span(period, began, resets_at)
), due AS MATERIALIZED (
    SELECT budget.id, measure, period, budget."limit", began, resets_at, {is_shared} AS is_shared,
           CASE WHEN period_began >= began THEN used ELSE 0 END AS used,
           amount * CASE measure WHEN '{cost}' THEN coalesce(price, 0) ELSE 1 END AS amount
      FROM oauthserver_budget AS budget JOIN asked USING (measure) JOIN span USING (period)
     WHERE budget.user_id = %(owner)s AND ({is_shared} OR {is_own})
     ORDER BY budget.id
       FOR UPDATE OF budget
), spent AS (
    UPDATE oauthserver_budget AS kept SET used = due.used + due.amount, period_began = due.began
      FROM due
     WHERE kept.id = due.id AND due.amount > 0
       AND (%(always)s OR (SELECT bool_and(used + amount <= "limit") FROM due))
)
SELECT measure, period, "limit", used, amount, is_shared, resets_at FROM due ORDER BY id
"""
_IS_SHARED = "num_nonnulls(connection_id, personal_token_id, external_identity_id) = 0"


@dataclass(frozen=True, slots=True)
class Balance:
    """A budget before `amount` is spent from it. `is_shared`: it applies to all apps together."""

    measure: str
    period: str
    limit: Decimal
    used: Decimal
    amount: Decimal
    is_shared: bool
    resets_at: datetime

    @property
    def name(self) -> str:
        """The budget as errors name it, such as `calls_per_day`."""
        return f"{self.measure}_per_{self.period}"

    @property
    def is_exceeded(self) -> bool:
        return self.used + self.amount > self.limit

    @property
    def reaches_warning(self) -> bool:
        """Whether this amount passes the part of the limit from which the owner is warned."""
        return self.used < self.limit * NEAR <= self.used + self.amount


class BudgetExceeded(Exception):
    """A refusal to spend more than a budget allows. Nothing was spent."""

    def __init__(self, balance: Balance) -> None:
        super().__init__(balance.name)
        self.balance = balance


def embedding_amounts(characters: int) -> Amounts:
    """Return what it takes to send a number of characters to the embedding endpoint."""
    return {Measure.EMBEDDED: characters, Measure.COST: Decimal(characters) / CHARACTERS_PER_TOKEN / 1_000_000}


def spend(owner_id: int, permission: PermissionKey | None, amounts: Amounts, *, always: bool = False) -> None:
    """Spend `amounts` from the budgets of a permission and from those that all share; all of them or none.

    Without a permission only the shared budgets count. One query. Raises BudgetExceeded, unless `always`: that is for
    what has happened already. The cost is given in millions of tokens and multiplied by the owner's price.
    """
    kind, key = permission or (Connection, None)
    spans = current_spans()
    statement = _SPEND.format(is_shared=_IS_SHARED, is_own=f"{_COLUMNS[kind]} = %(permission)s", cost=Measure.COST)
    parameters: dict[str, Any] = {
        "measures": [str(measure) for measure in amounts],
        "amounts": [Decimal(amount) for amount in amounts.values()],
        "periods": [span.period for span in spans],
        "began": [span.began for span in spans],
        "ends": [span.ends for span in spans],
        "owner": owner_id,
        "permission": key,
        "always": always,
    }
    # What cannot be counted is allowed: a full disk must not stop apps that only read.
    with unless_disk_is_full():
        with connection.cursor() as cursor:
            cursor.execute(statement, parameters)
            balances = read_rows(cursor, Balance, statement)
        _warn(balances)
        if not always:
            _require_room(balances)


def _require_room(balances: list[Balance]) -> None:
    """Raise BudgetExceeded for the budget that resets last, so that an app does not come back too early."""
    exceeded = [balance for balance in balances if balance.is_exceeded]
    if exceeded:
        raise BudgetExceeded(max(exceeded, key=lambda balance: balance.resets_at))


def _warn(balances: list[Balance]) -> None:
    for balance in balances:
        if balance.reaches_warning:
            logger.warning("The budget %s is nearly used up: %s of %s", balance.name, balance.used, balance.limit)
