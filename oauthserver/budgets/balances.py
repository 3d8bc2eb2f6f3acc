"""The rest of budgets, for the owner's pages."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from oauthserver.budgets.periods import Span, current_spans
from oauthserver.budgets.spending import NEAR
from oauthserver.connections.usable_tokens import active_tokens
from oauthserver.models import Budget, Connection


def used_now(budget: Budget) -> Decimal:
    """Return what was spent from the budget in the current period."""
    began = budget.period_began
    return budget.used if began is not None and began >= _span(budget).began else Decimal(0)


def counted_since(budget: Budget) -> datetime | None:
    """Return when counting began if the budget was added within the current period, otherwise None.

    A new budget starts at zero, whatever was used before it.
    """
    return budget.created_at if budget.created_at > _span(budget).began else None


def resets_at(budget: Budget) -> datetime:
    """Return when the limit is whole again."""
    return _span(budget).ends


def is_nearly_used(budget: Budget) -> bool:
    """Return whether the owner should be warned."""
    return used_now(budget) >= budget.limit * NEAR


def is_used_up(budget: Budget) -> bool:
    """Return whether nothing is left."""
    return used_now(budget) >= budget.limit


def nearly_used_budgets(user_id: int) -> list[Budget]:
    """Return the budgets of a user that are nearly or completely used up, but not of disconnected apps. One query."""
    disconnected = Connection.objects.annotate(tokens=active_tokens()).filter(tokens=None)
    budgets = (
        Budget.objects.filter(user_id=user_id)
        .exclude(connection__in=disconnected)
        .select_related("connection__application", "personal_token", "external_identity")
    )
    return [budget for budget in budgets.order_by("pk") if is_nearly_used(budget)]


def _span(budget: Budget) -> Span:
    return next(span for span in current_spans() if span.period == budget.period)
