"""The owner's pages and the public pages meet WCAG 2.2 AA as far as axe-core can tell, and fit every width."""

from __future__ import annotations

from datetime import timedelta
from importlib.resources import files
from itertools import product
from typing import Literal

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, ConsoleMessage, Page, Route, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from customtools.models import AllowedHost, ToolLogLine, ToolSecret
from customtools.storing import ToolDraft, add_tool
from mcpapi.admin.custom_tools.examples import LUA
from mcpapi.models import Approval, AuditLine, OwnPrompt
from memories.access import View
from memories.cleanup.actions import Action, ProposedChange
from memories.cleanup.plans import propose_plan
from memories.models import CleanupFinding, Memory, TagSynonym
from memories.recall.pipeline import Query
from oauthserver.models import Budget, Connection, User
from ownsona_site.pages.memory_map.computing import compute
from tests.browser.conftest import fits, log_in, press
from tests.support.factories import infer, make_access_token, make_app, make_memory, owner_actor, quarantined
from tests.support.recalls import ask
from tests.workflows.support import make_workflow
from workflows.models import Run, RunStep

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
RUN = """async (only) => {
    const result = await axe.run({runOnly: only, resultTypes: ["violations"], selectors: false, preload: false});
    return result.violations.map(each => `${each.id}: ${each.nodes.map(node => node.html.slice(0, 160)).join(" | ")}`);
}"""
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
COLORS = {"type": "rule", "values": ["color-contrast"]}
"""The only rule of axe-core whose result depends on the colours, so the only one to check again in the dark."""
WIDTHS = (360, 768, 1360, 2560)
CHECKED_WIDTHS = (360, 1360)
"""Those at which axe-core checks the pages."""
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
PARTS = 3
"""Number of tests among which the pages are divided, so that several processes share them."""

