"""Tests of an owner's first visit, in a real browser."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.conftest import fits, log_in

TEXT = "The cat is called Mimi."


def test_from_the_front_page_to_a_memory_of_ones_own(page: Page, complaints: list[str]) -> None:
    page.goto("/")
    assert fits(page)
    page.get_by_role("link", name="Manage your memories").click()
    assert fits(page)
    log_in(page)
    page.get_by_role("link", name="add the first memory yourself").click()
    assert fits(page)
    page.get_by_label("Text").fill(TEXT)
    page.get_by_label("Tags").fill("pets, home")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Remembered.", exact=True)).to_be_visible()
    assert fits(page)

    page.goto("/admin/memories/memory/")
    page.get_by_label("Search your memories").fill("which pet is there?")
    page.get_by_label("How to search").select_option("by meaning")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_label("How to search")).to_have_value("meaning")
    expect(page.get_by_role("link", name=TEXT)).to_be_visible()
    assert complaints == []


def test_a_choice_in_the_list_is_forgotten_with_its_reason(page: Page, complaints: list[str]) -> None:
    page.goto("/login/?next=/admin/memories/memory/add/")
    log_in(page)
    page.get_by_label("Text").fill(TEXT)
    page.get_by_role("button", name="Save").click()
    page.goto("/admin/memories/memory/")
    page.locator("input.action-select").first.check()
    page.get_by_label("Select action to run").select_option("Forget")
    page.get_by_title("Run the selected action").click()
    page.get_by_label("Reason").fill("It moved out.")
    assert fits(page)
    page.get_by_role("button", name="Forget").click()
    expect(page.get_by_text("It moved out.").first).to_be_visible()
    expect(page.locator("a[href*='/restore/']")).to_have_count(1)
    assert complaints == []


def test_the_list_shows_the_beginning_of_a_long_text_whole(page: Page) -> None:
    page.goto("/login/?next=/admin/memories/memory/add/")
    log_in(page)
    page.get_by_label("Text").fill(f"{TEXT} " * 20)
    page.get_by_role("button", name="Save").click()
    page.goto("/admin/memories/memory/")
    cell = page.locator(".field-shown_text").first
    expect(cell).to_contain_text(TEXT)
    assert cell.evaluate("cell => cell.scrollHeight <= cell.clientHeight")
