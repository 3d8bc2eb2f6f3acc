"""Tests of previewing the briefing, pinning and hiding, in a browser with and without JavaScript."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from oauthserver.models import User
from tests.browser.conftest import fits, log_in
from tests.support.factories import make_memory


@pytest.fixture(autouse=True)
def memories(person: User) -> None:
    """Memories of `person`, one of them with a word that no line has room for."""
    make_memory(person, "Robin is allergic to nuts.", importance=0.9, tags=("health",))
    make_memory(person, f"Robin's page is https://example.org/{'x' * 200}", tags=("work",))


def pin_and_hide(page: Page) -> None:
    page.goto("/login/?next=/admin/briefing/")
    log_in(page)
    expect(page).to_have_title("Briefing · OwnSona")
    expect(page.locator(".briefing-text")).to_contain_text("Robin is allergic to nuts.")
    page.locator("li.mem", has_text="allergic").get_by_role("button", name="Hide: Robin is").click()
    expect(page.get_by_text("One memory hidden from the briefing.")).to_be_visible()
    expect(page.locator(".briefing-text")).not_to_contain_text("allergic")
    page.get_by_role("button", name="Unhide: Robin is").click()
    page.locator("li.mem", has_text="allergic").get_by_role("button", name="Pin: Robin is").click()
    expect(page.locator(".briefing-text")).to_contain_text("Pinned by the user")
    expect(page.get_by_text("expand_more")).to_be_hidden()
    page.get_by_label("Tags").fill("work")
    page.get_by_role("button", name="Preview").click()
    expect(page.locator(".briefing-text")).not_to_contain_text("allergic")
    expect(page.get_by_role("heading", name="Pinned, but not in this briefing")).to_be_visible()


def test_the_owner_pins_hides_and_previews(page: Page, complaints: list[str]) -> None:
    pin_and_hide(page)
    assert fits(page)
    assert complaints == []


def test_the_page_works_without_javascript(chromium: Browser, live_server: LiveServer) -> None:
    context = chromium.new_context(base_url=live_server.url, java_script_enabled=False)
    page = context.new_page()
    pin_and_hide(page)
    expect(page.locator("li.mem", has_text="allergic")).to_have_count(1)
    context.close()
