"""A folder of backups for each test."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_django import Settings

from ownsona_site.backup import checked_files, last_backup
from ownsona_site.backup.kept import failures


@pytest.fixture(autouse=True)
def folder(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of backups. It is not in the data folder, which is that of the server of all tests."""
    monkeypatch.setattr(last_backup, "_path", lambda: tmp_path / "last_backup.json")
    monkeypatch.setattr(checked_files, "_path", lambda: tmp_path / "checked_backups.json")
    monkeypatch.setattr(failures, "_path", lambda: tmp_path / "failed_backup.json")
    folder = settings.BACKUP_DIR = tmp_path / "backups"
    folder.mkdir()
    return folder
