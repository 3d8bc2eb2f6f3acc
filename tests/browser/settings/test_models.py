"""Tests of the page “Search models” in a browser: names of models fit, and a click queues a download."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from pytest_django import Settings

from memories.embeddings.hub.progress import DownloadState, write_state
from oauthserver.models import User
from tests.browser.conftest import fits, log_in
from tests.support.embeddings.models_folder import use_models_folder

pytestmark = pytest.mark.usefixtures("transactional_db", "empty_queue")


@pytest.fixture(autouse=True)
def no_models(person: User, settings: Settings, tmp_path: Path) -> None:
    """The local provider without a downloaded model."""
    settings.EMBEDDING_PROVIDER = "local"
    use_models_folder(settings, tmp_path / "models")


def test_a_model_is_downloaded_with_one_click(page: Page, complaints: list[str]) -> None:
    page.goto("/login/?next=/admin/models/")
    log_in(page)
    expect(page.get_by_role("heading", name="Model in use")).to_be_visible()
    assert fits(page)

    page.get_by_role("button", name="Download and use multilingual-e5-small").click()

    expect(page.get_by_text("multilingual-e5-small is being downloaded.")).to_be_visible()
    expect(page.get_by_role("status").filter(has_text="Waiting for the job process")).to_be_visible()
    assert complaints == []


def test_the_progress_is_shown_without_loading_the_page_again(page: Page) -> None:
    write_state(DownloadState(name="gte-base", state="running", stored=1, total=4))
    page.goto("/login/?next=/admin/models/")
    log_in(page)
    page.evaluate("window.isSame = true")
    page.get_by_role("status").filter(has_text="Downloading: 25 %").evaluate("status => (window.followed = status)")
    write_state(DownloadState(name="gte-base", state="running", stored=3, total=4))
    expect(page.get_by_text("Downloading: 75 %")).to_be_visible()
    assert page.evaluate("isSame && followed.isConnected && followed.textContent.includes('75 %')")


def test_the_page_follows_the_download(page: Page) -> None:
    write_state(DownloadState(name="gte-base", state="running", stored=1, total=4))
    page.goto("/login/?next=/admin/models/")
    log_in(page)
    expect(page.get_by_text("Downloading: 25 %")).to_be_visible()

    write_state(DownloadState(name="gte-base", state="failed", message="The hub is not reachable."))

    expect(page.get_by_text("The hub is not reachable.")).to_be_visible()
