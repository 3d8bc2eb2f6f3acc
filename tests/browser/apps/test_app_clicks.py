"""The clicks that common tasks need, counted from the overview."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect
from pytest_django import Settings

from mcpapi.observability.audit import audit_lines
from memories.access import Actor, View
from memories.drafts import Draft
from memories.writing.remembering import RememberRequest, remember
from oauthserver.models import User
from tests.browser.conftest import fits, log_in
from tests.support.factories import Assistant, make_app


@pytest.fixture(autouse=True)
def app(person: User, settings: Settings) -> None:
    """An app that has stored and read a memory."""
    settings.AUDIT_QUERIES = True
    notebook = make_app("Notebook")
    assistant = Assistant.of(person, app=notebook)
    assistant.call("remember", text="The moon is made of cheese.")
    assistant.call("recall", query="What is the moon made of?")
    audit_lines.flush()
    remember(Actor(View.whole(person.pk), "admin", is_owner=True), RememberRequest(Draft("I live in Bern.")))


class Clicks:
    """Counts clicks."""

    def __init__(self) -> None:
        self.count = 0

    def on(self, target: Locator) -> None:
        """Click on what is shown of `target`."""
        self.count += 1
        target.filter(visible=True).first.click()


def test_an_apps_last_hour_is_undone_with_four_clicks(page: Page, complaints: list[str]) -> None:
    clicks = Clicks()
    page.goto("/login/?next=/admin/")
    log_in(page)
    clicks.on(page.get_by_role("navigation", name="Main").get_by_role("link", name="Apps"))
    clicks.on(page.get_by_role("link", name="Notebook", exact=True))
    assert fits(page)
    clicks.on(page.get_by_role("button", name="Preview the undo"))
    assert fits(page)
    clicks.on(page.get_by_role("button", name="Undo 1 change"))
    expect(page.get_by_text("Undone: 1 forgotten.")).to_be_visible()
    assert clicks.count <= 4
    assert complaints == []


def test_an_app_is_disconnected_with_two_clicks(page: Page, complaints: list[str]) -> None:
    clicks = Clicks()
    page.goto("/login/?next=/admin/oauthserver/connection/")
    log_in(page)
    clicks.on(page.get_by_role("link", name="Notebook", exact=True))
    clicks.on(page.get_by_role("button", name="Disconnect"))
    expect(page.get_by_text("Notebook is disconnected.")).to_be_visible()
    assert clicks.count <= 2
    assert complaints == []


def test_why_an_app_got_an_answer_is_three_clicks_away(page: Page, complaints: list[str]) -> None:
    clicks = Clicks()
    page.goto("/login/?next=/admin/oauthserver/connection/")
    log_in(page)
    clicks.on(page.get_by_role("link", name="Notebook", exact=True))
    clicks.on(page.get_by_role("link", name="Read 1 memory for"))
    expect(page.get_by_role("heading", name="Notebook would receive")).to_be_visible()
    clicks.on(page.get_by_text("Why?"))
    expect(page.get_by_text(re.compile(r"meaning \d\.\d\d")).first).to_be_visible()
    assert clicks.count <= 3
    assert complaints == []


def test_a_switch_is_saved_at_once_and_the_focus_stays(page: Page, complaints: list[str]) -> None:
    page.goto("/login/?next=/admin/oauthserver/connection/")
    log_in(page)
    page.get_by_role("link", name="Notebook", exact=True).click()
    switch = page.get_by_role("switch", name="Its own conclusions go to your inbox first")
    switch.check()
    expect(page.get_by_text("Saved.")).to_be_visible()
    expect(switch).to_be_focused()
    page.reload()
    expect(switch).to_be_checked()
    assert complaints == []
