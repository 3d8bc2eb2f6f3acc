"""Tests of the pages of agents and workflows in a browser."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.browser.conftest import fits, log_in


def test_an_agent_is_written_disabled_and_deleted(page: Page, complaints: list[str]) -> None:
    page.goto("/login/?next=/admin/agents/")
    log_in(page)
    page.get_by_role("link", name="Librarian", exact=True).wait_for()
    assert fits(page)
    page.get_by_role("link", name="Add an agent", exact=True).click()
    page.locator("[name=name]").fill("reviewer")
    page.locator("[name=description]").fill("Reviews an incident.")
    page.locator("[name=soul]").fill("You review {service}.")
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_text("{service} is not an argument").wait_for()
    page.locator("[name=arguments]").fill("service*: The service.")
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_text("You review [service].").wait_for()
    assert fits(page)
    page.get_by_role("button", name="Turn off").click()
    page.locator("li", has_text="reviewer").get_by_text("turned off").wait_for()
    page.get_by_role("link", name="reviewer", exact=True).click()
    page.get_by_role("link", name="Delete this agent").click()
    page.get_by_role("button", name="Delete").click()
    page.get_by_text("Deleted reviewer").wait_for()
    assert complaints == []


def test_a_workflow_is_written_and_its_steps_are_drawn(page: Page, complaints: list[str]) -> None:
    page.goto("/login/?next=/admin/workflows/add/")
    log_in(page)
    page.locator("[name=name]").fill("look-back")
    page.get_by_role("button", name="Add", exact=True).click()
    page.locator(".flow > li").nth(1).wait_for()
    assert fits(page)
    assert page.locator(".flow > li").count() == 2
    page.get_by_role("link", name="search", exact=True).click()
    page.get_by_role("link", name="Change", exact=True).click()
    page.locator("[name=definition]").fill('{"description": ')
    page.get_by_role("button", name="Save").click()
    page.get_by_text("is not JSON").wait_for()
    assert fits(page)
    assert complaints == []
