"""The list of memories, with scripts."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from memories.cleanup.actions import Action, ProposedChange
from memories.cleanup.plans import propose_plan
from memories.models import Memory
from oauthserver.models import User
from tests.browser.conftest import log_in
from tests.support.factories import actor_for, infer, make_memory, quarantined

LIST = "/admin/memories/memory/"
INBOX, CLEANUP = "/admin/inbox/", "/admin/cleanup/"


@pytest.fixture
def memories(person: User) -> None:
    """Memories of the person. Stored before the browser starts, because its thread can run no query."""
    make_memory(person, "The cat is called Mimi.")
    make_memory(person, "The tram runs every ten minutes.")
    infer(quarantined(person), "Robin may like jazz.")


@pytest.fixture
def listed(memories: None, page: Page) -> Page:
    """The page with the list of memories."""
    page.goto(f"/login/?next={LIST}")
    log_in(page)
    return page


def is_phone(page: Page) -> bool:
    """Return whether the window has the width of a phone."""
    return bool(page.evaluate("innerWidth < 720"))


def test_when_the_only_match_was_forgotten_the_page_shows_what_is_left(listed: Page) -> None:
    listed.set_viewport_size({"width": 1280, "height": 900})
    listed.goto(f"{LIST}?q=tram")
    row = listed.get_by_role("listitem").filter(has_text="The tram runs every ten minutes.")
    row.hover()
    row.get_by_role("button", name="Forget").click()
    expect(listed.get_by_text("Forgotten.")).to_be_visible()
    expect(row).to_have_count(0)
    left = listed.locator("#memories .mem")
    expect(listed.locator("#memories .mem, #memories .empty").first).to_be_visible()
    total = listed.locator("[data-counts=total]")
    shown = left.all_text_contents(), total.all_text_contents()
    assert "".join(shown[1]).strip()
    listed.reload()
    assert (left.all_text_contents(), total.all_text_contents()) == shown


def test_the_editor_of_a_row_does_not_overwrite_what_another_tab_saved(listed: Page) -> None:
    # On phones, rows have no buttons.
    listed.set_viewport_size({"width": 1280, "height": 900})
    row = listed.get_by_role("listitem").filter(has_text="The cat is called Mimi.")
    row.hover()
    row.get_by_role("link", name="Edit").click()
    listed.get_by_label("Text of the memory").fill("The cat is called Momo.")
    other = listed.context.new_page()
    other.goto(row_page(listed))
    other.get_by_label("Text of the memory").fill("The cat is called Mia.")
    other.get_by_role("button", name="Save").click()
    expect(other.get_by_text("Saved.")).to_be_visible()
    listed.get_by_role("button", name="Save").click()
    expect(listed.get_by_text("This memory was changed after you opened it.")).to_be_visible()
    expect(listed.get_by_text("The cat is called Mia.", exact=True)).to_be_visible()
    expect(listed.get_by_label("Text of the memory")).to_have_value("The cat is called Momo.")
    listed.get_by_role("button", name="Save").click()
    expect(listed.get_by_text("Saved.")).to_be_visible()
    expect(listed.get_by_role("link", name="The cat is called Momo.", exact=True)).to_be_visible()


def row_page(page: Page) -> str:
    """Return the address of the page of the open editor."""
    return str(page.locator("[data-editor] form").get_attribute("action"))


def test_enter_in_the_field_for_a_tag_adds_it_to_what_is_selected(listed: Page) -> None:
    row = listed.get_by_role("listitem").filter(has_text="The cat is called Mimi.")
    if is_phone(listed):
        listed.get_by_text("Select", exact=True).click()
    row.get_by_role("checkbox").check()
    listed.locator(".bulk details.menu > summary").click()
    listed.get_by_label("Add a tag to the selected memories").fill("animals")
    listed.keyboard.press("Enter")
    expect(row.get_by_text("animals")).to_be_visible()
    tagged = Memory.objects.active().filter(tags=["animals"])
    assert [memory.text for memory in tagged] == ["The cat is called Mimi."]
    assert Memory.objects.active().count() == 2


@pytest.mark.parametrize("path", [LIST, f"{LIST}timeline/", INBOX, CLEANUP])
def test_enter_on_a_box_decides_nothing(listed: Page, person: User, path: str) -> None:
    ids = list(Memory.objects.active().values_list("pk", flat=True))
    propose_plan(actor_for(person), [ProposedChange(Action.FORGET, [each]) for each in ids])
    before = [(memory.pk, memory.updated_at) for memory in Memory.objects.order_by("pk")]
    listed.goto(path)
    if path.startswith(LIST) and is_phone(listed):
        listed.get_by_text("Select", exact=True).click()
    listed.locator("main li input[type=checkbox]").last.press("Enter")
    listed.wait_for_timeout(300)
    listed.reload()
    assert [(memory.pk, memory.updated_at) for memory in Memory.objects.order_by("pk")] == before


@pytest.mark.parametrize("width", [320, 390, 412, 430, 719, 1360])
def test_the_menu_of_a_memory_opens_inside_the_window(listed: Page, width: int) -> None:
    listed.set_viewport_size({"width": width, "height": 844})
    listed.get_by_role("link", name="The cat is called Mimi.", exact=True).click()
    for language in ("en", "de"):
        listed.set_extra_http_headers({"Accept-Language": language})
        listed.reload()
        listed.locator("details.menu > summary").last.click()
        box = listed.locator(".acts-main .menu-list").bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width


def test_forgotten_memories_are_found_on_a_phone_too(listed: Page) -> None:
    listed.set_viewport_size({"width": 390, "height": 844})
    listed.get_by_role("link", name="The cat is called Mimi.", exact=True).click()
    listed.get_by_role("button", name="Forget").click()
    expect(listed.get_by_text("Forgotten.")).to_be_visible()
    listed.goto(LIST)
    listed.get_by_text("Filter by tag, app and state").click()
    listed.locator("details.narrow").get_by_role("link", name="Forgotten").click()
    expect(listed.get_by_role("link", name="The cat is called Mimi.", exact=True)).to_be_visible()


def test_while_rows_are_selected_a_phone_selects_with_the_whole_row(listed: Page) -> None:
    listed.set_viewport_size({"width": 390, "height": 844})
    listed.get_by_text("Select", exact=True).click()
    for text in ("The cat is called Mimi.", "The tram runs every ten minutes."):
        box = listed.get_by_role("listitem").filter(has_text=text).bounding_box()
        assert box is not None
        listed.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(listed.get_by_text("2 selected")).to_be_visible()
    expect(listed).to_have_url(re.compile(f"{LIST}$"))


def test_one_memory_cannot_be_merged(listed: Page) -> None:
    if is_phone(listed):
        listed.get_by_text("Select", exact=True).click()
    boxes = listed.locator(".mem > input")
    merge = listed.get_by_role("button", name="Merge")
    boxes.nth(0).check()
    expect(merge).to_be_disabled()
    boxes.nth(1).check()
    expect(merge).to_be_enabled()


def test_the_texts_of_merged_memories_are_chosen_without_loading_the_page(listed: Page) -> None:
    if is_phone(listed):
        listed.get_by_text("Select", exact=True).click()
    for index in range(2):
        listed.locator(".mem > input").nth(index).check()
    listed.get_by_role("button", name="Merge").click()
    text = listed.get_by_label("The text that replaces them")
    expect(text).to_have_value("The tram runs every ten minutes.")
    text.evaluate("field => { field.isTheSame = true; }")
    listed.get_by_role("button", name="Use this text: The cat is called Mimi.").click()
    expect(text).to_have_value("The cat is called Mimi.")
    listed.get_by_role("button", name="Use both texts").click()
    expect(text).to_have_value(re.compile("Mimi[^$]*minutes|minutes[^$]*Mimi"))
    assert text.evaluate("field => field.isTheSame === true")


def test_what_a_script_says_can_be_closed(listed: Page) -> None:
    # On phones, rows have no buttons.
    listed.set_viewport_size({"width": 1280, "height": 800})
    row = listed.get_by_role("listitem").filter(has_text="Mimi")
    row.hover()
    row.get_by_role("button", name="Forget").click()
    toast = listed.locator(".toast")
    toast.get_by_role("button", name="Close").click()
    expect(toast).to_have_count(0)


def test_the_bar_for_selected_rows_is_one_line_on_a_narrow_phone(listed: Page) -> None:
    listed.set_viewport_size({"width": 320, "height": 700})
    listed.goto("/admin/memories/tagsynonym/")
    listed.get_by_text("Select", exact=True).click()
    listed.locator(".mem > input").first.check()
    expect(listed.get_by_text("1 selected", exact=True)).to_be_visible()
    bar = listed.get_by_role("toolbar").bounding_box()
    assert bar is not None
    assert bar["height"] <= 60
