"""Tests of pages that are used before their scripts have arrived, as with a slow connection."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import FilePayload, Locator, Page, expect
from pytest_django import Settings

from oauthserver.models import User
from tests.browser.conftest import LateScript, log_in
from tests.support.factories import Assistant, make_app

APPS = "/admin/oauthserver/connection/"
UPLOAD = "/admin/documents/document/add/"
IMPORT = "/admin/import/"


def file_of(size: int) -> FilePayload:
    return {"name": "boat.md", "mimeType": "text/markdown", "buffer": b"x" * size}


def leave_and_return(page: Page) -> None:
    page.goto(APPS)
    page.go_back()


@pytest.fixture
def switch(page: Page, person: User) -> Locator:
    """A switch that is off, on the page of an app."""
    Assistant.of(person, app=make_app("Notebook"))
    page.goto(f"/login/?next={APPS}")
    log_in(page)
    return page.get_by_role("switch", name="Its own conclusions go to your inbox first")


def test_a_switch_that_was_clicked_before_its_script_arrived_is_saved(
    page: Page, switch: Locator, complaints: list[str]
) -> None:
    script = LateScript(page, "live")
    page.get_by_role("link", name="Notebook", exact=True).click()
    switch.check()

    script.arrive()

    expect(page.get_by_text("Saved.")).to_be_visible()
    expect(switch).to_be_focused()
    page.reload()
    expect(switch).to_be_checked()
    assert complaints == []


def test_a_menu_that_was_changed_before_its_script_arrived_is_saved(page: Page, switch: Locator) -> None:
    script = LateScript(page, "live")
    page.get_by_role("link", name="Notebook", exact=True).click()
    page.get_by_text("Its tools are not limited").click()
    menu = page.locator("select[name=profile]")
    menu.select_option(index=1)
    chosen = menu.input_value()

    script.arrive()

    expect(page.get_by_text("Saved.")).to_be_visible()
    page.reload()
    expect(menu).to_have_value(chosen)


@pytest.mark.parametrize("again", [Page.reload, leave_and_return])
def test_a_page_that_is_opened_again_saves_nothing_that_was_clicked_before(
    page: Page, switch: Locator, again: Callable[[Page], object]
) -> None:
    """Browsers restore unsaved changes of fields."""
    script = LateScript(page, "live")
    page.get_by_role("link", name="Notebook", exact=True).click()
    switch.check()
    script.has_arrived = True
    again(page)
    page.wait_for_load_state("load")
    expect(switch).not_to_be_checked()
    expect(page.get_by_text("Saved.")).to_have_count(0)


@pytest.mark.usefixtures("transactional_db", "empty_queue")
def test_a_file_that_was_chosen_before_the_script_arrived_is_added_once(page: Page, person: User) -> None:
    page.goto(f"/login/?next={APPS}")
    log_in(page)
    script = LateScript(page, "upload")
    page.goto(UPLOAD, wait_until="commit")
    page.get_by_label("Files: drop").set_input_files(file_of(10))

    script.arrive()

    expect(page.locator("#results li")).to_contain_text("OwnSona is reading it.")
    page.reload()
    expect(page.locator("#results li")).to_have_count(0)


@pytest.mark.usefixtures("transactional_db", "empty_queue")
def test_a_large_file_that_was_chosen_before_the_script_arrived_is_refused(
    page: Page, person: User, settings: Settings
) -> None:
    settings.MAX_IMPORT_MB = 1
    page.goto(f"/login/?next={APPS}")
    log_in(page)
    script = LateScript(page, "import")
    page.goto(IMPORT, wait_until="commit")
    field = page.get_by_label("File", exact=True)
    field.set_input_files(file_of(1_200_000))

    script.arrive()

    assert "It has 2 MB" in field.evaluate("field => field.validationMessage")
