"""The periods of budgets: the current day and month of the owner's calendar."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from django.conf import settings
from django.utils import timezone

from oauthserver.models import Budget


@dataclass(frozen=True, slots=True)
class Span:
    """The current period of budgets of one kind: when it began, and when the next one begins."""

    period: str
    began: datetime
    ends: datetime


def current_spans() -> list[Span]:
    """Return the current day and the current month in the owner's time zone."""
    today = timezone.now().astimezone(settings.OWNER_TIME_ZONE).date()
    first = today.replace(day=1)
    # Every month has at most 31 days, and the 32nd day after its first lies in the next one.
    next_month = (first + timedelta(days=32)).replace(day=1)
    return [
        Span(Budget.Period.DAY, _midnight(today), _midnight(today + timedelta(days=1))),
        Span(Budget.Period.MONTH, _midnight(first), _midnight(next_month)),
    ]


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), settings.OWNER_TIME_ZONE)
