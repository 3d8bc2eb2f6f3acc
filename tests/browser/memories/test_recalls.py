"""Tests of viewing a recall and judging its matches, with mouse and keyboard."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from pytest_django import Settings

from memories.access import View
from memories.models import PastRecall
from memories.recall.pipeline import Query
from oauthserver.models import User
from tests.browser.conftest import fits, log_in, press
from tests.support.factories import make_app, make_memory
from tests.support.recalls import ask

MISSING = "The kettle is a present from Ada."


@pytest.fixture(autouse=True)
def recall_of_an_app(person: User, settings: Settings) -> None:
    """A recall of an app about `person`, with a match, and a memory that it did not find."""
    settings.AUDIT_QUERIES = True
    for text in ("The tea is in the drawer.", "The tea pot is white, and was bought " + "in a very small shop " * 20):
        make_memory(person, text, tags=("kitchen",))
    client = make_app("Notebook").client_id
    ask(View.whole(person.pk), Query("Where is the tea, in which drawer?", limit=1), client=client)
    make_memory(person, MISSING)


@pytest.fixture
def long_recall(person: User, recall_of_an_app: None) -> PastRecall:
    """A recall whose question has no space to break it at, stored after one whose question has many."""
    ask(View.whole(person.pk), Query("Where is the tea, and " * 380))
    return ask(View.whole(person.pk), Query("x" * 8_400))


def test_a_long_question_pushes_no_column_out_of_sight(long_recall: PastRecall, page: Page) -> None:
    page.goto("/login/?next=/admin/memories/pastrecall/")
    log_in(page)
    assert fits(page)
    box = page.locator("main li.mem .meta").first.bounding_box()
    assert box
    assert page.viewport_size
    assert box["x"] + box["width"] <= page.viewport_size["width"]

    page.goto(f"/admin/memories/pastrecall/{long_recall.pk}/change/")
    assert fits(page)
    asked = page.locator("#asked").bounding_box()
    assert asked
    assert asked["y"] < page.viewport_size["height"]
    page.get_by_text("Full question").click()
    expect(page.locator("details.whole")).to_contain_text(long_recall.query)
    assert fits(page)


def test_answers_are_judged_and_a_word_is_taken_back(page: Page, complaints: list[str]) -> None:
    page.goto("/login/?next=/admin/memories/pastrecall/")
    log_in(page)
    assert fits(page)
    page.get_by_role("link", name="Where is the tea").click()
    expect(page).to_have_title("Recall · OwnSona")
    assert fits(page)

    useful = page.get_by_role("button", name="was useful")
    useful.first.click()
    expect(useful.first).to_have_attribute("aria-pressed", "true")
    # The focus returns to the match, so the next Tab reaches its link and the one after that its buttons.
    for _ in range(3):
        press(page, "Tab")
    wrong = page.get_by_role("button", name="was wrong")
    expect(wrong.first).to_be_focused()
    press(page, "Enter")
    expect(wrong.first).to_have_attribute("aria-pressed", "true")
    expect(useful.first).to_have_attribute("aria-pressed", "false")
    wrong.first.click()
    expect(wrong.first).to_have_attribute("aria-pressed", "false")

    page.get_by_label("Words or id of the memory").fill("kettle")
    press(page, "Enter")
    page.get_by_role("button", name="should have been returned").click()
    expect(page.get_by_text(MISSING)).to_be_visible()
    expect(useful.last).to_have_attribute("aria-pressed", "true")
    assert fits(page)
    page.goto("/admin/memories/pastrecall/")
    expect(page.get_by_text("1 useful")).to_be_visible()
    assert complaints == []


def test_the_frame_of_a_judged_match_is_thin_and_beside_its_text(page: Page) -> None:
    page.goto("/login/?next=/admin/memories/pastrecall/")
    log_in(page)
    page.get_by_role("link", name="Where is the tea").click()
    page.get_by_role("button", name="was wrong").first.click()
    row = page.locator("li.mem:focus")
    expect(row).to_have_css("box-shadow", "none")
    frame = row.evaluate(
        "row => { const { boxShadow, left } = getComputedStyle(row, '::before'); return [boxShadow, left]; }"
    )
    assert "0px 0px 0px 1px inset" in frame[0]
    assert float(frame[1].removesuffix("px")) <= -10
