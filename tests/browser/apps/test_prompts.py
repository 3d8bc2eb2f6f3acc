"""Tests of writing one's own prompt, in a real browser."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.conftest import fits, log_in


def test_a_prompt_is_written_corrected_and_kept(page: Page) -> None:
    page.goto("/login/?next=/admin/mcpapi/ownprompt/add/")
    log_in(page)
    page.get_by_label("Name").fill("letter")
    page.get_by_label("What it asks you for").fill("person*: whom to write to\ntone: warm or cool")
    page.get_by_label("Message", exact=True).fill("Write to {person}.")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("The value tone is not used.")).to_be_visible()
    assert fits(page)
    page.get_by_label("Message", exact=True).fill("Write to {person}, {tone}.")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("main").get_by_role("link", name="letter").first.click()
    expect(page.get_by_label("Message", exact=True)).to_have_value("Write to {person}, {tone}.")
    assert fits(page)
