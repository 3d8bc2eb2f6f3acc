"""Tests of adding, previewing, changing and removing a source in a browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import fits, log_in

pytestmark = pytest.mark.usefixtures("transactional_db", "empty_queue")

LIST = "/admin/documents/source/"
HOSTILE_NAME = "<img src=x onerror=document.title='ran'>.md"


@pytest.fixture
def sources_page(page: Page) -> Page:
    """The list of sources, opened by a logged-in owner."""
    page.goto(f"/login/?next={LIST}")
    log_in(page)
    expect(page.get_by_role("heading", name="No sources yet")).to_be_visible()
    return page


def test_a_folder_is_added_previewed_changed_and_removed(
    sources_page: Page, complaints: list[str], tmp_path: Path
) -> None:
    page = sources_page
    (tmp_path / HOSTILE_NAME).write_text("The boat.", encoding="utf-8")
    assert fits(page)
    page.goto(f"{LIST}add/")
    assert fits(page)
    page.get_by_role("navigation", name="Kinds of sources").get_by_role("link", name="Files in a folder").click()
    page.get_by_label("Name").fill("日記")
    page.get_by_label("Folder").fill("notes")
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_text("Must have 1 to 32 lower-case letters")).to_be_visible()
    expect(page.get_by_text("Must be an absolute path, or begin with ~/.")).to_be_visible()
    page.get_by_label("Name").fill("Notes")
    page.get_by_label("Folder").fill(str(tmp_path))
    page.get_by_label("Add it paused").check()
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_text("Added as “notes”. It is paused.")).to_be_visible()
    assert fits(page)

    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text("Added: 1")).to_be_visible()
    expect(page.get_by_text(HOSTILE_NAME)).to_be_visible()
    assert fits(page)

    page.get_by_role("link", name="Back to the source").click()
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_text("Within a minute", exact=True)).to_be_visible()
    page.get_by_role("link", name="Change", exact=True).click()
    assert fits(page)
    page.get_by_label("Schedule").select_option("Every day")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Every day")).to_be_visible()

    page.get_by_role("link", name="Remove").click()
    assert fits(page)
    page.get_by_role("button", name="Remove").click()
    expect(page.get_by_text("Removed.", exact=True)).to_be_visible()
    assert complaints == []


def test_a_stored_token_is_not_in_the_form(sources_page: Page, complaints: list[str]) -> None:
    page = sources_page
    page.goto(f"{LIST}add/?kind=git")
    page.locator("#id_name").fill("code")
    page.get_by_label("Repository").fill("https://git.example/x.git")
    page.get_by_label("Access token").fill("sesame-token")
    page.get_by_role("button", name="Add").click()
    page.get_by_role("link", name="Change", exact=True).click()
    expect(page.get_by_label("Access token", exact=True)).to_have_value("")
    expect(page.get_by_label("Remove the stored access token")).to_be_visible()
    assert "sesame" not in page.content()
    assert fits(page)
    assert complaints == []
