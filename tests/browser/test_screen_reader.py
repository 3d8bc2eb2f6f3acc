"""Tests for screen readers: announcements, the reasons of refusals, and the focus after an action."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from memories.models import Memory
from oauthserver.models import User
from tests.browser.conftest import log_in, press
from tests.support.factories import infer, make_app, make_memory, quarantined

SECRET = "My password is hunter22!x"
REFUSED_PATTERN = re.compile("This seems to contain a password.")
LIST = "/admin/memories/memory/"
OBSERVE = """() => {
    window.announced = [];
    new MutationObserver((changes) => {
        for (const { target, addedNodes } of changes)
            if (target.closest?.("[role=status]"))
                window.announced.push(...[...addedNodes].map((node) => node.textContent));
    }).observe(document, { childList: true, subtree: true });
}"""


@pytest.fixture(autouse=True)
def observed(page: Page) -> None:
    """Collect what is added to regions that screen readers observe, after the page has been loaded."""
    page.add_init_script(f"addEventListener('DOMContentLoaded', {OBSERVE})")


def announced(page: Page, text: str) -> int:
    """Wait until a text with `text` is announced, and for others that might follow. Return their number."""
    page.wait_for_function("text => window.announced?.some((said) => said.includes(text))", arg=text)
    page.wait_for_timeout(500)
    return int(page.evaluate("text => announced.filter((said) => said.includes(text)).length", text))


def open_page(page: Page, path: str) -> None:
    page.goto(f"/login/?next={path}")
    log_in(page)
    page.wait_for_function("window.announced && location.pathname !== '/login/'")


def test_a_message_of_the_next_page_is_announced_once(page: Page, person: User) -> None:
    open_page(page, "/admin/add/")
    page.get_by_label("What should your apps know?").fill("Robin has a cat.")
    press(page, "Control+Enter")
    assert announced(page, "Remembered.") == 1
    expect(page.get_by_text("Remembered.", exact=True)).to_have_count(1)
    press(page, "z")
    assert announced(page, "Undone: 1 memory.") == 1
    assert not Memory.objects.active().exists()


def test_a_message_that_came_at_once_is_not_announced_again(page: Page, person: User) -> None:
    make_memory(person, "Robin has a cat.")
    make_memory(person, "Robin has a dog.")
    open_page(page, LIST)
    press(page, "j")
    press(page, "f")
    assert announced(page, "Forgotten.") == 1


def test_the_focus_is_in_the_page_again_after_a_message_was_closed(page: Page, person: User) -> None:
    make_memory(person, "Robin has a cat.")
    make_memory(person, "Robin has a dog.")
    open_page(page, LIST)
    press(page, "j")
    press(page, "f")
    page.get_by_role("button", name="Close").press("Enter")
    expect(page.get_by_role("link", name="Robin has a cat.", exact=True)).to_be_focused()


def test_the_focus_stays_in_the_page_when_the_last_row_is_forgotten(page: Page, person: User) -> None:
    make_memory(person, "Robin has a cat.")
    open_page(page, LIST)
    press(page, "j")
    press(page, "f")
    expect(page.get_by_role("main")).to_be_focused()


@pytest.mark.parametrize("path", ["/admin/add/", "/admin/memories/memory/add/"])
def test_a_field_that_was_refused_has_the_focus_and_the_reason(page: Page, path: str) -> None:
    open_page(page, path)
    page.locator("#id_text").fill(SECRET)
    press(page, "Control+Enter")
    expect(page.locator("#id_text")).to_be_focused()
    expect(page.locator("#id_text")).to_have_accessible_description(REFUSED_PATTERN)


def test_a_row_that_was_refused_has_the_focus_and_the_reason(page: Page, person: User) -> None:
    make_memory(person, "Robin has a cat.")
    open_page(page, LIST)
    press(page, "j")
    press(page, "e")
    page.get_by_label("Text of the memory").fill(SECRET)
    press(page, "Control+Enter")
    expect(page.locator("#id_text")).to_have_accessible_description(REFUSED_PATTERN)
    expect(page.locator("#id_text")).to_be_focused()


def test_the_number_of_selected_rows_is_announced(page: Page, person: User) -> None:
    make_memory(person, "Robin has a cat.")
    make_memory(person, "Robin has a dog.")
    open_page(page, LIST)
    for _ in range(2):
        press(page, "j")
        press(page, "x")
    assert announced(page, "2 selected") == 1


def test_the_palette_says_how_much_it_has_found(page: Page, person: User) -> None:
    make_memory(person, "Robin has a backup of the cat photos.")
    open_page(page, LIST)
    press(page, "Control+k")
    page.get_by_role("searchbox", name="or go to a page").press_sequentially("backup")
    assert announced(page, "Pages: 1. Other matches: 1.") == 1


def test_the_next_card_of_the_review_has_the_focus(page: Page, person: User) -> None:
    client = make_app("Notebook").client_id
    for text in ("Robin likes tea.", "Robin likes snow."):
        infer(quarantined(person, client=client), text)
    open_page(page, "/admin/review/")
    press(page, "k")
    expect(page.get_by_role("article", name="Robin likes tea.")).to_be_focused()
    assert announced(page, "Kept: Robin likes snow.") == 1
