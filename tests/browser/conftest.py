"""A real browser in front of a running server. Skipped where no Chromium is installed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright
from pytest_django.live_server_helper import LiveServer

from oauthserver.models import User

PASSWORD = "correct horse battery staple"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture
def person(live_server: LiveServer) -> User:
    """One who can log in."""
    return User.objects.create_user("robin", password=PASSWORD, is_superuser=True)


@pytest.fixture
def chromium(person: User) -> Iterator[Browser]:
    """After `person`, since no query can run in this thread while the browser is driven."""
    if not CHROMIUM:
        pytest.skip("No Chromium is installed.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        )
        yield browser
        browser.close()


def log_in(page: Page) -> None:
    """Fill in the login page as `person`."""
    page.get_by_label("Name").fill("robin")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
