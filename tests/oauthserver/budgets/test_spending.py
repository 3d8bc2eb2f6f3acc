"""Tests of spending from budgets: exactly counted, for each period, by everyone who shares them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from oauthserver.budgets import periods
from oauthserver.budgets.balances import nearly_used_budgets, used_now
from oauthserver.budgets.spending import BudgetExceeded, Measure, embedding_amounts, spend
from oauthserver.connections.usage import PermissionKey
from oauthserver.models import Budget, Connection, PersonalToken, User
from tests.support.concurrency import in_threads
from tests.support.factories import make_app, make_personal_token, make_user


@pytest.fixture
def owner(db: None) -> User:
    return make_user()


@pytest.fixture
def app(owner: User) -> PermissionKey:
    return Connection, Connection.objects.create(user=owner, application=make_app()).pk


def make_budget(owner: User, limit: float, **details: Any) -> Budget:
    values = {"measure": Measure.CALLS, "period": Budget.Period.DAY} | details
    return Budget.objects.create(user=owner, limit=Decimal(str(limit)), **values)


def used(budget: Budget) -> float:
    budget.refresh_from_db()
    return float(budget.used)


def test_calls_are_counted_up_to_the_limit(owner: User, app: PermissionKey) -> None:
    budget = make_budget(owner, 2)
    spend(owner.pk, app, {Measure.CALLS: 1})
    spend(owner.pk, app, {Measure.CALLS: 1})
    with pytest.raises(BudgetExceeded) as refused:
        spend(owner.pk, app, {Measure.CALLS: 1})
    balance = refused.value.balance
    assert (balance.name, balance.used, balance.limit, balance.is_shared) == (
        "calls_per_day",
        Decimal(2),
        Decimal(2),
        True,
    )
    assert used(budget) == 2


def test_a_budget_of_one_app_is_not_that_of_another(owner: User, app: PermissionKey) -> None:
    budget = make_budget(owner, 1, connection_id=app[1])
    make_personal_token(owner)
    token: PermissionKey = (PersonalToken, PersonalToken.objects.get().pk)
    other: PermissionKey = (Connection, Connection.objects.create(user=owner, application=make_app()).pk)
    for permission in (token, other, app):
        spend(owner.pk, permission, {Measure.CALLS: 1})
    assert used(budget) == 1
    with pytest.raises(BudgetExceeded):
        spend(owner.pk, app, {Measure.CALLS: 1})
    spend(owner.pk, token, {Measure.CALLS: 1})


def test_a_token_with_the_number_of_an_app_does_not_spend_for_it(owner: User, app: PermissionKey) -> None:
    budget = make_budget(owner, 1, connection_id=app[1])
    spend(owner.pk, (PersonalToken, app[1]), {Measure.CALLS: 1})
    assert used(budget) == 0


def test_nobody_spends_from_the_budget_of_another_user(owner: User, app: PermissionKey) -> None:
    budget = make_budget(make_user(), 1)
    spend(owner.pk, app, {Measure.CALLS: 5})
    assert used(budget) == 0


def test_all_is_spent_or_nothing(owner: User, app: PermissionKey) -> None:
    calls = make_budget(owner, 10)
    writes = make_budget(owner, 0, measure=Measure.WRITES, connection_id=app[1])
    with pytest.raises(BudgetExceeded) as refused:
        spend(owner.pk, app, {Measure.CALLS: 1, Measure.WRITES: 1})
    assert refused.value.balance.measure == Measure.WRITES
    assert (used(calls), used(writes)) == (0, 0)


def test_of_two_exceeded_budgets_the_later_one_is_reported(owner: User, app: PermissionKey) -> None:
    make_budget(owner, 0)
    make_budget(owner, 0, period=Budget.Period.MONTH)
    with pytest.raises(BudgetExceeded) as refused:
        spend(owner.pk, app, {Measure.CALLS: 1})
    assert refused.value.balance.name == "calls_per_month"


def test_what_has_happened_is_counted_beyond_the_limit(owner: User, app: PermissionKey) -> None:
    budget = make_budget(owner, 10, measure=Measure.RETURNED)
    spend(owner.pk, app, {Measure.RETURNED: 25}, always=True)
    assert used(budget) == 25
    with pytest.raises(BudgetExceeded):
        spend(owner.pk, app, {Measure.RETURNED: 1})


def test_a_cost_is_counted_at_the_owners_price(owner: User, app: PermissionKey) -> None:
    budget = make_budget(owner, 0.01, measure=Measure.COST, price=Decimal("0.13"))
    spend(owner.pk, app, embedding_amounts(100_000))
    # 100,000 characters are 25,000 tokens.
    assert used(budget) == pytest.approx(0.00325)
    with pytest.raises(BudgetExceeded):
        spend(owner.pk, app, embedding_amounts(300_000))


def test_a_new_day_begins_at_midnight_of_the_owner(
    owner: User, app: PermissionKey, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.OWNER_TIME_ZONE = ZoneInfo("Europe/Berlin")
    now = [datetime(2026, 10, 24, 21, 59, tzinfo=UTC)]
    monkeypatch.setattr("oauthserver.budgets.periods.timezone.now", lambda: now[0])
    budget = make_budget(owner, 1)
    spend(owner.pk, app, {Measure.CALLS: 1})
    with pytest.raises(BudgetExceeded) as refused:
        spend(owner.pk, app, {Measure.CALLS: 1})
    assert refused.value.balance.resets_at == datetime(2026, 10, 24, 22, 0, tzinfo=UTC)

    now[0] += timedelta(minutes=1)
    budget.refresh_from_db()
    assert used_now(budget) == 0
    spend(owner.pk, app, {Measure.CALLS: 1})
    with pytest.raises(BudgetExceeded) as refused:
        spend(owner.pk, app, {Measure.CALLS: 1})
    # The day on which the clocks are set back has 25 hours.
    assert refused.value.balance.resets_at == datetime(2026, 10, 25, 23, 0, tzinfo=UTC)


@pytest.mark.parametrize(("month", "next_month"), [(1, 2), (2, 3), (4, 5), (12, 1)])
def test_a_month_ends_with_its_last_day(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, month: int, next_month: int
) -> None:
    settings.OWNER_TIME_ZONE = ZoneInfo("UTC")
    monkeypatch.setattr("oauthserver.budgets.periods.timezone.now", lambda: datetime(2027, month, 28, 12, tzinfo=UTC))
    span = periods.current_spans()[1]
    assert (span.began.month, span.began.day, span.ends.month, span.ends.day) == (month, 1, next_month, 1)


def test_a_clock_that_is_set_back_gives_nothing_back(owner: User, app: PermissionKey) -> None:
    budget = make_budget(owner, 1, used=1, period_began=timezone.now() + timedelta(days=1))
    with pytest.raises(BudgetExceeded):
        spend(owner.pk, app, {Measure.CALLS: 1})
    assert used(budget) == 1


@pytest.mark.django_db(transaction=True)
def test_the_count_is_exact_with_many_clients_at_once() -> None:
    owner = make_user()
    app: PermissionKey = (Connection, Connection.objects.create(user=owner, application=make_app()).pk)
    shared = make_budget(owner, 100)
    own = make_budget(owner, 150, period=Budget.Period.MONTH, connection_id=app[1])

    def spend_ten(_: int) -> int:
        done = 0
        for _ in range(10):
            try:
                spend(owner.pk, app, {Measure.CALLS: 1})
            except BudgetExceeded:
                continue
            done += 1
        return done

    assert sum(in_threads(32, spend_ten)) == 100
    assert (used(shared), used(own)) == (100, 100)


def test_spending_takes_one_query(
    owner: User, app: PermissionKey, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    make_budget(owner, 10)
    make_budget(owner, 10, measure=Measure.WRITES)
    with django_assert_num_queries(1):
        spend(owner.pk, app, {Measure.CALLS: 1, Measure.WRITES: 1})


def test_the_owner_is_warned_at_four_fifths(owner: User, app: PermissionKey, caplog: pytest.LogCaptureFixture) -> None:
    budget = make_budget(owner, 10)
    for _ in range(7):
        spend(owner.pk, app, {Measure.CALLS: 1})
    assert not caplog.records
    assert nearly_used_budgets(owner.pk) == []
    spend(owner.pk, app, {Measure.CALLS: 1})
    spend(owner.pk, app, {Measure.CALLS: 1})
    assert [record.getMessage().startswith("The budget calls_per_day is nearly") for record in caplog.records] == [True]
    assert nearly_used_budgets(owner.pk) == [budget]
    assert nearly_used_budgets(make_user().pk) == []
