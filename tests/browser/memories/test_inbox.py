"""A browser goes through the review and the inbox, by keyboard and by button."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from oauthserver.models import User
from tests.browser.conftest import Finger, fits, log_in, press
from tests.support.factories import infer, make_app, make_memory, quarantined

COUNT = 10


@pytest.fixture(autouse=True)
def guesses(person: User) -> None:
    """Memories of `person` that an app has inferred."""
    client = make_app("Notebook").client_id
    make_memory(person, "Robin is a vegetarian.")
    for number in range(COUNT):
        infer(quarantined(person, client=client), f"Robin likes song number {number}", tags=("travel", "habits"))


def test_ten_inferences_are_kept_with_ten_keys(page: Page, complaints: list[str]) -> None:
    page.goto("/login/?next=/admin/review/")
    log_in(page)
    for number in range(COUNT):
        expect(page.get_by_text(f"{number + 1} of {COUNT}", exact=True)).to_be_visible()
        assert fits(page)
        press(page, "k")
    expect(page.get_by_text("Nothing to decide")).to_be_visible()
    assert complaints == []


@pytest.fixture
def phone(chromium: Browser, live_server: LiveServer) -> Page:
    """The review on a phone."""
    context = chromium.new_context(base_url=live_server.url, viewport={"width": 390, "height": 844}, has_touch=True)
    page = context.new_page()
    page.goto("/login/?next=/admin/review/")
    log_in(page)
    return page


@pytest.mark.parametrize(("end", "decision", "said"), [(360, "Keep", "Kept"), (30, "Forget", "Forgotten: ")])
def test_a_card_follows_the_finger_and_says_what_letting_go_does(
    phone: Page, end: int, decision: str, said: str
) -> None:
    card, finger = phone.locator(".deck > .card"), Finger(phone)
    at_rest = card.bounding_box()
    finger.move((195, 300), ((195 + end) / 2, 300))
    assert card.bounding_box() != at_rest
    expect(card).to_have_attribute("data-decision", "")
    finger.lift()
    assert card.bounding_box() == at_rest
    finger.move((195, 300), (end, 304))
    expect(card).to_have_attribute("data-decision", decision)
    assert fits(phone)
    finger.lift()
    expect(phone.get_by_text(said).first).to_be_visible()


def test_scrolling_with_a_finger_decides_nothing(phone: Page) -> None:
    finger = Finger(phone).move((195, 500), (320, 300))
    expect(phone.locator(".deck > .card")).not_to_have_attribute("data-moved", "")
    finger.lift()
    expect(phone.get_by_text(f"1 of {COUNT}", exact=True)).to_be_visible()


def test_a_card_is_edited_put_off_and_forgotten_and_that_is_undone(page: Page, complaints: list[str]) -> None:
    page.goto("/login/?next=/admin/review/")
    log_in(page)
    expect(page.get_by_role("heading", name="song number 9")).to_be_visible()
    press(page, "e")
    page.get_by_label("Correct it").fill("Robin plays the piano.")
    page.get_by_role("button", name="Save and keep").click()
    expect(page.get_by_text("Changed and kept.")).to_be_visible()
    press(page, "l")
    expect(page.get_by_role("heading", name="song number 7")).to_be_visible()
    press(page, "f")
    expect(page.get_by_text("Forgotten: ")).to_be_visible()
    press(page, "z")
    expect(page.get_by_text("Undone: 1 memory.")).to_be_visible()
    assert complaints == []


def test_the_inbox_lists_all_at_once(page: Page, complaints: list[str]) -> None:
    page.goto("/login/?next=/admin/inbox/")
    log_in(page)
    expect(page.locator("main li.mem")).to_have_count(COUNT)
    assert fits(page)
    page.locator("main li.mem").first.get_by_role("button", name="Keep").click()
    expect(page.get_by_text("One memory kept.")).to_be_visible()
    expect(page.get_by_role("button", name="Keep selected")).to_be_hidden()
    page.get_by_role("checkbox", name="song number 1").check()
    page.get_by_role("checkbox", name="song number 0").check()
    expect(page.get_by_text("2 selected", exact=True)).to_be_visible()
    page.get_by_role("checkbox", name="song number 1").uncheck()
    expect(page.get_by_text("1 selected", exact=True)).to_be_visible()
    page.get_by_role("button", name="Forget selected").click()
    page.get_by_label("Reason").fill("It is an awful song.")
    page.get_by_role("button", name="Forget", exact=True).click()
    expect(page.locator("main li.mem")).to_have_count(COUNT - 2)
    assert complaints == []