PAGES = (
    "/admin/",
    "/admin/memories/memory/",
    "/admin/memories/memory/?q=cat",
    "/admin/memories/memory/?q=is:nonsense",
    "/admin/memories/memory/timeline/",
    "/admin/memories/memory/{memory}/change/",
    "/admin/memories/memory/{memory}/edit/",
    "/admin/memories/memory/merge/?id={memory}&id={other}",
    "/admin/account/",
    "/admin/add/",
    "/admin/map/",
    "/admin/map/?group=0",
    "/admin/go/",
    "/admin/keys/",
    "/admin/oauthserver/connection/",
    "/admin/oauthserver/connection/{connection}/change/",
    "/admin/oauthserver/personaltoken/",
    "/admin/memories/journalentry/",
    "/admin/undo/",
    "/admin/undo/?app=tests&period=all",
    "/admin/review/?show=f{finding}",
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
    "/admin/briefing/",
    "/admin/secrets/",
    "/admin/backups/",
    "/admin/memories/memory/add/",
    "/admin/memories/memory/{memory}/change/?fields=all",
    "/admin/memories/memory/{memory}/delete/",
    "/admin/memories/pastrecall/",
    "/admin/memories/pastrecall/?verdict=useful",
    "/admin/memories/pastrecall/{recall}/change/?look=cat",
    "/admin/memories/pastrecall/{recall}/delete/",
    "/admin/memories/tagsynonym/",
    "/admin/memories/tagsynonym/add/",
    "/admin/memories/tagsynonym/{synonym}/change/",
    "/admin/tags/",
    "/admin/mcpapi/approval/",
    "/admin/mcpapi/approval/{approval}/change/",
    "/admin/mcpapi/auditline/",
    "/admin/mcpapi/auditline/?result=failed",
    "/admin/mcpapi/auditline/{call}/change/",
    "/admin/mcpapi/ownprompt/",
    "/admin/mcpapi/ownprompt/add/",
    "/admin/mcpapi/ownprompt/{prompt}/change/",
    "/admin/mcpapi/ownprompt/{prompt}/delete/",
    "/admin/mcpapi/session/",
    "/admin/oauthserver/budget/",
    "/admin/oauthserver/budget/add/",
    "/admin/oauthserver/budget/{budget}/change/",
    "/admin/oauthserver/personaltoken/add/",
    "/admin/oauthserver/externalidentity/",
    "/admin/oauthserver/application/",
    "/admin/custom-tools/",
    "/admin/custom-tools/add/",
    "/admin/custom-tools/add/?kind=http",
    "/admin/custom-tools/{tool}/",
    "/admin/customtools/allowedhost/",
    "/admin/customtools/allowedhost/add/",
    "/admin/customtools/allowedhost/{host}/change/",
    "/admin/customtools/toolsecret/",
    "/admin/customtools/toolsecret/add/",
    "/admin/customtools/toollogline/",
    "/admin/customtools/toollogline/{log}/change/",
    "/admin/agents/",
    "/admin/agents/add/",
    "/admin/agents/import/",
    "/admin/agents/agent/librarian/",
    "/admin/workflows/",
    "/admin/workflows/add/",
    "/admin/workflows/workflow/store/",
    "/admin/workflows/workflow/store/change/",
    "/admin/workflows/workflow/store/delete/",
    "/admin/workflows/run/{run}/",
    "/admin/procrastinate/procrastinatejob/?status=all",
    "/admin/models/",
    "/admin/import/",
    "/admin/connection-check/",
    "/admin/password_change/",
    "/admin/two-step-login/",
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
def row_ids(person: User, memory_id: int, settings: Settings) -> dict[str, object]:
    """The ids of rows that pages show, by the names in PAGES."""
    settings.AUDIT_QUERIES = True
    now, app = timezone.now(), {"client_name": "Claude"}
    make_workflow(person)
    run = Run.objects.create(owner=person, workflow="store", version=1, permission="", state="failed", **app)
    RunStep.objects.create(run=run, path="first", tool="remember", state="failed", message="It is too long.")
    common = {"owner": person, **app}
    AuditLine.objects.create(
        **common, at=now, client_id="x", session="", protocol_version="2025-11-25", method="tools/call",
        tool="recall", memory_ids=[memory_id], memory_count=1, result="rate_limited", milliseconds=9, query="the cat",
    )  # fmt: skip
    call = {"permission": "", "tool": "forget_batch", "risk": "bulk", "memory_ids": [memory_id], "digest": b"x"}
    make_recall = ask(View.whole(person.pk), Query("What is the cat called?"))
    Approval.objects.create(
        **common, **call, summary="Forget 3 memories", reason="Why not?", expires_at=now + timedelta(hours=1)
    )
    decided = Approval.objects.create(**common, **call, summary="Export", state="rejected", expires_at=now)
    tool = add_tool(person.pk, ToolDraft("lua", LUA, True, 0))
    log = ToolLogLine.objects.create(**common, tool="days_until", at=now, level="error", text="No such date")
    host = AllowedHost.objects.create(owner=person, origin="https://api.example.com")
    ToolSecret.objects.create(owner=person, name="home_token", encrypted_value="x")
    text = [{"role": "user", "text": "Write."}]
    prompt = OwnPrompt.objects.create(owner=person, name="letter", description="Writes a letter.", messages=text)
    synonym = TagSynonym.objects.create(owner=person, variant="kitty", canonical="pets")
    budget = Budget.objects.create(user=person, measure="calls", period="day", limit=10)
    rows = {"run": run, "recall": make_recall, "approval": decided, "tool": tool, "log": log, "host": host}
    rows |= {"prompt": prompt, "synonym": synonym, "budget": budget, "call": AuditLine.objects.get()}
    return {name: row.pk for name, row in rows.items()}


@pytest.fixture
def paths(person: User, memory_id: int, row_ids: dict[str, object]) -> list[str]:
    """The addresses of the pages."""
    propose_plan(owner_actor(person), [ProposedChange(Action.FORGET, [memory_id])], "The cat has moved out.")
    connection = Connection.objects.get(user=person)
    for number in range(5):
        make_memory(person, f"An old memory number {number}", created_at=timezone.now() - timedelta(days=99))
    compute(person.pk)
    other = Memory.objects.filter(owner=person, text__startswith="A long memory").get()
    finding = CleanupFinding.objects.create(
        owner=person, kind="contradiction", key=b"key", memory_ids=[memory_id, other.pk],
        details={"kept_id": other.pk}, reason="Both are about the cat.", strength=1.0,
    )  # fmt: skip
    ids = {"finding": finding.pk, "memory": memory_id, "other": other.pk, "connection": connection.pk, **row_ids}
    return [path.format(**ids) for path in PAGES]


@pytest.fixture
def problems() -> list[str]:
    """The errors and warnings in the browser's console, such as refusals of the content security policy."""
    return []


@pytest.fixture
def window(paths: list[str], problems: list[str], chromium: Browser, live_server: LiveServer) -> Page:
    """A page in which `person` is logged in."""
    window = chromium.new_context(base_url=live_server.url).new_page()

    def heed(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            problems.append(f"{window.url}: {message.text}")

    window.on("console", heed)
    window.on("pageerror", lambda error: problems.append(f"{window.url}: {error}"))
    window.set_default_timeout(30_000)
    window.goto("/login/?next=/admin/")
    log_in(window)
    return window


@pytest.fixture
def page(window: Page) -> Page:
    """A page in the width of a desktop."""
    window.set_viewport_size({"width": 1360, "height": 900})
    return window


def assert_no_violations(page: Page) -> None:
    """Check the page as it is displayed now, in light and dark."""
    page.evaluate(AXE)
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        assert violations_of(page, WCAG if scheme == "light" else COLORS) == []


def violations_of(page: Page, rules: object = WCAG) -> list[str]:
    """Return the violations that axe-core finds on the page, into which it has been loaded."""
    return list(page.evaluate(RUN, rules))


@pytest.mark.parametrize("part", range(PARTS))
def test_every_page_fits_every_width_without_a_violation_in_light_or_dark_and_runs_undisturbed(
    window: Page, paths: list[str], problems: list[str], part: int
) -> None:
    found: dict[str, list[str]] = {}
    for path in paths[part::PARTS]:
        window.goto(path)
        window.evaluate(AXE)
        for width, scheme in product(WIDTHS, SCHEMES):
            window.set_viewport_size({"width": width, "height": 900})
            window.emulate_media(color_scheme=scheme)
            assert fits(window), f"{path} at {width} in {scheme}"
            if width in CHECKED_WIDTHS and (violations := violations_of(window, WCAG if scheme == "light" else COLORS)):
                found[f"{path} {width} {scheme}"] = violations
    assert (found, problems) == ({}, [])


def test_the_memories_are_read_changed_and_forgotten_by_keyboard(page: Page) -> None:
    page.set_viewport_size({"width": 1360, "height": 900})
    page.goto("/admin/memories/memory/")
    press(page, "j")
    assert page.evaluate("document.activeElement.textContent") == "The cat is called Mimi."
    press(page, "e")
    page.get_by_label("Text of the memory").fill("The cat is called Momo.")
    press(page, "Control+Enter")
    page.get_by_text("Saved.").wait_for()
    assert page.evaluate("document.activeElement.textContent") == "The cat is called Momo."
    press(page, "x")
    page.get_by_text("1 selected").wait_for()
    press(page, "x")
    press(page, "f")
    page.get_by_text("Forgotten.").wait_for()
    assert page.get_by_text("The cat is called Momo.").count() == 0
    press(page, "z")
    page.get_by_text("Undone: 1 memory.").wait_for()
    assert page.get_by_role("link", name="The cat is called Momo.", exact=True).count() == 1
    press(page, "/")
    assert page.evaluate("document.activeElement.id") == "q"


def test_a_page_of_a_text_is_saved_by_key_and_the_cursor_is_behind_the_text(page: Page) -> None:
    page.goto("/admin/memories/memory/")
    page.get_by_role("link", name="The cat is called Mimi.", exact=True).click()
    press(page, "e")
    expect(page.get_by_label("Text of the memory")).to_be_focused()
    page.keyboard.type(" She is grey.")
    press(page, "Control+Enter")
    page.get_by_text("Saved.").wait_for()
    assert page.get_by_role("heading", name="The cat is called Mimi. She is grey.").count() == 1


def test_the_palette_and_the_sheet_open_by_key_and_have_no_violation(page: Page) -> None:
    page.goto("/admin/")
    press(page, "Control+k")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("searchbox").fill("timel")
    press(page, "ArrowDown")
    assert page.evaluate("document.activeElement.textContent").startswith("Search your memories for “timel”")
    press(page, "ArrowDown")
    assert page.evaluate("document.activeElement.textContent").startswith("Timeline")
    assert_no_violations(page)
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_be_hidden()
    press(page, "n")
    page.get_by_label("What should your apps know?").fill("The dog is called Rex.")
    assert_no_violations(page)
    press(page, "Control+Enter")
    page.get_by_text("Remembered.").wait_for()
    assert page.get_by_role("link", name="The dog is called Rex.").count() == 1


def test_one_escape_closes_the_palette_also_with_text(page: Page) -> None:
    page.goto("/admin/")
    for typed in ("", "timel"):
        press(page, "Control+k")
        page.locator("#go-q").fill(typed)
        press(page, "Escape")
        expect(page.get_by_role("dialog")).to_be_hidden()


def test_what_was_typed_into_the_sheet_is_there_again_after_it_was_closed_unless_it_was_cancelled(page: Page) -> None:
    page.goto("/admin/")
    text = page.get_by_label("What should your apps know?")
    press(page, "n")
    text.fill("The dog is called Rex.")
    press(page, "Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    press(page, "n")
    expect(text).to_have_value("The dog is called Rex.")
    press(page, "Control+k")
    expect(page.locator("#go-q")).to_be_focused()
    press(page, "Escape")
    press(page, "n")
    expect(text).to_have_value("The dog is called Rex.")
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    press(page, "n")
    expect(text).to_have_value("")


def test_the_dialog_that_was_asked_for_last_is_shown_even_if_another_one_arrives_later(page: Page) -> None:
    page.goto("/admin/")
    late: list[Route] = []
    page.route("**/admin/add/**", lambda route: late.append(route))  # noqa: PLW0108 - the original has no signature
    with page.expect_request("**/admin/add/**"):
        press(page, "n")
    press(page, "Control+k")
    expect(page.locator("#go-q")).to_be_focused()
    with page.expect_response("**/admin/add/**"):
        late[0].continue_()
    page.wait_for_timeout(200)
    expect(page.locator("#go-q")).to_be_focused()


@pytest.mark.parametrize("path", ["/admin/", "/admin/go/"])
def test_the_palette_searches_for_what_no_page_is_called(page: Page, path: str) -> None:
    page.goto(path)
    if path == "/admin/":
        press(page, "Control+k")
    page.locator("#go-q").fill("$& Momo?")
    expect(page.locator("[data-choices] li:visible")).to_have_count(1)
    page.get_by_role("link", name="Search your memories for “$& Momo?”").click()
    page.wait_for_url("**/admin/memories/memory/?q=*")
    expect(page.locator("#q")).to_have_value("$& Momo?")


def test_the_palette_finds_memories_by_their_words(page: Page) -> None:
    page.goto("/admin/")
    press(page, "Control+k")
    page.locator("#go-q").fill("mimi")
    found = page.locator("[data-match] a")
    expect(found.first).to_contain_text("The cat is called Mimi")
    assert_no_violations(page)
    page.locator("#go-q").fill("mimix")
    expect(found).to_have_count(0)
    page.locator("#go-q").fill("mimi")
    expect(found).not_to_have_count(0)
    press(page, "ArrowDown")
    press(page, "ArrowDown")
    expect(found.first).to_be_focused()
    press(page, "Enter")
    expect(page.get_by_role("heading", name="The cat is called Mimi.")).to_be_visible()


@pytest.mark.parametrize("path", ["memories/memory/", "review/", "account/", "memories/memory/?q=tag%3Apets", ""])
def test_the_first_tab_reaches_the_link_to_the_content(page: Page, path: str) -> None:
    for width in (1360, 390):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(f"/admin/{path}")
        press(page, "Tab")
        expect(page.get_by_role("link", name="Skip to content")).to_be_focused()


def test_a_page_is_readable_at_a_zoom_of_200_percent_on_a_phone(page: Page, paths: list[str]) -> None:
    page.set_viewport_size({"width": 195, "height": 422})
    wide = []
    for path in (
        "/admin/",
        "/admin/review/",
        "/admin/cleanup/",
        "/admin/backups/",
        "/admin/custom-tools/",
        "/admin/connection-check/",
    ):
        page.goto(path)
        if not fits(page):
            wide.append(path)
        title = page.locator(".top h1")
        assert title.evaluate("title => title.getBoundingClientRect().height") < 70, path
    assert wide == []


def test_a_focused_box_is_square(page: Page) -> None:
    page.set_viewport_size({"width": 1360, "height": 900})
    page.goto("/admin/memories/memory/")
    press(page, "Tab")
    box = page.locator(".mem > input[type=checkbox]").first
    box.focus()
    shape = box.evaluate("box => [getComputedStyle(box).borderRadius, getComputedStyle(box).boxShadow]")
    # The ring is 4 pixels wider than the box, and rounds its corners by as much.
    assert shape[0] == "4px"
    assert "0px 0px 0px 4px" in shape[1]


def test_filters_open_and_rows_are_selected_by_keyboard(page: Page) -> None:
    page.set_viewport_size({"width": 1360, "height": 900})
    page.goto("/admin/memories/pastrecall/")
    press(page, "j")
    expect(page.get_by_role("link", name="What is the cat called?")).to_be_focused()
    press(page, "x")
    expect(page.get_by_text("1 selected", exact=True)).to_be_visible()
    press(page, "x")
    expect(page.get_by_role("button", name="Delete", exact=True)).to_be_hidden()
    page.get_by_text("Judgement", exact=True).press("Enter")
    page.get_by_role("link", name="With a useful match").press("Enter")
    expect(page.get_by_role("heading", name="Nothing matches")).to_be_visible()
    assert page.get_by_text("Judgement: With a useful match").count() == 1


def test_rows_are_selected_and_deleted_on_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/admin/mcpapi/ownprompt/")
    box = page.get_by_label("Select: letter")
    expect(box).to_be_hidden()
    page.get_by_text("Select", exact=True).click()
    box.check()
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_role("heading", name="Delete this one?")).to_be_visible()
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_role("heading", name="No prompts yet")).to_be_visible()


def test_a_chosen_theme_takes_the_place_of_that_of_the_system(page: Page) -> None:
    page.goto("/admin/account/")
    for name, background in (("Dark", "rgb(18, 18, 19)"), ("Light", "rgb(250, 250, 249)")):
        page.get_by_role("button", name=name, exact=True).click()
        expect(page.get_by_role("button", name=name, exact=True)).to_have_attribute("aria-pressed", "true")
        expect(page.locator("body")).to_have_css("background-color", background)


@pytest.mark.parametrize("part", range(PARTS))
def test_a_browser_without_new_selectors_and_functions_shows_readable_pages(
    window: Page, paths: list[str], part: int
) -> None:
    styles: dict[str, str] = {}

    def without_them(route: Route) -> None:
        if (url := route.request.url) not in styles:
            styles[url] = route.fetch().text().replace(":has(", ":not-known(").replace("color-mix(", "not-known(")
        route.fulfill(body=styles[url], content_type="text/css")

    window.route("**/*.css", without_them)
    window.set_viewport_size({"width": 390, "height": 844})
    for path in paths[part::PARTS]:
        window.goto(path)
        window.evaluate(AXE)
        for scheme in SCHEMES:
            window.emulate_media(color_scheme=scheme)
            assert fits(window), f"{path} in {scheme}"
            assert violations_of(window, COLORS) == [], f"{path} in {scheme}"
    window.goto("/admin/mcpapi/ownprompt/")
    expect(window.get_by_label("Select: letter")).to_be_visible()
    for scheme in SCHEMES:
        window.emulate_media(color_scheme=scheme)
        expect(window.locator("nav.nav")).not_to_have_css("background-color", "rgba(0, 0, 0, 0)")
