"""Tests of the page of tags, with scripts."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from oauthserver.models import User
from tests.browser.conftest import fits, log_in, press
from tests.support.factories import make_memory


@pytest.fixture(autouse=True)
def memories(person: User) -> None:
    """Memories with two tags. Stored before the browser starts, because its thread can run no query."""
    for text in ("The cat is called Mimi.", "The cat is three years old."):
        make_memory(person, text, tags=("pets",))
    make_memory(person, "The tram runs every ten minutes.", tags=("city",))


def test_a_tag_is_renamed_from_its_name_without_another_click(page: Page, complaints: list[str]) -> None:
    page.goto("/login/?next=/admin/tags/")
    log_in(page)
    page.get_by_label("Select pets").check()
    page.locator(".bulk").get_by_text("Rename or merge…").click()
    name = page.get_by_label("New tag")
    expect(name).to_be_focused()
    expect(name).to_have_value("pets")
    assert fits(page)
    page.keyboard.type("animals")
    press(page, "Enter")
    expect(page.get_by_role("heading", name="Rename “pets” to “animals”?")).to_be_visible()
    assert complaints == []


def test_the_numbers_beside_a_tag_lead_to_what_has_it(page: Page) -> None:
    page.goto("/login/?next=/admin/tags/")
    log_in(page)
    page.get_by_role("link", name="2 memories").click()
    expect(page.get_by_role("link", name="The cat is called Mimi.", exact=True)).to_be_visible()
    expect(page.get_by_text("The tram")).to_have_count(0)
