"""Tests of the map in a browser: pointer, keys, colours, lasso with an action and undo, the table without a script."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from oauthserver.models import User
from ownsona_site.pages.memory_map.computing import compute
from tests.browser.conftest import PASSWORD, Finger, fits, log_in, press
from tests.support.factories import make_memory

HTML = "<b>Robin</b> drinks tea"
SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => { for (const shift of list.getEntries()) window.shifts.push(shift.value); })
  .observe({ type: "layout-shift", buffered: true });
"""
"""A script that records layout shifts."""


@pytest.fixture(autouse=True)
def memories(person: User) -> None:
    """Memories of `person`, which are on the map."""
    for number in range(8):
        make_memory(person, f"Robin rides bike number {number}", tags=("cycling",))
    make_memory(person, HTML, tags=("food",))
    compute(person.pk)


def open_map(page: Page) -> None:
    page.goto("/login/?next=/admin/map/")
    log_in(page)
    expect(page).to_have_title("Map · OwnSona")


def drag_around_everything(page: Page) -> None:
    box = page.locator("#plane").bounding_box()
    assert box
    # The corners of the canvas are round.
    left, top, right, bottom = box["x"] + 9, box["y"] + 9, box["x"] + box["width"] - 9, box["y"] + box["height"] - 9
    page.mouse.move(left, top)
    page.mouse.down()
    for x, y in ((right, top), (right, bottom), (left, bottom)):
        page.mouse.move(x, y, steps=4)
    page.mouse.up()


