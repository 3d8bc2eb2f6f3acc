"""Tests of the owner's pages under their content security policy: they work, and the browser blocks nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect
from pytest_django.live_server_helper import LiveServer

from oauthserver.models import User
from tests.browser.conftest import answer_for, log_in, press
from tests.documents.support import make_document
from tests.support.factories import make_access_token, make_app, make_memory
from tests.support.oauth.flow import REDIRECT_URI, Registration


@pytest.fixture
def refusals() -> list[str]:
    """The errors and warnings in the browser's console."""
    return []


@pytest.fixture
def memory_id(person: User) -> int:
    """The id of the only memory. An app is connected too, so that no list is empty."""
    make_access_token(person, app=make_app())
    return make_memory(person, "The cat is called Mimi.", tags=("pets",)).pk


@pytest.fixture
def authorize_url(person: User) -> str:
    """The authorization URL of an app that has just registered."""
    return Registration.of_new_app().authorize_url()


@pytest.fixture
def page(memory_id: int, chromium: Browser, live_server: LiveServer, refusals: list[str]) -> Iterator[Page]:
    """A page of the browser with a logged-in owner."""

    context = chromium.new_context(base_url=live_server.url)
    window = context.new_page()
    window.set_default_timeout(30_000)

    def heed(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            refusals.append(f"{window.url}: {message.text}")

    window.on("console", heed)
    window.on("pageerror", lambda error: refusals.append(f"{window.url}: {error}"))
    window.goto("/login/?next=/admin/")
    log_in(window)
    yield window
    context.close()


def test_menus_and_panels_open(page: Page, person: User, refusals: list[str]) -> None:
    make_document(person)
    page.goto("/admin/memories/pastrecall/")
    page.get_by_role("link", name="robin, account").click()
    expect(page.get_by_role("link", name="Password Change your password")).to_be_visible()
    page.get_by_role("link", name="Search or go to").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    press(page, "Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.goto("/admin/documents/document/")
    states = page.get_by_role("navigation", name="States")
    expect(states).to_be_hidden()
    page.get_by_text("Filter by state and tag").click()
    expect(states).to_be_visible()
    assert refusals == []


def test_a_script_that_got_into_a_page_would_not_run(page: Page) -> None:
    page.goto("/admin/")
    intrusions = (
        """document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="window.ran = true">')""",
        "document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.ran = true'}))",
        "document.body.append(Object.assign(document.createElement('script'), {src: 'https://evil.example/x.js'}))",
    )
    for intrusion in intrusions:
        # The handler is refused only when the image has failed.
        with page.expect_console_message(lambda message: "Content Security Policy" in message.text):
            page.evaluate(intrusion)
    assert page.evaluate("window.ran") is None


def test_a_web_app_that_opened_the_login_hears_how_it_went(
    authorize_url: str, chromium: Browser, live_server: LiveServer
) -> None:
    """The pages of the app and its redirect URI have other origins than the login page."""
    page = chromium.new_context().new_page()
    listen = "<script>onmessage = event => { document.title = event.data }</script>"
    answer_for(page, "http://app.localhost:9/", listen)
    page.goto("http://app.localhost:9/")
    with page.expect_popup() as opened:
        page.evaluate("url => { open(url) }", live_server.url + authorize_url)
    answer_for(opened.value, f"{REDIRECT_URI}?*", "<script>opener.postMessage(location.search, '*')</script>")
    log_in(opened.value)
    opened.value.get_by_role("button", name="Allow").click()
    page.wait_for_function("document.title.includes('code=')", timeout=30_000)


def test_allow_hears_no_click_for_a_second_and_the_keyboard_at_once(authorize_url: str, page: Page) -> None:
    answer_for(page, f"{REDIRECT_URI}?*", "back at the app")
    page.goto(authorize_url)
    allow = page.get_by_role("button", name="Allow")
    expect(allow).to_have_css("animation-name", "not-yet")
    page.mouse.move(5, 5)
    expect(allow).to_have_css("animation-name", "not-yet-either")
    hears_a_click_after = """(button, milliseconds) => {
        button.scrollIntoView();
        button.classList.remove('guarded');
        button.getBoundingClientRect();
        button.classList.add('guarded');
        const [delay] = button.getAnimations();
        delay.pause();
        delay.currentTime = milliseconds;
        const box = button.getBoundingClientRect();
        return document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2) === button;
    }"""
    assert [allow.evaluate(hears_a_click_after, time) for time in (1000, 990, 0)] == [True, False, False]

    allow.press("Enter")

    expect(page.get_by_text("back at the app")).to_be_visible()
