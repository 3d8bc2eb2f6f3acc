"""Tests of reviewing the inferences of an app, with mouse and keyboard."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from oauthserver.models import User
from tests.browser.conftest import fits, log_in
from tests.support.factories import infer, make_app, make_memory, quarantined

TEXTS = (
    "Robin may prefer trains to planes for any journey of less than a day.",
    "Robin seems to be learning to play the piano: three lessons were mentioned.",
    "Robin is probably a vegetarian.",
)


@pytest.fixture(autouse=True)
def guesses(person: User) -> None:
    """Memories of `person` that an app has inferred."""
    client = make_app("Notebook").client_id
    make_memory(person, "Robin is a vegetarian.")
    for text in TEXTS:
        infer(quarantined(person, client=client), text, tags=("travel", "habits"))


def test_an_inference_is_accepted_another_corrected_and_the_last_rejected(page: Page, complaints: list[str]) -> None:
    page.goto("/login/?next=/admin/")
    log_in(page)
    page.get_by_role("link", name="Open the inbox").click()
    expect(page.locator("li.panel")).to_have_count(3)
    expect(page).to_have_title("Inbox | OwnSona")
    assert fits(page)

    # The newest memory has the focus. Tab moves to its checkbox, to the link of the known memory, and to its button.
    expect(page.locator("li.panel").first).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Select at least one memory.")).to_be_visible()
    expect(page.locator("li.panel").first).to_be_focused()
    for _ in range(3):
        page.keyboard.press("Tab")
    expect(page.locator("li.panel").first.get_by_role("button", name="Accept")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text("One memory accepted.")).to_be_visible()

    page.locator("li.panel").first.get_by_role("link", name="Edit").click()
    page.get_by_label("Text").fill("Robin plays the piano.")
    page.get_by_role("button", name="Save and accept").click()
    expect(page.locator("li.panel")).to_have_count(1)

    page.get_by_role("checkbox", name=TEXTS[0]).check()
    page.get_by_role("button", name="Reject selected").click()
    page.get_by_label("Reason").fill("Planes are fine.")
    page.get_by_role("button", name="Reject").click()
    expect(page.get_by_text("Your inbox is empty")).to_be_visible()
    assert complaints == []
