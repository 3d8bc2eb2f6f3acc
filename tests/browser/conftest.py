"""A real browser in front of a running server. The tests are skipped if no Chromium is installed."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, sync_playwright
from pytest_django.live_server_helper import LiveServer

from oauthserver.models import User
from tests.support.browser import find_chromium

PASSWORD = "correct horse battery staple"
WIDTHS = [1280, 390]
CHROMIUM = find_chromium()


@pytest.fixture
def person(live_server: LiveServer) -> User:
    """A user who can log in."""
    return User.objects.create_user("robin", password=PASSWORD, is_superuser=True)


@pytest.fixture(scope="package")
def running_chromium() -> Iterator[Browser]:
    """A Chromium browser for all tests here: starting one takes most of the time of a short test."""
    if not CHROMIUM:
        pytest.skip("No Chromium is installed.")
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        # This thread has an event loop now, in which Django would run no query. Nothing else runs in it meanwhile.
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        )
        yield browser
        browser.close()


@pytest.fixture
def chromium(person: User, running_chromium: Browser) -> Iterator[Browser]:
    """The browser, without the pages, cookies and caches of other tests. `person` can log in."""
    yield running_chromium
    for context in running_chromium.contexts:
        context.close()


@pytest.fixture
def complaints() -> list[str]:
    """The errors in the browser's console."""
    return []


@pytest.fixture(params=WIDTHS)
def window_width(request: pytest.FixtureRequest) -> int:
    """The width of a desktop and of a phone."""
    width: int = request.param
    return width


@pytest.fixture
def page(window_width: int, chromium: Browser, live_server: LiveServer, complaints: list[str]) -> Iterator[Page]:
    """A page of the browser."""
    context = chromium.new_context(base_url=live_server.url, viewport={"width": window_width, "height": 900})
    page = context.new_page()
    page.set_default_timeout(30_000)
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    context.close()


def answer_for(page: Page, addresses: str, content: str) -> None:
    """Answer what the page requests from another site, also after a redirect, which Playwright's routes may not see.

    `addresses` is a pattern with `*`, `content` is HTML.
    """
    session = page.context.new_cdp_session(page)

    def fulfil(event: dict[str, Any]) -> None:
        answer = {
            "requestId": event["requestId"],
            "responseCode": 200,
            "responseHeaders": [{"name": "Content-Type", "value": "text/html"}],
            "body": b64encode(content.encode()).decode(),
        }
        session.send("Fetch.fulfillRequest", answer)

    session.on("Fetch.requestPaused", fulfil)
    session.send("Fetch.enable", {"patterns": [{"urlPattern": addresses}]})


class Finger:
    """A finger on the screen of a page, moved in CSS pixels."""

    def __init__(self, page: Page) -> None:
        self.session = page.context.new_cdp_session(page)
        self.is_down = False

    def move(self, *path: tuple[float, float]) -> Finger:
        """Put the finger down at the first point, unless it is down, and move it to the others."""
        for x, y in path:
            kind = "touchMove" if self.is_down else "touchStart"
            self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
            self.is_down = True
        return self

    def lift(self) -> None:
        """Lift the finger."""
        self.session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        self.is_down = False


def fits(page: Page) -> bool:
    """Return whether the loaded page fits into the width of the window."""
    page.wait_for_load_state("load")
    return bool(page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))


class LateScript:
    """A script of pages that the browser receives only after `arrive`. Create it before the page is opened."""

    def __init__(self, page: Page, name: str) -> None:
        self.page = page
        self.held: list[Route] = []
        self.has_arrived = False
        page.route(f"**/ownsona/{name}*.js", self.hold)

    def hold(self, route: Route) -> None:
        """Keep a request of the browser until the script may arrive."""
        if self.has_arrived:
            route.continue_()
        else:
            self.held.append(route)

    def arrive(self) -> None:
        """Let the browser load the script, now and on later pages. Return when the page and its scripts are ready."""
        self.has_arrived = True
        with self.page.expect_event("load"):
            for route in self.held:
                route.continue_()


def press(page: Page, key: str) -> None:
    """Press a key when the page and its scripts are ready. The text of a page appears before its scripts have run."""
    page.wait_for_load_state("load")
    page.keyboard.press(key)


def log_in(page: Page) -> None:
    """Fill in and send the login page as `person`. Return when the next page and its scripts are ready."""
    page.get_by_label("Name").fill("robin")
    page.get_by_label("Password").fill(PASSWORD)
    with page.expect_event("load"):
        page.get_by_role("button", name="Log in").click()
