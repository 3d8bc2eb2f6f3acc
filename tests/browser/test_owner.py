"""Tests of an owner's first visit, in a real browser."""

from __future__ import annotations

import re
from urllib.parse import unquote

import pytest
from playwright.sync_api import Page, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from tests.browser.conftest import fits, log_in, press

TEXT = "The cat is called Mimi."


def test_the_front_page_copies_the_address_and_the_steps(page: Page, complaints: list[str]) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto("/")
    address = page.locator("#address").inner_text()
    card = page.locator("section.card")
    for copied, expected in [
        (card.first, address),
        (page.locator("#windsurf"), f'"serverUrl": "{address}"'),
        (page.locator("#zed"), "context_servers"),
    ]:
        copied.get_by_role("button", name="Copy").first.click()
        expect(copied.get_by_role("button", name="Copied").first).to_be_visible()
        expect(copied.locator("[data-copy] use").first).to_have_attribute("href", re.compile("#check$"))
        assert expected in page.evaluate("navigator.clipboard.readText()")
    expect(page.get_by_role("button", name="Copied")).to_have_count(0)
    assert page.locator("[data-copy] use[href$='#check']").count() == 0
    assert fits(page)
    assert complaints == []


def test_from_the_front_page_to_a_memory_of_ones_own(page: Page, complaints: list[str]) -> None:
    page.goto("/")
    assert fits(page)
    page.get_by_role("link", name="Manage your memories").click()
    assert fits(page)
    log_in(page)
    expect(page.get_by_text("No memories yet")).to_be_visible()
    assert fits(page)
    page.locator("main").get_by_role("link", name="Add a memory").click()
    page.get_by_label("What should your apps know?").fill(TEXT)
    page.get_by_label("Tags").fill("pets, home")
    assert fits(page)
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_text("Remembered.", exact=True)).to_be_visible()
    assert fits(page)

    page.goto("/admin/memories/memory/")
    page.get_by_label("Search your memories").fill("which pet is there?")
    press(page, "Enter")
    expect(page.get_by_text("is close in meaning")).to_be_visible()
    expect(page.get_by_role("link", name=TEXT, exact=True)).to_be_visible()
    assert complaints == []


def add_and_open(page: Page) -> None:
    """Log in, add a memory, and open its page."""
    page.goto("/login/?next=/admin/memories/memory/add/")
    log_in(page)
    page.get_by_label("Text").fill(TEXT)
    page.get_by_role("button", name="Save").click()
    page.goto("/admin/memories/memory/")
    page.get_by_role("link", name=TEXT, exact=True).click()


def test_where_a_page_asks_the_answer_is_the_filled_button(page: Page) -> None:
    add_and_open(page)
    page.goto(page.url.replace("/change/", "/delete/"))
    delete, add = page.get_by_role("button", name="Delete permanently"), page.get_by_role("link", name="Add a memory")
    white = "rgb(255, 255, 255)"
    expect(delete).to_have_css("color", white)
    expect(delete).to_have_css("background-color", "rgb(179, 38, 30)")
    expect(add).not_to_have_css("color", white)


def test_a_choice_in_the_list_is_forgotten_with_its_reason(page: Page, complaints: list[str]) -> None:
    add_and_open(page)
    page.get_by_label("More", exact=True).click()
    page.get_by_role("link", name="Forget with a reason").click()
    page.get_by_label("Reason").fill("It moved out.")
    assert fits(page)
    page.get_by_role("button", name="Forget").click()
    expect(page.get_by_text("It moved out.").first).to_be_visible()
    expect(page.get_by_role("button", name="Restore", exact=True).first).to_be_visible()
    assert complaints == []


def test_a_long_text_leaves_room_for_what_is_wrong_with_it(page: Page) -> None:
    page.goto("/login/?next=/admin/add/")
    log_in(page)
    page.get_by_label("What should your apps know?").fill("long " * 4000)
    page.get_by_role("button", name="Add", exact=True).last.click()
    expect(page.get_by_text("at most 16,000 are allowed")).to_be_visible()
    box = page.get_by_label("What should your apps know?").bounding_box()
    assert box
    assert box["height"] <= 900 * 0.6


def test_the_list_shows_the_beginning_of_a_long_text_whole(page: Page) -> None:
    page.goto("/login/?next=/admin/memories/memory/add/")
    log_in(page)
    page.get_by_label("Text").fill(f"{TEXT} " * 20)
    page.get_by_role("button", name="Save").click()
    page.goto("/admin/memories/memory/")
    cell = page.locator("main li.mem a.text").first
    expect(cell).to_contain_text(TEXT)
    assert cell.evaluate("cell => cell.scrollHeight <= cell.clientHeight")


@pytest.mark.parametrize("is_logged_in", [True, False])
def test_a_long_selection_of_another_page_is_filled_in(
    page: Page, live_server: LiveServer, settings: Settings, is_logged_in: bool
) -> None:
    settings.PUBLIC_URL = live_server.url
    page.goto("/login/?next=/admin/account/")
    log_in(page)
    bookmark = unquote(page.locator("a[href^='javascript:']").get_attribute("href") or "").removeprefix("javascript:")
    if not is_logged_in:
        page.context.clear_cookies()
    page.goto("/health")
    page.evaluate("""() => {
        document.title = "Notes & more";
        document.body.textContent = "Größe + Preis ".repeat(1000);
        getSelection().selectAllChildren(document.body);
    }""")
    with page.expect_event("load"):
        page.evaluate(bookmark)
    if not is_logged_in:
        log_in(page)
    field = page.get_by_label("What should your apps know?")
    expect(field).to_have_value(re.compile(r"^Notes & more\n(Größe \+ Preis ?){1000}\nhttp://.*/health$"))
    assert page.url.endswith("/admin/add/")


def test_the_question_mark_shows_the_keys(page: Page, complaints: list[str]) -> None:
    page.goto("/login/?next=/admin/ask/")
    log_in(page)
    page.get_by_role("searchbox").first.press("?")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_role("searchbox").first.blur()
    press(page, "?")
    dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(dialog.get_by_text("Approve a call of an app")).to_be_visible()
    expect(dialog.get_by_role("button", name="Close")).to_be_focused()
    assert fits(page)
    press(page, "Escape")
    expect(dialog).to_be_hidden()
    page.goto("/admin/keys/")
    expect(page.get_by_role("heading", name="Keyboard shortcuts")).to_have_count(1)
    assert fits(page)
    assert complaints == []
