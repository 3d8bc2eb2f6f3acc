"""A backup in a real browser: the button, the progress, and the archive in the list."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.db import connection
from playwright.sync_api import Page, expect
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django import Settings

from ownsona_site.backup import checked_files, last_backup
from ownsona_site.backup.kept import failures
from ownsona_site.backup.kept.making import make_backup
from tests.browser.conftest import fits, log_in

pytestmark = pytest.mark.usefixtures("transactional_db", "empty_queue")


def test_a_backup_is_made_with_one_click(
    page: Page, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, complaints: list[str]
) -> None:
    settings.BACKUP_DIR = tmp_path
    monkeypatch.setattr(last_backup, "_path", lambda: tmp_path / "last_backup.json")
    monkeypatch.setattr(checked_files, "_path", lambda: tmp_path / "checked_backups.json")
    monkeypatch.setattr(failures, "_path", lambda: tmp_path / "failed_backup.json")
    page.goto("/login/?next=/admin/backups/")
    log_in(page)
    assert fits(page)
    page.get_by_role("button", name="Back up now").click()
    expect(page.get_by_role("status").filter(has_text="Waiting for the job process")).to_be_visible()
    assert ProcrastinateJob.objects.filter(task_name="site.back_up", status="todo").count() == 1

    make_backup(is_nightly=False)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE procrastinate_jobs SET status = 'succeeded'")

    expect(page.get_by_role("heading", name="The last backup is complete")).to_be_visible()
    expect(page.get_by_role("heading", name="1 backup")).to_be_visible()
    page.locator("table.backups a").click()
    expect(page.get_by_role("heading", name="Restore it")).to_be_visible()
    assert fits(page)
    page.get_by_role("link", name="Delete this backup").click()
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("Deleted.")).to_be_visible()
    assert list(tmp_path.glob("*.zip")) == []
    assert complaints == []
