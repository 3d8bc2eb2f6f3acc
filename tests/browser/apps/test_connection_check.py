"""Tests of the page that explains why an app does not connect, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from oauthserver.models import FailedHandshake, User
from tests.browser.conftest import WIDTHS, fits, log_in


@pytest.fixture
def refused(person: User) -> None:
    """A recent connection failure of an app, with texts of the maximum length."""
    now = timezone.now()
    FailedHandshake.objects.create(
        step="token",
        reason="wrong_verifier",
        client="c" * 200,
        user_agent="u" * 200,
        details="The code_verifier does not match the code_challenge.",
        address="192.0.2.7",
        first_at=now,
        last_at=now,
        count=3,
    )


@pytest.fixture(params=zip(WIDTHS, ("light", "dark"), strict=True))
def page(
    request: pytest.FixtureRequest, refused: None, chromium: Browser, live_server: LiveServer, settings: Settings
) -> Iterator[Page]:
    """A page of the browser at the checked server, wide and light, and narrow and dark."""
    settings.PUBLIC_URL = live_server.url
    width, scheme = request.param
    context = chromium.new_context(
        base_url=live_server.url, viewport={"width": width, "height": 900}, color_scheme=scheme
    )
    page = context.new_page()
    page.set_default_timeout(30_000)
    yield page
    context.close()


def test_the_owner_sees_who_failed_and_checks_the_server(page: Page) -> None:
    page.goto("/login/?next=/admin/")
    log_in(page)
    page.get_by_role("link", name="See the reasons and solutions").click()
    expect(page.get_by_text("The app mixed up two logins")).to_be_visible()
    assert fits(page)
    page.get_by_role("button", name="Check the connection").click()
    found = page.get_by_label("Results")
    expect(found.get_by_text("A tool responds")).to_be_hidden()
    found.get_by_text("passed").first.click()
    expect(found.get_by_text("A tool responds")).to_be_visible()
    expect(found.locator("li.failed")).to_have_count(0)
    assert fits(page)
    page.get_by_role("button", name="Clear this list").click()
    expect(page.get_by_text("None in the last 30 days.")).to_be_visible()
    assert fits(page)
