"""Writing a prompt of one's own, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.conftest import log_in
from tests.browser.test_owner import WIDTHS, fits


@pytest.fixture(params=WIDTHS)
def page(request: pytest.FixtureRequest, chromium: Browser, live_server: LiveServer) -> Iterator[Page]:
    """A window, wide or as narrow as a phone."""
    context = chromium.new_context(base_url=live_server.url, viewport={"width": request.param, "height": 900})
    page = context.new_page()
    page.set_default_timeout(15_000)
    yield page
    context.close()


def test_a_prompt_is_written_corrected_and_kept(page: Page) -> None:
    page.goto("/login/?next=/admin/mcpapi/ownprompt/add/")
    log_in(page)
    page.get_by_label("Name").fill("letter")
    page.get_by_label("Arguments").fill("person*: whom to write to\ntone: warm or cool")
    page.get_by_label("Messages").fill("Write to {person}.")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("The argument tone does not come up.")).to_be_visible()
    assert fits(page)
    page.get_by_label("Messages").fill("Write to {person}, {tone}.")
    page.get_by_role("button", name="Save", exact=True).click()
    page.locator("#result_list").get_by_role("link", name="letter").click()
    expect(page.get_by_label("Messages")).to_have_value("Write to {person}, {tone}.")
    assert fits(page)
