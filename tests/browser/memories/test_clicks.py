"""Common tasks take few clicks. Each `Clicks.on` is one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from memories.drafts import Draft
from memories.writing.remembering import RememberRequest, remember
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import User
from tests.browser.conftest import log_in, press
from tests.support.factories import actor_for, make_memory, owner_actor


class Clicks:
    """A count of clicks."""

    def __init__(self) -> None:
        self.count = 0

    def on(self, target: Locator) -> None:
        """Click on `target`."""
        target.click()
        self.count += 1


@pytest.fixture
def memories(person: User) -> None:
    """Memories of the person. Stored before the browser starts, because its thread can run no query."""
    make_memory(person, "The cat is called Mimi.")
    make_memory(person, "The tram runs every ten minutes.")


@pytest.fixture(params=[390, 1360])
def page(request: pytest.FixtureRequest, memories: None, chromium: Browser, live_server: LiveServer) -> Iterator[Page]:
    context = chromium.new_context(base_url=live_server.url, viewport={"width": request.param, "height": 900})
    window = context.new_page()
    window.set_default_timeout(30_000)
    window.goto("/login/?next=/admin/")
    log_in(window)
    yield window
    context.close()


def test_a_wrong_memory_is_found_and_fixed_with_four_clicks(page: Page) -> None:
    clicks = Clicks()
    clicks.on(page.get_by_role("link", name="Memories", exact=True))
    page.get_by_role("searchbox").first.fill("tram")
    press(page, "Enter")
    clicks.on(page.get_by_role("link", name="The tram runs every ten minutes.", exact=True))
    clicks.on(page.get_by_role("link", name="Edit", exact=False).first)
    page.get_by_label("Text of the memory").fill("The tram runs every five minutes.")
    clicks.on(page.get_by_role("button", name="Save"))
    expect(page.get_by_role("heading", name="The tram runs every five minutes.")).to_be_visible()
    assert clicks.count <= 4


def test_forgetting_with_the_key_changes_the_numbers_of_the_list(page: Page) -> None:
    page.goto("/admin/memories/memory/")
    page.get_by_role("link", name="The tram runs every ten minutes.", exact=True).focus()
    press(page, "f")
    expect(page.get_by_text("1 memory", exact=True)).to_be_visible()
    expect(page.locator("aside.facets a", has_text="Active 1")).to_have_count(1)
    expect(page.locator("aside.facets a", has_text="Forgotten 1")).to_have_count(1)


def test_a_selected_row_shows_the_focus_on_all_sides(page: Page) -> None:
    page.goto("/admin/memories/memory/")
    press(page, "j")
    press(page, "x")
    ring = page.evaluate("""() => {
      const row = document.activeElement.closest("li");
      const [whole, style] = [row.getBoundingClientRect(), getComputedStyle(row, "::before")];
      return [style.boxShadow, row.querySelector("input").checked, parseFloat(style.width) >= whole.width];
    }""")
    assert "inset" in ring[0]
    assert ring[1:] == [True, True]


def test_with_a_selection_the_key_forgets_what_is_selected_and_not_the_focused_row(page: Page) -> None:
    page.goto("/admin/memories/memory/")
    page.get_by_role("link", name="The cat is called Mimi.", exact=True).focus()
    press(page, "x")
    page.get_by_role("link", name="The tram runs every ten minutes.", exact=True).focus()
    press(page, "f")
    expect(page.get_by_text("1 memory", exact=True)).to_be_visible()
    expect(page.get_by_role("link", name="The tram runs every ten minutes.", exact=True)).to_be_visible()
    expect(page.locator(".list").get_by_text("The cat is called Mimi.")).to_have_count(0)


def test_a_memory_is_forgotten_and_back_with_three_clicks(page: Page) -> None:
    clicks = Clicks()
    clicks.on(page.get_by_role("link", name="The cat is called Mimi.", exact=True))
    clicks.on(page.get_by_role("button", name="Forget", exact=False).first)
    clicks.on(page.get_by_role("button", name="Undo"))
    expect(page.get_by_role("button", name="Forget", exact=False).first).to_be_visible()
    assert clicks.count <= 3


def test_an_undo_has_its_button_only_once_it_would_change_something(
    person: User, chromium: Browser, live_server: LiveServer
) -> None:
    actor = actor_for(person)
    memory = remember(actor, RememberRequest(Draft("The cat is called Mimi.")))
    update_memory(owner_actor(person), memory.memory_id, MemoryUpdate(text="The cat is called Momo."))
    window = chromium.new_context(base_url=live_server.url).new_page()
    window.goto(f"/login/?next=/admin/undo/%3Fchange_set%3D{actor.change_set}")
    log_in(window)
    hint, button = (
        window.get_by_text("Nothing would change yet."),
        window.get_by_role("button", name="Undo", exact=True),
    )
    expect(hint).to_be_visible()
    expect(button).to_be_hidden()
    window.get_by_text("Undo the later changes, too").click()
    expect(button).to_be_visible()
    expect(hint).to_be_hidden()
