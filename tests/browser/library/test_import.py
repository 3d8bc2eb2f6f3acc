"""Tests of imports in a browser: upload, preview, progress and undo, with and without scripts."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from memories.transfer.background.turns import run_imports
from tests.browser.conftest import fits, log_in
from tests.browser.library.support import in_background, payload

pytestmark = pytest.mark.usefixtures("transactional_db", "empty_queue")

PAGE = "/admin/import/"


def facts(count: int) -> bytes:
    return "".join(
        json.dumps({"text": f"Fact number {number}.", "tags": ["old"]}) + "\n" for number in range(count)
    ).encode()


@pytest.fixture
def import_page(page: Page) -> Page:
    """The import page, opened by a logged-in owner."""
    page.goto(f"/login/?next={PAGE}")
    log_in(page)
    expect(page.get_by_role("button", name="Preview")).to_be_visible()
    return page


def test_a_file_is_previewed_imported_and_undone(import_page: Page, complaints: list[str]) -> None:
    assert fits(import_page)
    import_page.get_by_label("File").set_input_files(
        payload("<img src=x onerror=document.title='ran'>.jsonl", facts(30))
    )
    import_page.get_by_role("button", name="Preview").click()
    expect(import_page.get_by_text("30 memories would be imported")).to_be_visible()
    assert set(import_page.locator(".tag").all_inner_texts()) == {"old"}
    assert fits(import_page)
    import_page.get_by_role("button", name="Import", exact=True).click()
    expect(import_page.get_by_role("main").get_by_role("status")).to_have_text("Waiting for the job process")
    assert fits(import_page)
    in_background(run_imports)
    # The script notices the end.
    expect(import_page.get_by_text("30 memories imported.")).to_be_visible()
    assert fits(import_page)
    with import_page.expect_download() as download:
        import_page.get_by_role("link", name="Download the report on all entries").click()
    assert len(download.value.path().read_text().splitlines()) == 30
    import_page.get_by_role("link", name="Undo this import").click()
    expect(import_page.get_by_text("These 30 memories will be forgotten")).to_be_visible()
    import_page.get_by_role("button", name="Undo 30 changes").click()
    expect(import_page.get_by_text("Undone: 30 forgotten.")).to_be_visible()
    assert "ran" not in import_page.title()
    assert complaints == []


def test_a_text_is_pasted_and_the_choices_are_changed(import_page: Page, complaints: list[str]) -> None:
    import_page.get_by_label("Or paste text").fill("Likes tea.\nLikes rain.\n")
    import_page.get_by_role("button", name="Preview").click()
    expect(import_page.get_by_text("2 memories would be imported")).to_be_visible()
    import_page.get_by_text("Options").click()
    import_page.get_by_label("Tags").fill("weather")
    assert fits(import_page)
    import_page.get_by_role("button", name="Preview again").click()
    expect(import_page.locator(".tag", has_text="weather").first).to_be_visible()
    import_page.get_by_role("button", name="Discard").click()
    expect(import_page.get_by_text("Nothing was imported.")).to_be_visible()
    assert complaints == []


def test_a_file_that_is_too_large_is_not_sent(import_page: Page, settings: Settings) -> None:
    settings.MAX_IMPORT_MB = 1
    import_page.reload()
    import_page.get_by_label("File").set_input_files(payload("large.txt", b"x" * 1_200_000))
    import_page.get_by_role("button", name="Preview").click()
    problem = import_page.get_by_label("File").evaluate("field => field.validationMessage")
    assert problem == "It has 2 MB; at most 1 MB are allowed (MAX_IMPORT_MB)."
    assert import_page.url.endswith(PAGE)


@pytest.fixture
def plain_page(chromium: Browser, live_server: LiveServer) -> Iterator[Page]:
    """A page of a browser without scripts."""
    context = chromium.new_context(base_url=live_server.url, java_script_enabled=False)
    page = context.new_page()
    page.set_default_timeout(30_000)
    yield page
    context.close()


def test_without_scripts_the_page_loads_itself_again(plain_page: Page) -> None:
    plain_page.goto(f"/login/?next={PAGE}")
    log_in(plain_page)
    plain_page.get_by_label("File").set_input_files(payload("facts.jsonl", facts(3)))
    plain_page.get_by_role("button", name="Preview").click()
    plain_page.get_by_role("button", name="Import", exact=True).click()
    expect(plain_page.get_by_role("main").get_by_role("status")).to_have_text("Waiting for the job process")
    in_background(run_imports)
    expect(plain_page.get_by_text("3 memories imported.")).to_be_visible()
