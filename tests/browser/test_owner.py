"""What an owner does on a first visit, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.conftest import log_in

WIDTHS = [1280, 390]
TEXT = "The cat is called Mimi."


@pytest.fixture
def complaints() -> list[str]:
    """What the browser's console complained about."""
    return []


@pytest.fixture(params=WIDTHS)
def page(
    request: pytest.FixtureRequest, chromium: Browser, live_server: LiveServer, complaints: list[str]
) -> Iterator[Page]:
    """A window, wide or as narrow as a phone."""
    context = chromium.new_context(base_url=live_server.url, viewport={"width": request.param, "height": 900})
    page = context.new_page()
    page.set_default_timeout(15_000)
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    context.close()


def fits(page: Page) -> bool:
    """Whether nothing sticks out of the window to the side, once the page is there."""
    page.wait_for_function("document.readyState === 'complete'")
    return bool(page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))


def test_from_the_front_page_to_a_memory_of_ones_own(page: Page, complaints: list[str]) -> None:
    page.goto("/")
    assert fits(page)
    page.get_by_role("link", name="Manage your memories").click()
    assert fits(page)
    log_in(page)
    page.get_by_role("link", name="write the first memory yourself").click()
    assert fits(page)
    page.get_by_label("Text").fill(TEXT)
    page.get_by_label("Tags").fill("pets, home")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Remembered.", exact=True)).to_be_visible()
    assert fits(page)

    page.goto("/admin/memories/memory/")
    page.get_by_label("Search your memories").fill("which pet is there?")
    page.get_by_label("How to search").select_option("by meaning")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_label("How to search")).to_have_value("meaning")
    expect(page.get_by_role("link", name=TEXT)).to_be_visible()
    assert complaints == []


def test_a_choice_in_the_list_is_forgotten_with_its_reason(page: Page, complaints: list[str]) -> None:
    page.goto("/login/?next=/admin/memories/memory/add/")
    log_in(page)
    page.get_by_label("Text").fill(TEXT)
    page.get_by_role("button", name="Save").click()
    page.goto("/admin/memories/memory/")
    page.locator("input.action-select").first.check()
    page.get_by_label("Select action to run").select_option("Forget")
    page.get_by_title("Run the selected action").click()
    page.get_by_label("Why?").fill("It moved out.")
    assert fits(page)
    page.get_by_role("button", name="Forget").click()
    expect(page.get_by_text("It moved out.").first).to_be_visible()
    expect(page.locator("a[href*='/restore/']")).to_have_count(1)
    assert complaints == []
