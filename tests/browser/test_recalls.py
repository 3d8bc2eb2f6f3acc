"""Looking at a recall and judging its answers, with mouse and keyboard."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from pytest_django import Settings

from memories.recall import Query
from memories.view import View
from oauthserver.models import User
from tests.browser.conftest import fits, log_in
from tests.factories import make_app, make_memory
from tests.memories.recalling import ask

MISSING = "The kettle is a present from Ada."


@pytest.fixture(autouse=True)
def recall_of_an_app(person: User, settings: Settings) -> None:
    """What an app has asked about `person`, and what it did not find."""
    settings.AUDIT_QUERIES = True
    for text in ("The tea is in the drawer.", "The tea pot is white, and was bought " + "in a very small shop " * 20):
        make_memory(person, text, tags=("kitchen",))
    client = make_app("Notebook").client_id
    ask(View.whole(person.pk), Query("Where is the tea, in which drawer?", limit=1), client=client)
    make_memory(person, MISSING)


def test_answers_are_judged_and_a_word_is_taken_back(page: Page, complaints: list[str]) -> None:
    page.goto("/login/?next=/admin/memories/pastrecall/")
    log_in(page)
    assert fits(page)
    page.get_by_role("link", name="Where is the tea").click()
    expect(page).to_have_title("Recall | OwnSona")
    assert fits(page)

    useful = page.get_by_role("button", name="was useful")
    useful.first.click()
    expect(useful.first).to_have_attribute("aria-pressed", "true")
    # It is led back to the answer, so that the next Tab is at its link, and the one after that at its buttons.
    for _ in range(3):
        page.keyboard.press("Tab")
    wrong = page.get_by_role("button", name="was wrong")
    expect(wrong.first).to_be_focused()
    page.keyboard.press("Enter")
    expect(wrong.first).to_have_attribute("aria-pressed", "true")
    expect(useful.first).to_have_attribute("aria-pressed", "false")
    wrong.first.click()
    expect(wrong.first).to_have_attribute("aria-pressed", "false")

    page.get_by_label("Words or number of the memory").fill("kettle")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="should have come").click()
    expect(page.get_by_text(MISSING)).to_be_visible()
    expect(useful.last).to_have_attribute("aria-pressed", "true")
    assert fits(page)
    page.goto("/admin/memories/pastrecall/")
    expect(page.get_by_text("1 useful")).to_be_visible()
    assert complaints == []
