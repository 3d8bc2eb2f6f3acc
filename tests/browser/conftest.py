"""A real browser in front of a running server. Skipped where no Chromium is installed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright
from pytest_django.live_server_helper import LiveServer

from oauthserver.models import User

PASSWORD = "correct horse battery staple"
WIDTHS = [1280, 390]
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


def log_in(page: Page) -> None:
    """Fill in the login page as `person`."""
    page.get_by_label("Name").fill("robin")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
