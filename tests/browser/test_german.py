"""The pages in German fit narrow windows, although the words are longer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page
from pytest_django.live_server_helper import LiveServer

from oauthserver.models import User
from tests.browser.conftest import PASSWORD, fits, press
from tests.ownsona_site.languages.world import addresses

WIDTHS = (360, 390, 1360)
EDGES = """links => links.flatMap(each => {
    const word = document.createRange();
    word.selectNode([...each.childNodes].find(part => part.nodeType === 3 && part.textContent.trim()));
    const box = word.getBoundingClientRect();
    return [box.left, box.right];
})"""
"""The left and right edges of the words of links."""
SMALL_TEXTS = """() => {
    const all = [...document.querySelectorAll("body :not(svg, svg *, .sr, .sr *)")];
    const hasText = each => [...each.childNodes].some(part => part.nodeType === 3 && part.textContent.trim());
    const isSmall = each => each.checkVisibility() && parseFloat(getComputedStyle(each).fontSize) < 12;
    return all.filter(each => hasText(each) && isSmall(each)).map(each => each.outerHTML.slice(0, 120));
}"""


@pytest.fixture
def paths(person: User) -> list[str]:
    """The addresses of the translated pages, with something on each."""
    return addresses(person)


@pytest.fixture
def errors() -> list[str]:
    """The errors in the browser's console, such as a coordinate with a decimal comma."""
    return []


@pytest.fixture
def page(paths: list[str], errors: list[str], chromium: Browser, live_server: LiveServer) -> Iterator[Page]:
    """A page of a German browser, logged in."""
    context = chromium.new_context(base_url=live_server.url, locale="de-DE")
    window = context.new_page()
    window.set_default_timeout(30_000)
    window.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    window.goto("/login/?next=/admin/")
    window.get_by_label("Name").fill("robin")
    window.get_by_label("Passwort").fill(PASSWORD)
    window.get_by_role("button", name="Anmelden").click()
    window.get_by_role("heading", name="Übersicht").wait_for()
    yield window
    context.close()


def test_every_page_is_german_fits_and_has_no_text_smaller_than_12_pixels(
    page: Page, paths: list[str], errors: list[str]
) -> None:
    too_wide, small = [], []
    for path in paths:
        page.goto(path)
        assert page.locator("html").get_attribute("lang") == "de", path
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            if not fits(page):
                too_wide.append(f"{path} at {width}")
            small += [f"{path} at {width}: {text}" for text in page.evaluate(SMALL_TEXTS)]
    assert (too_wide, small, errors) == ([], [], [])


def test_the_number_of_rows_and_select_share_a_line_on_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    for path in ("/admin/memories/memory/?q=is:active", "/admin/memories/tagsynonym/"):
        page.goto(path)
        bar = page.locator(".listbar")
        number, select = bar.locator("p").bounding_box(), bar.get_by_text("Auswählen", exact=True).bounding_box()
        assert number is not None, path
        assert select is not None, path
        middle = select["y"] + select["height"] / 2
        assert number["y"] < middle < number["y"] + number["height"], path
        assert number["x"] + number["width"] < select["x"], path


@pytest.mark.parametrize("width", [360, 390])
def test_the_actions_on_selected_memories_are_in_one_row_on_a_phone(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    page.goto("/admin/memories/memory/?q=is:active")
    page.get_by_text("Auswählen", exact=True).click()
    page.locator(".mem > input").first.check()
    page.get_by_text("1 ausgewählt").wait_for()
    actions = page.locator(".bulk > :is(.btn:not(.ic), .menu)")
    assert len(middles(actions)) == 1
    page.goto("/admin/tags/")
    page.locator(".mem > input").first.check()
    assert len(middles(actions)) == 1


def test_words_and_buttons_stay_whole_on_the_narrowest_phone(page: Page, paths: list[str]) -> None:
    page.set_viewport_size({"width": 320, "height": 700})
    page.goto("/admin/connection-check/")
    assert page.locator(".top h1").evaluate("title => title.getBoundingClientRect().height") < 30
    page.goto(next(path for path in paths if path.endswith("edit=1")))
    for button in page.locator(".decide > .btn").all():
        text = "button => { const text = document.createRange(); text.selectNodeContents(button); return text; }"
        assert button.evaluate_handle(text).evaluate("text => text.getBoundingClientRect().height") < 30


@pytest.mark.parametrize("width", [320, 360])
def test_the_words_of_the_bar_are_legible_and_fit_a_narrow_phone(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 700})
    for path in ("/admin/memories/memory/", "/admin/account/"):
        page.goto(path)
        edges = page.locator(".nav a:visible").evaluate_all(EDGES)
        assert len(edges) == 10, path
        assert edges == sorted(edges), path
        assert edges[0] >= 0, path
        assert edges[-1] <= width, path


def middles(parts: Locator) -> set[int]:
    """Return the vertical middles of parts of a page, to 20 pixels."""
    boxes = [box for part in parts.all() if (box := part.bounding_box())]
    assert len(boxes) > 1
    return {round((box["y"] + box["height"] / 2) / 20) for box in boxes}


def test_what_scripts_say_is_german(page: Page) -> None:
    page.goto("/admin/memories/memory/")
    press(page, "j")
    press(page, "x")
    page.get_by_text("1 ausgewählt").wait_for()
    page.goto("/admin/documents/document/add/")
    page.locator("#files").set_input_files({"name": "neu.txt", "mimeType": "text/plain", "buffer": b"Neu"})
    page.get_by_text("Hinzugefügt. OwnSona liest es gerade.").wait_for()
    assert page.get_by_role("link", name="Öffnen", exact=True).count() == 1


def test_the_chosen_language_counts_more_than_that_of_the_browser(page: Page) -> None:
    page.goto("/admin/account/")
    page.get_by_label("Sprache").select_option("en")
    page.get_by_role("button", name="Speichern").click()
    page.get_by_text("Saved.").wait_for()
    assert page.locator("html").get_attribute("lang") == "en"
    page.get_by_label("Language").select_option("")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Gespeichert.").wait_for()