def test_the_lasso_selects_memories_for_an_action_with_undo(page: Page, complaints: list[str]) -> None:
    open_map(page)
    page.locator("#plane[data-ready]").wait_for()
    drag_around_everything(page)
    expect(page.get_by_role("heading", name="9 selected")).to_be_visible()
    expect(page.locator("#map-picked").get_by_text(HTML, exact=True)).to_be_visible()
    page.locator("#map-picked").get_by_label(f"Select: {HTML}").uncheck()
    page.locator(".bulk").get_by_text("Tag", exact=True).click()
    page.get_by_label("Add a tag to the selected memories").fill("outdoors")
    page.locator(".bulk").get_by_role("button", name="Add").click()
    expect(page.get_by_text("8 memories tagged “outdoors”.")).to_be_visible()
    expect(page).to_have_title("Map · OwnSona")
    expect(page.get_by_role("link", name="cycling, outdoors")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Undone: 8 memories.")).to_be_visible()
    assert fits(page)
    assert complaints == []


def test_where_there_is_room_a_row_of_the_table_is_one_line(page: Page) -> None:
    page.set_viewport_size({"width": 1360, "height": 900})
    open_map(page)
    table = page.locator("#map-table-rows")
    expect(table.locator(".age").first).to_have_css("white-space", "nowrap")
    assert (
        len(set(table.locator("tr").evaluate_all("(rows) => rows.map((row) => row.firstElementChild.clientHeight)")))
        <= 2
    )
    assert fits(page)


def test_the_names_of_groups_cover_neither_points_nor_each_other(page: Page) -> None:
    open_map(page)
    page.locator("#plane[data-ready]").wait_for()
    names = page.evaluate("""() => {
      const plane = new Plane(document.querySelector("#plane"));
      const names = [[500, 500, "travel, family"], [505, 500, "food, home"], [990, 990, "at the edge"],
        [100, 100, "the summer house by the lake: jetty, " + "x".repeat(30)]];
      plane.place({ ids: [1, 2, 3, 4], xs: [460, 500, 540, 990], ys: [500, 500, 500, 990], labels: names });
      return plane.labels.map((name) => ({ ...name, covered: plane.covered(name), width: plane.width }));
    }""")
    long = ["the summer house by the", "lake: jetty,", "x" * 25 + "…"]
    assert [name["lines"] for name in names] == [["travel, family"], ["food, home"], ["at the edge"], long]
    assert [name["covered"] for name in names] == [0, 0, 0, 0]
    assert all(name["half"] <= name["middle"] <= name["width"] - name["half"] for name in names)
    assert all(name["y"] >= name["tall"] for name in names)
    first, second, *_ = names
    sides = abs(first["middle"] - second["middle"]) >= first["half"] + second["half"]
    assert sides or abs(first["y"] - second["y"]) >= 18


def test_names_without_a_free_place_are_left_out_but_those_of_the_largest_groups(page: Page) -> None:
    open_map(page)
    page.locator("#plane[data-ready]").wait_for()
    few, many, close = page.evaluate("""() => {
      const plane = new Plane(document.querySelector("#plane"));
      const namesAmong = (steps, labels) => {
        const ids = Array.from({ length: steps * steps }, (_, number) => number);
        const at = (number) => 300 + (number / steps) * 400;
        const [xs, ys] = [ids.map((id) => at(id % steps)), ids.map((id) => at(Math.floor(id / steps)))];
        plane.place({ ids, xs, ys, labels });
        return plane.labels.map((label) => label.lines[0]);
      };
      const same = ["largest", "large", "third", "fourth", "small"].map((name) => [500, 500, name]);
      return [namesAmong(20, same), namesAmong(40, same), namesAmong(1, Array(30).fill([800, 800, "close"]))];
    }""")
    assert few == ["largest", "large", "third"]
    assert many[:2] == ["largest", "large"]
    assert 2 < len(close) < 30


def test_the_lasso_is_beside_the_colours_on_a_german_phone(chromium: Browser, live_server: LiveServer) -> None:
    for width in (360, 390):
        context = chromium.new_context(
            base_url=live_server.url, locale="de-DE", viewport={"width": width, "height": 844}
        )
        page = context.new_page()
        page.goto("/login/?next=/admin/map/")
        page.get_by_label("Name").fill("robin")
        page.get_by_label("Passwort").fill(PASSWORD)
        page.get_by_role("button", name="Anmelden").click()
        colours = page.locator(".colourby .chip").last.bounding_box()
        lasso = page.locator("#lasso").bounding_box()
        assert colours is not None
        assert lasso is not None
        assert abs(colours["y"] + colours["height"] - lasso["y"] - lasso["height"]) < 6
        context.close()


def test_a_pointer_shows_a_memory_and_opens_it(page: Page) -> None:
    open_map(page)
    page.locator("#plane[data-ready]").wait_for()
    box = page.locator("#plane").bounding_box()
    assert box
    # A point at the edge of the map in each direction: here the one that is farthest left.
    page.mouse.move(box["x"] + 1, box["y"] + 1)
    for y in range(4, int(box["height"]), 10):
        page.mouse.move(box["x"] + 23, box["y"] + y)
        if page.locator("#map-tip").is_visible():
            break
    expect(page.locator("#map-tip")).to_contain_text("Robin")
    page.mouse.down()
    page.mouse.up()
    page.wait_for_url("**/change/")


def test_keys_move_select_and_open(page: Page) -> None:
    open_map(page)
    page.locator("#plane[data-ready]").wait_for()
    page.get_by_role("button", name="Lasso").focus()
    press(page, "Tab")
    expect(page.locator("#map-said")).to_contain_text("Robin")
    first = page.locator("#map-said").text_content()
    for key in ("ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"):
        press(page, key)
        if page.locator("#map-said").text_content() != first:
            break
    expect(page.locator("#map-said")).not_to_have_text(first or "")
    press(page, " ")
    expect(page.get_by_role("heading", name="1 selected")).to_be_visible()
    press(page, "Escape")
    expect(page.get_by_role("heading", name="Nothing selected")).to_be_visible()
    press(page, "Enter")
    page.wait_for_url("**/change/")


def test_colours_have_legends_that_highlight(page: Page) -> None:
    open_map(page)
    page.locator("#plane[data-ready]").wait_for()
    page.get_by_role("button", name="food 1").click()
    expect(page.get_by_role("button", name="food 1")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="age", exact=True).click()
    expect(page.get_by_role("button", name="Last 7 days 9")).to_be_visible()
    expect(page.get_by_role("button", name="food 1")).to_be_hidden()


def test_the_table_works_without_javascript(chromium: Browser, live_server: LiveServer) -> None:
    context = chromium.new_context(base_url=live_server.url, java_script_enabled=False)
    page = context.new_page()
    open_map(page)
    page.get_by_role("row", name="cycling").get_by_role("link").click()
    page.get_by_label(f"Select: {HTML}").check()
    page.locator(".bulk").get_by_role("button", name="Forget").click()
    expect(page.get_by_text("Forgotten.")).to_be_visible()
    expect(page.get_by_text(HTML)).to_have_count(0)
    context.close()


def test_a_finger_reads_a_point_draws_the_lasso_and_still_scrolls(chromium: Browser, live_server: LiveServer) -> None:
    context = chromium.new_context(base_url=live_server.url, viewport={"width": 390, "height": 844}, has_touch=True)
    page = context.new_page()
    open_map(page)
    page.locator("#plane[data-ready]").wait_for()
    box = page.locator("#plane").bounding_box()
    assert box
    swipe = [(box["x"] + 20, box["y"] + 20), (box["x"] + 20, box["y"] + 60), (box["x"] + 20, box["y"] + 120)]
    Finger(page).move(*swipe).lift()
    expect(page.get_by_role("heading", name="Nothing selected")).to_be_visible()
    page.get_by_role("button", name="Lasso").tap()
    right, bottom = box["x"] + box["width"] - 9, box["y"] + box["height"] - 9
    left, top = box["x"] + 9, box["y"] + 9
    Finger(page).move((left, top), (right, top), (right, bottom), (left, bottom)).lift()
    expect(page.get_by_role("heading", name="9 selected")).to_be_visible()
    context.close()


@pytest.fixture
def books(person: User) -> None:
    """More memories than the page lists, on the map."""
    for number in range(110):
        make_memory(person, f"Robin reads book number {number}", tags=("books",))
    compute(person.pk)


def test_more_memories_than_are_listed_are_changed_together(books: None, page: Page) -> None:
    open_map(page)
    page.locator("#plane[data-ready]").wait_for()
    drag_around_everything(page)
    expect(page.get_by_role("heading", name="119 selected")).to_be_visible()
    expect(page.get_by_text("The first 100 are listed.")).to_be_visible()
    assert page.locator("#map-picked li").count() == 100
    expect(page.locator(".bulk").get_by_text("119 selected")).to_be_visible()
    page.locator(".bulk").get_by_role("button", name="Still true").click()
    expect(page.get_by_text("119 memories")).to_be_visible()


def test_nothing_moves_while_the_map_loads(page: Page) -> None:
    page.add_init_script(SHIFTS)
    open_map(page)
    page.locator("#plane[data-ready]").wait_for()
    page.wait_for_load_state("networkidle")
    # Less is the rounding of a pixel.
    assert sum(page.evaluate("() => window.shifts")) < 0.001
