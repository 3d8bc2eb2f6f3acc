"""Tests of the owner's page of budgets."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest

from common.pages.relative_times import exact_time
from oauthserver.budgets.periods import current_spans
from oauthserver.models import Budget, Connection, PersonalToken, User
from tests.oauthserver.admin.clicks import choose, shown
from tests.support.factories import make_app, make_personal_token, make_user
from tests.support.oauth.flow import Browser

PAGE = "/admin/oauthserver/budget/"
FORM = {"applies_to": "all", "measure": "calls", "period": "day", "limit": "1000", "price": ""}


def add(pages: Browser, **changes: str) -> str:
    """Submit the form of a new budget. Return the page after it."""
    response = pages.client.post(f"{PAGE}add/", FORM | changes, follow=True)
    assert response.status_code == 200
    return str(response.content.decode())


def test_a_budget_for_all_apps_is_added_and_listed(pages: Browser, owner: User) -> None:
    page = add(pages)
    budget = Budget.objects.get()
    assert (budget.user, budget.measure, budget.period, budget.limit) == (owner, "calls", "day", Decimal(1000))
    assert (budget.connection, budget.personal_token, budget.external_identity) == (None, None, None)
    assert "All apps together" in page
    assert "0 of 1,000" in page


def test_a_budget_of_today_says_since_when_it_counts(pages: Browser, owner: User) -> None:
    connection = Connection.objects.create(user=owner, application=make_app("Cursor"), scopes=["memory:read"])
    add(pages, applies_to=f"connection:{connection.pk}")
    budget = Budget.objects.get()
    addresses = (PAGE, f"{PAGE}{budget.pk}/change/", f"/admin/oauthserver/connection/{connection.pk}/change/")
    for address in addresses:
        assert f"counted since it was added ({exact_time(budget.created_at)})" in shown(pages, address)
    Budget.objects.update(created_at=current_spans()[0].began - timedelta(seconds=1))
    for address in addresses:
        assert "counted since" not in shown(pages, address)


def test_budgets_of_an_app_and_of_a_token(pages: Browser, owner: User) -> None:
    connection = Connection.objects.create(user=owner, application=make_app("Cursor"), scopes=["memory:read"])
    make_personal_token(owner, "Backup script")
    token = PersonalToken.objects.get()
    assert "Cursor" in shown(pages, f"{PAGE}add/")
    add(pages, applies_to=f"connection:{connection.pk}")
    page = add(pages, applies_to=f"personal_token:{token.pk}")
    assert {(each.connection_id, each.personal_token_id) for each in Budget.objects.all()} == {
        (connection.pk, None),
        (None, token.pk),
    }
    assert "Cursor" in page
    assert "Token Backup script" in page


def test_apps_of_one_name_are_told_apart(pages: Browser, owner: User) -> None:
    for _ in range(2):
        Connection.objects.create(user=owner, application=make_app("Cursor"), scopes=["memory:read"])
    assert shown(pages, f"{PAGE}add/").count("App Cursor, allowed on ") == 2


def test_the_limit_can_be_changed_and_the_use_stays(pages: Browser, owner: User) -> None:
    add(pages)
    budget = Budget.objects.get()
    Budget.objects.update(used=7)
    assert "Calls per day" in shown(pages, f"{PAGE}{budget.pk}/change/")
    response = pages.client.post(f"{PAGE}{budget.pk}/change/", FORM | {"limit": "8", "measure": "writes"})
    assert response.status_code == 302
    budget.refresh_from_db()
    assert (budget.limit, budget.measure, budget.used) == (Decimal(8), "calls", Decimal(7))


def test_a_cost_is_an_amount_of_money(pages: Browser) -> None:
    page = add(pages, measure="embedding_cost", limit="2.50", price="0.02", period="month")
    assert (Budget.objects.get().limit, Budget.objects.get().price) == (Decimal("2.5"), Decimal("0.02"))
    assert "0 of 2.5" in page


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"limit": ""}, "required"),
        ({"limit": "-1"}, "must be 0 or more"),
        ({"limit": "1.5"}, "must be whole"),
        ({"limit": "many"}, "Enter a number"),
        ({"limit": "NaN"}, "Enter a number"),
        ({"limit": "1e30"}, "Ensure that there are no more than"),
        ({"measure": "embedding_cost"}, "needs the price"),
        ({"measure": "embedding_cost", "price": "-1"}, "needs the price"),
        ({"measure": "hours"}, "valid choice"),
        ({"period": "year"}, "valid choice"),
        ({"applies_to": "connection:999"}, "valid choice"),
        ({"applies_to": "user:1"}, "valid choice"),
    ],
)
def test_what_is_wrong_is_named(pages: Browser, changes: dict[str, str], problem: str) -> None:
    assert problem in add(pages, **changes)
    assert not Budget.objects.exists()


@pytest.mark.parametrize("price", ["1", "-1", "much"])
def test_a_price_that_was_typed_for_another_measure_is_left_out(pages: Browser, price: str) -> None:
    add(pages, price=price)
    assert Budget.objects.get().price is None


def test_the_owner_is_told_in_sentences_what_was_done(pages: Browser) -> None:
    assert "“All apps together: Calls per day” was added." in add(pages)
    one = f"{PAGE}{Budget.objects.get().pk}"
    changed = pages.client.post(f"{one}/change/", FORM | {"limit": "8"}, follow=True).content.decode()
    assert "“All apps together: Calls per day” was saved." in changed
    deleted = pages.client.post(f"{one}/delete/", {"post": "yes"}, follow=True).content.decode()
    assert "“Calls per day” was deleted." in deleted
    add(pages)
    add(pages, period="month")
    chosen = {"action": "delete_selected", "post": "yes", "_selected_action": [row.pk for row in Budget.objects.all()]}
    several = pages.client.post(PAGE, chosen, follow=True).content.decode()
    assert "2 were deleted." in several
    assert "successfully" not in (changed + deleted + several).lower()


def test_amounts_are_in_the_format_of_the_language(pages: Browser) -> None:
    add(pages, measure="embedding_cost", limit="1234.50", price="0.02")
    assert "0 of 1,234.5" in shown(pages, PAGE)
    assert "0 von 1.234,5" in pages.client.get(PAGE, headers={"accept-language": "de"}).content.decode()


def test_there_is_one_budget_of_a_kind(pages: Browser) -> None:
    add(pages)
    assert "There is already such a budget" in add(pages, limit="5")
    assert Budget.objects.get().limit == 1000
    add(pages, period="month")
    assert Budget.objects.count() == 2


def test_the_states_are_shown(pages: Browser, owner: User) -> None:
    add(pages, limit="0")
    assert "used up" in shown(pages, PAGE)


def test_nobody_sees_or_changes_budgets_of_others(pages: Browser) -> None:
    stranger = make_user()
    other = Budget.objects.create(user=stranger, measure="calls", period="day", limit=12345)
    foreign = Connection.objects.create(user=stranger, application=make_app("Secret app"), scopes=["memory:read"])
    assert "12,345" not in shown(pages, PAGE)
    assert "Secret app" not in shown(pages, f"{PAGE}add/")
    assert "valid choice" in add(pages, applies_to=f"connection:{foreign.pk}")
    assert pages.client.get(f"{PAGE}{other.pk}/change/").status_code == 404
    choose(pages, PAGE, "delete_selected", other)
    assert Budget.objects.filter(pk=other.pk).exists()


def test_a_budget_ends_with_its_token(pages: Browser, owner: User) -> None:
    make_personal_token(owner)
    token = PersonalToken.objects.get()
    add(pages, applies_to=f"personal_token:{token.pk}")
    token.delete()
    assert not Budget.objects.exists()
