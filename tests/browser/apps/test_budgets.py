"""Tests of the form of a new budget in a browser."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.conftest import fits, log_in


def test_only_a_cost_asks_for_a_price(page: Page, complaints: list[str]) -> None:
    page.goto("/login/?next=/admin/oauthserver/budget/add/")
    log_in(page)
    measure, price = page.get_by_label("What is counted"), page.get_by_label("Price")
    expect(price).to_be_hidden()
    measure.select_option("Cost of the embedding endpoint")
    price.fill("0.02")
    assert fits(page)
    measure.select_option("Calls")
    expect(price).to_be_hidden()
    page.get_by_label("Limit").fill("1000")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("“All apps together: Calls per day” was added.")).to_be_visible()
    assert complaints == []
