"""The owner's pages and the public pages meet WCAG 2.2 AA as far as axe-core can tell, and fit every width."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

import pytest
from playwright.sync_api import Browser, Page
from pytest_django.live_server_helper import LiveServer

from memories.cleanup.actions import Action, ProposedChange
from memories.cleanup.plans import propose_plan
from oauthserver.models import Connection, User
from tests.browser.conftest import fits, log_in
from tests.support.factories import infer, make_access_token, make_app, make_memory, owner_actor, quarantined

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
RUN = """async () => {
    const result = await axe.run({runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]});
    return result.violations.map(each => `${each.id}: ${each.nodes.map(node => node.html.slice(0, 160)).join(" | ")}`);
}"""
WIDTHS = (360, 768, 1360, 2560)
PAGES = (
    "/admin/",
    "/admin/memories/memory/",
    "/admin/memories/memory/?q=cat",
    "/admin/memories/memory/?q=is:nonsense",
    "/admin/memories/memory/timeline/",
    "/admin/memories/memory/{memory}/change/",
    "/admin/memories/memory/{memory}/edit/",
    "/admin/account/",
    "/admin/add/",
    "/admin/go/",
    "/admin/oauthserver/connection/",
    "/admin/oauthserver/connection/{connection}/change/",
    "/admin/oauthserver/personaltoken/",
    "/admin/memories/journalentry/",
    "/admin/undo/",
    "/admin/undo/?app=tests&period=all",
    "/admin/review/",
    "/admin/inbox/",
    "/admin/cleanup/",
    "/admin/memories/memory/forget/?ids={memory}",
    "/admin/ask/",
    "/admin/ask/?q=cat",
    "/admin/documents/document/",
    "/admin/documents/document/add/",
    "/admin/documents/source/",
    "/admin/documents/source/add/",
    "/admin/documents/source/add/?kind=git",
    "/admin/backups/",
    "/",
    "/login/",
)


@pytest.fixture
def memory_id(person: User) -> int:
    """The id of a memory with a history. There are an app and an inference, too."""
    app = make_app("Claude")
    make_access_token(person, app=app)
    infer(quarantined(person, client=app.client_id), "Robin may like jazz.")
    make_memory(person, "A long memory " + "about the garden and everything in it. " * 20, tags=("garden",))
    return make_memory(person, "The cat is called Mimi.", tags=("pets", "home")).pk


@pytest.fixture
def paths(person: User, memory_id: int) -> list[str]:
    """The addresses of the pages."""
    propose_plan(owner_actor(person), [ProposedChange(Action.FORGET, [memory_id])], "The cat has moved out.")
    connection = Connection.objects.get(user=person)
    return [path.format(memory=memory_id, connection=connection.pk) for path in PAGES]


@pytest.fixture(params=["light", "dark"])
def page(
    request: pytest.FixtureRequest, paths: list[str], chromium: Browser, live_server: LiveServer
) -> Iterator[Page]:
    context = chromium.new_context(base_url=live_server.url, color_scheme=request.param)
    window = context.new_page()
    window.set_default_timeout(15_000)
    window.goto("/login/?next=/admin/")
    log_in(window)
    yield window
    context.close()


def test_no_page_has_a_violation_in_light_or_dark(page: Page, paths: list[str]) -> None:
    found: dict[str, list[str]] = {}
    for path in paths:
        for width in (390, 1360):
            page.set_viewport_size({"width": width, "height": 900})
            page.goto(path)
            page.evaluate(AXE)
            if violations := page.evaluate(RUN):
                found[f"{path} {width}"] = violations
    assert found == {}


def test_every_page_fits_every_width(page: Page, paths: list[str]) -> None:
    for path in paths:
        page.goto(path)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            assert fits(page), f"{path} at {width}"


def test_the_memories_are_read_changed_and_forgotten_by_keyboard(page: Page) -> None:
    page.set_viewport_size({"width": 1360, "height": 900})
    page.goto("/admin/memories/memory/")
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.textContent") == "The cat is called Mimi."
    page.keyboard.press("e")
    page.get_by_label("Text of the memory").fill("The cat is called Momo.")
    page.keyboard.press("Control+Enter")
    page.get_by_text("Saved.").wait_for()
    assert page.evaluate("document.activeElement.textContent") == "The cat is called Momo."
    page.keyboard.press("x")
    page.get_by_text("1 selected").wait_for()
    page.keyboard.press("x")
    page.keyboard.press("f")
    page.get_by_text("Forgotten.").wait_for()
    assert page.get_by_text("The cat is called Momo.").count() == 0
    page.keyboard.press("z")
    page.get_by_text("Undone: 1 memory.").wait_for()
    assert page.get_by_role("link", name="The cat is called Momo.", exact=True).count() == 1
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "q"


def test_the_palette_and_the_sheet_open_by_key_and_have_no_violation(page: Page) -> None:
    page.goto("/admin/")
    page.keyboard.press("Control+k")
    page.get_by_role("dialog").get_by_role("searchbox").fill("timel")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.textContent").startswith("Timeline")
    page.evaluate(AXE)
    assert page.evaluate(RUN) == []
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    page.get_by_label("What should your apps know?").fill("The dog is called Rex.")
    page.evaluate(AXE)
    assert page.evaluate(RUN) == []
    page.keyboard.press("Control+Enter")
    page.get_by_text("Remembered.").wait_for()
    assert page.get_by_role("link", name="The dog is called Rex.").count() == 1
