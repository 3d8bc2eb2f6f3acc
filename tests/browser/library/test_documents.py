"""Tests of adding documents in a browser, with the file input and by dropping files, and of their pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from pytest_django import Settings

from documents.tasks import read_queued
from oauthserver.models import User
from tests.browser.conftest import fits, log_in
from tests.browser.library.support import in_background, payload
from tests.documents.support import BOAT

pytestmark = pytest.mark.usefixtures("transactional_db", "empty_queue")

PAGE = "/admin/documents/document/add/"
HOSTILE_NAME = "<img src=x onerror=document.title='ran'>.md"
DROP = """files => {
  const data = new DataTransfer();
  for (const [name, text] of files) data.items.add(new File([text], name));
  const area = document.getElementById("drop");
  for (const kind of ["dragenter", "dragover", "drop"]) {
    area.dispatchEvent(new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
  }
}"""


@pytest.fixture
def upload_page(page: Page) -> Page:
    """The upload page, opened by a logged-in owner."""
    page.goto(f"/login/?next={PAGE}")
    log_in(page)
    expect(page.get_by_label("Files: drop")).to_be_visible()
    # The script that takes dropped files runs before this event.
    page.wait_for_load_state("load")
    return page


def test_chosen_files_are_added_one_by_one(upload_page: Page, complaints: list[str], settings: Settings) -> None:
    settings.MAX_DOCUMENT_MB = 1
    upload_page.reload()
    assert fits(upload_page)
    upload_page.get_by_label("Tags").fill("sea")
    upload_page.get_by_label("Files: drop").set_input_files(
        [
            payload("boat.md", BOAT.encode()),
            payload(HOSTILE_NAME, b"Other."),
            payload("empty.txt", b""),
            payload("large.txt", b"x" * 1_200_000),
            payload("again.md", BOAT.encode()),
        ]
    )
    rows = upload_page.locator("#results li")
    expect(rows).to_have_count(5)
    expect(rows.nth(4)).to_contain_text("You already have this file.")
    expect(rows.nth(0)).to_contain_text("OwnSona is reading it.")
    expect(rows.nth(1)).to_contain_text(HOSTILE_NAME)
    expect(rows.nth(1)).to_contain_text("OwnSona is reading it.")
    expect(rows.nth(2)).to_contain_text("The file is empty.")
    expect(rows.nth(3)).to_contain_text("It has 1.2 MB; at most 1 MB are allowed (MAX_DOCUMENT_MB).")
    expect(upload_page.locator("#results progress")).to_have_count(0)
    assert fits(upload_page)
    assert upload_page.title() == "Add documents · OwnSona"

    rows.nth(0).get_by_role("link", name="Open").click()
    expect(upload_page.get_by_label("Title")).to_have_value("boat.md")
    expect(upload_page.get_by_label("Tags")).to_have_value("sea")
    assert fits(upload_page)
    assert complaints == []


def test_results_follow_the_reading_until_it_has_ended(upload_page: Page, complaints: list[str]) -> None:
    asked: list[str] = []
    upload_page.on("request", lambda request: asked.append(request.url) if "/reading/" in request.url else None)
    field = upload_page.get_by_label("Files: drop")
    field.set_input_files([payload("boat.md", BOAT.encode()), payload("broken.pdf", b"%PDF-1.7 broken")])
    rows = upload_page.locator("#results li")
    expect(rows.nth(0)).to_contain_text("OwnSona is reading it. Open")
    expect(rows.nth(1)).to_contain_text("OwnSona is reading it. Open")
    assert fits(upload_page)

    in_background(read_queued)

    expect(rows.nth(0)).to_contain_text("Ready: apps can find it.")
    expect(rows.nth(1)).to_contain_text("It could not be read.")
    count = len(asked)
    upload_page.wait_for_timeout(3_500)
    assert len(asked) == count
    assert fits(upload_page)
    rows.nth(0).get_by_role("link", name="Open").click()
    expect(upload_page.get_by_label("Title")).to_have_value("Ragnhild")
    assert complaints == []


def test_without_documents_nothing_is_asked(upload_page: Page) -> None:
    asked: list[str] = []
    upload_page.on("request", lambda request: asked.append(request.url) if "/reading/" in request.url else None)
    upload_page.get_by_label("Files: drop").set_input_files([payload("empty.txt", b"")])
    expect(upload_page.locator("#results li")).to_contain_text("The file is empty.")
    upload_page.wait_for_timeout(2_000)
    assert asked == []


def test_dropped_files_are_added(upload_page: Page, complaints: list[str], person: User) -> None:
    upload_page.evaluate(DROP, [["one.md", "# One"], ["two.md", "# Two"]])
    expect(upload_page.locator("#results li.added")).to_have_count(2)
    upload_page.goto("/admin/documents/document/")
    for title in ("one.md", "two.md"):
        expect(upload_page.get_by_role("link", name=title, exact=True)).to_be_visible()
    assert fits(upload_page)
    assert complaints == []


def test_after_a_logout_the_file_is_reported_as_not_stored(upload_page: Page) -> None:
    upload_page.context.clear_cookies()
    upload_page.get_by_label("Files: drop").set_input_files([payload("boat.md", BOAT.encode())])
    expect(upload_page.locator("#results li")).to_contain_text("You are logged out.")


def test_an_original_is_saved_by_the_browser(upload_page: Page, tmp_path: Path) -> None:
    content = b"<script>document.title = 'ran'</script>"
    upload_page.get_by_label("Files: drop").set_input_files([payload("page.html", content)])
    upload_page.get_by_role("link", name="Open").click()
    with upload_page.expect_download() as started:
        upload_page.get_by_role("link", name="Download version 1").click()
    assert started.value.suggested_filename == "page.html"
    started.value.save_as(tmp_path / "saved")
    assert (tmp_path / "saved").read_bytes() == content


def test_a_document_is_forgotten_and_restored(upload_page: Page, complaints: list[str]) -> None:
    upload_page.get_by_label("Files: drop").set_input_files([payload("boat.md", BOAT.encode())])
    upload_page.get_by_role("link", name="Open").click()
    upload_page.get_by_role("link", name="Forget").click()
    upload_page.get_by_label("Reason").fill("Sold.")
    upload_page.get_by_role("button", name="Forget").click()
    expect(upload_page.get_by_text("Reason: Sold.").first).to_be_visible()
    upload_page.get_by_role("button", name="Restore").click()
    expect(upload_page.get_by_text("One document restored.")).to_be_visible()
    upload_page.get_by_role("link", name="Delete permanently").click()
    upload_page.get_by_role("button", name="Delete permanently").click()
    expect(upload_page.get_by_text("One document permanently deleted.")).to_be_visible()
    assert complaints == []
