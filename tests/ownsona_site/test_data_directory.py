"""The data folder and the secret key that is kept in it."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ownsona_site.data_directory import create_data_directory, default_data_directory, kept_secret_key


def test_root_keeps_its_data_outside_any_home_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert default_data_directory() == Path("/var/lib/ownsona")


def test_a_user_keeps_their_data_in_their_home_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert default_data_directory().is_relative_to(Path.home())


def test_nobody_else_can_list_the_data_folder(tmp_path: Path) -> None:
    create_data_directory(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").stat().st_mode & 0o066 == 0


def test_a_data_folder_in_a_files_place_is_an_os_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"):
        create_data_directory(tmp_path / "file")


def test_the_secret_key_stays_the_same_and_is_private(tmp_path: Path) -> None:
    key = kept_secret_key(tmp_path)
    assert len(key) >= 64
    assert kept_secret_key(tmp_path) == key
    assert (tmp_path / "secret_key").stat().st_mode & 0o077 == 0
    assert [path.name for path in tmp_path.iterdir()] == ["secret_key"]


def test_processes_that_start_at_once_agree_on_one_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(16) as pool:
        keys = set(pool.map(lambda _: kept_secret_key(tmp_path), range(64)))
    assert len(keys) == 1


def test_two_folders_have_two_keys(tmp_path: Path) -> None:
    assert kept_secret_key(tmp_path / "a") != kept_secret_key(tmp_path / "b")
