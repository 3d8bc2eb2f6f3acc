"""Tests of connecting an app and limiting its access, in a real browser."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx
import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from memories.models import Memory
from oauthserver.models import User
from tests.browser.conftest import PASSWORD, answer_for, fits, log_in, press
from tests.support.factories import make_memory
from tests.support.oauth.flow import CHALLENGE, VERIFIER

CALLBACK = "https://app.example/callback"
RECALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "count_memories", "arguments": {}},
}


class App:
    """An app on another site."""

    def __init__(self, server: str) -> None:
        self.server = server
        entry = {"client_name": "Notebook", "redirect_uris": [CALLBACK], "token_endpoint_auth_method": "none"}
        self.client_id = self._post("/oauth/register", json=entry).json()["client_id"]
        self.token = ""

    def authorize_url(self) -> str:
        request = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": CALLBACK,
            "code_challenge": CHALLENGE,
            "code_challenge_method": "S256",
        }
        return "/oauth/authorize?" + str(httpx.QueryParams(request))

    def receive(self, url: str) -> str:
        """Exchange the code in the redirect for a token. Return the granted scopes."""
        form = {
            "grant_type": "authorization_code",
            "code": dict(parse_qsl(urlsplit(url).query))["code"],
            "client_id": self.client_id,
            "redirect_uri": CALLBACK,
            "code_verifier": VERIFIER,
        }
        answer = self._post("/oauth/token", data=form).json()
        self.token = answer["access_token"]
        return str(answer["scope"])

    def call(self) -> httpx.Response:
        return self._post("/mcp", json=RECALL, headers={"authorization": f"Bearer {self.token}"})

    def _post(self, path: str, **content: Any) -> httpx.Response:
        # No connection stays open, because the server's thread would keep the test database in use.
        return httpx.post(self.server + path, timeout=30, **content)


@pytest.fixture
def page(page: Page) -> Page:
    """A page of the browser that can also reach the site of the app."""
    answer_for(page, "https://app.example/*", "Welcome back to Notebook.")
    return page


def remember(page: Page, text: str, tags: str) -> None:
    page.goto("/admin/memories/memory/add/")
    page.get_by_label("Text").fill(text)
    page.get_by_label("Tags").fill(tags)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Remembered.", exact=True)).to_be_visible()


def test_an_app_is_let_in_to_some_memories_narrowed_paused_and_cut_off(page: Page, live_server: LiveServer) -> None:
    page.goto("/login/")
    log_in(page)
    remember(page, "The cat is called Mimi.", "pets")
    remember(page, "The bank is in Lyon.", "money")
    app = App(live_server.url)

    page.goto(app.authorize_url())
    expect(page.get_by_text("Unverified.")).to_be_visible()
    expect(page.get_by_text("app.example")).to_be_visible()
    expect(page.get_by_label("Other tags")).to_be_hidden()
    page.get_by_label("Add and change memories and documents").uncheck()
    page.get_by_label("Only those with at least one of these tags").check()
    page.get_by_label("pets").check()
    assert fits(page)
    page.get_by_role("button", name="Allow").click()
    expect(page.get_by_text("Welcome back to Notebook.")).to_be_visible()
    assert app.receive(page.url) == "memory:read"
    assert app.call().json()["result"]["structuredContent"]["count"] == 1

    page.goto("/admin/oauthserver/connection/")
    page.get_by_role("link", name="Notebook").click()
    page.get_by_text("It can read only memories tagged pets").click()
    expect(page.get_by_label("Only memories tagged")).to_have_value("pets")
    assert fits(page)
    page.get_by_label("Only memories tagged").fill("money, pets")
    page.get_by_role("button", name="Save permissions").click()
    expect(page.get_by_text("It can read only memories tagged money, pets")).to_be_visible()
    assert fits(page)
    assert app.call().json()["result"]["structuredContent"]["count"] == 2

    page.get_by_role("switch", name="Notebook is paused").check()
    expect(page.get_by_text("Paused, ")).to_be_visible()
    assert app.call().status_code == 403

    page.get_by_role("button", name="Disconnect").click()
    expect(page.get_by_text("Notebook is disconnected.")).to_be_visible()
    assert app.call().status_code == 401


def test_a_personal_token_is_made_and_works_in_a_script(page: Page, live_server: LiveServer) -> None:
    page.goto("/login/")
    log_in(page)
    remember(page, "The cat is called Mimi.", "pets")
    page.goto("/admin/oauthserver/personaltoken/")
    page.goto("/admin/oauthserver/personaltoken/add/")
    assert fits(page)
    page.get_by_label("Name").fill("Backup script")
    page.get_by_role("button", name="Create token", exact=True).click()
    value = page.locator("code.secret").inner_text()
    assert fits(page)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy", exact=True).click()
    expect(page.get_by_role("button", name="Copied", exact=True)).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == value
    answer = httpx.post(f"{live_server.url}/mcp", json=RECALL, headers={"authorization": f"Bearer {value}"}, timeout=30)
    assert answer.json()["result"]["structuredContent"]["count"] == 1

    page.goto("/admin/oauthserver/personaltoken/")
    expect(page.get_by_role("link", name="Backup script")).to_be_visible()
    assert value not in page.content()


def test_a_button_pressed_after_the_session_has_ended_leads_back_to_its_page(page: Page, complaints: list[str]) -> None:
    page.goto("/login/?next=/admin/account/")
    log_in(page)
    page.context.clear_cookies(name="sessionid")
    page.get_by_role("button", name="Dark").click()
    expect(page.get_by_role("alert")).to_contain_text("so nothing was changed")
    assert fits(page)
    log_in(page)
    expect(page.get_by_role("heading", name="Account")).to_be_visible()
    assert complaints == []


def end_session(page: Page) -> None:
    """Let the session end while a page is open."""
    page.wait_for_load_state("load")
    page.context.clear_cookies(name="sessionid")


def log_in_and_find(page: Page, label: str, text: str) -> None:
    """Log in after the session has ended, and expect the text that was sent in its field."""
    expect(page.get_by_role("alert")).to_contain_text("so nothing was changed")
    log_in(page)
    expect(page.get_by_text("What you had entered is here again.")).to_be_visible()
    expect(page.get_by_label(label)).to_have_value(text)


def test_a_text_sent_after_the_session_has_ended_is_there_again_after_the_login(
    page: Page, complaints: list[str]
) -> None:
    page.goto("/login/?next=/admin/memories/memory/add/")
    log_in(page)
    page.get_by_label("Text").fill("The boat leaks at the stern.")
    page.get_by_label("Tags").fill("boats")
    end_session(page)
    page.get_by_role("button", name="Save", exact=True).click()
    log_in_and_find(page, "Text", "The boat leaks at the stern.")
    expect(page.get_by_label("Tags")).to_have_value("boats")
    assert fits(page)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Remembered.")).to_be_visible()
    page.goto("/admin/memories/memory/add/")
    expect(page.get_by_label("Text")).to_have_value("")
    assert complaints == []


@pytest.mark.parametrize("query", ["", "?text=boat"])
def test_a_text_of_an_outdated_form_is_there_again_in_the_page_that_is_opened_again(page: Page, query: str) -> None:
    page.goto(f"/login/?next=/admin/memories/memory/add/{query}")
    log_in(page)
    page.get_by_label("Text").fill("The boat leaks at the stern.")
    page.context.clear_cookies(name=re.compile("csrf"))
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("heading", name="This page is out of date")).to_be_visible()
    page.get_by_role("link", name="Open it again").click()
    expect(page.get_by_label("Text")).to_have_value("The boat leaks at the stern.")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Remembered.")).to_be_visible()
    page.goto("/admin/memories/memory/add/")
    expect(page.get_by_label("Text")).to_have_value("")


def test_a_text_of_the_sheet_for_adding_is_there_again_after_the_login(page: Page, complaints: list[str]) -> None:
    page.goto("/login/?next=/admin/memories/memory/")
    log_in(page)
    press(page, "n")
    page.get_by_label("What should your apps know?").fill("The boat leaks.")
    end_session(page)
    press(page, "Control+Enter")
    log_in_and_find(page, "What should your apps know?", "The boat leaks.")
    assert complaints == []


def test_a_text_of_the_editor_of_a_row_is_there_again_after_the_login(
    page: Page, person: User, complaints: list[str]
) -> None:
    make_memory(person, "The boat leaks.")
    page.goto("/login/?next=/admin/memories/memory/")
    log_in(page)
    press(page, "j")
    press(page, "e")
    page.get_by_label("Text of the memory").fill("The boat leaks a lot.")
    press(page, "Control+Enter")
    expect(page.get_by_text("Saved.")).to_be_visible()
    assert page.evaluate("sessionStorage.length") == 0
    press(page, "e")
    page.get_by_label("Text of the memory").fill("The boat does not leak.")
    end_session(page)
    press(page, "Control+Enter")
    log_in_and_find(page, "Text of the memory", "The boat does not leak.")
    assert complaints == []


def test_what_one_user_has_typed_is_not_shown_to_the_next_one(page: Page) -> None:
    page.goto("/login/?next=/admin/memories/memory/add/")
    log_in(page)
    page.get_by_label("Text").fill("The boat leaks.")
    end_session(page)
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("alert").wait_for()
    User.objects.create_user("kim", password=PASSWORD)
    page.get_by_label("Name").fill("kim")
    page.get_by_label("Password").fill(PASSWORD)
    with page.expect_event("load"):
        page.get_by_role("button", name="Log in").click()
    expect(page.get_by_label("Text")).to_have_value("")
    assert page.evaluate("sessionStorage.length") == 0


@pytest.mark.parametrize("key", ["f", "n"])
def test_a_key_after_the_session_has_ended_leads_to_the_login_that_says_so(page: Page, person: User, key: str) -> None:
    make_memory(person, "The boat leaks.")
    page.goto("/login/?next=/admin/memories/memory/")
    log_in(page)
    press(page, "j")
    end_session(page)
    press(page, key)
    expect(page.get_by_role("alert")).to_contain_text("so nothing was changed")
    assert Memory.objects.not_deleted().count() == 1
