"""Tests of the data folder and of the secret key in it."""

from __future__ import annotations

import errno
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ownsona_site.configuration.data_directory import (
    DamagedSecretKey,
    create_data_directory,
    default_data_directory,
    load_or_create_secret_key,
)
from ownsona_site.configuration.environment import Environment
from ownsona_site.configuration.secret_key import chosen_secret_key

DAMAGED = {
    "is empty": b"",
    "has 5 characters, but at least 32 are required": b"short",
    "has 31 characters, but at least 32 are required": b"0123456789" * 3 + b"x\n",
    "does not contain a random key": b"\0" * 86,
    "is not a text file": b"\xff\xfe" * 43,
}


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
    key = load_or_create_secret_key(tmp_path)
    assert len(key) >= 64
    assert load_or_create_secret_key(tmp_path) == key
    assert (tmp_path / "secret_key").stat().st_mode & 0o077 == 0
    assert [path.name for path in tmp_path.iterdir()] == ["secret_key"]


def test_processes_that_start_at_once_agree_on_one_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(16) as pool:
        keys = set(pool.map(lambda _: load_or_create_secret_key(tmp_path), range(64)))
    assert len(keys) == 1


def test_two_folders_have_two_keys(tmp_path: Path) -> None:
    assert load_or_create_secret_key(tmp_path / "a") != load_or_create_secret_key(tmp_path / "b")


@pytest.mark.parametrize("problem", DAMAGED)
def test_a_damaged_secret_key_is_neither_used_nor_replaced(tmp_path: Path, problem: str) -> None:
    path = tmp_path / "secret_key"
    path.write_bytes(DAMAGED[problem])

    with pytest.raises(DamagedSecretKey) as raised:
        load_or_create_secret_key(tmp_path)

    assert str(raised.value) == f"The file {path} {problem}."
    assert path.read_bytes() == DAMAGED[problem]


def test_with_a_damaged_secret_key_the_start_says_what_a_new_one_costs_and_how_to_get_it(tmp_path: Path) -> None:
    path = tmp_path / "secret_key"
    path.touch()
    environment = Environment({})

    stand_in = chosen_secret_key(environment, tmp_path)

    [problem] = environment.problems
    assert problem.setting == "SECRET_KEY"
    assert problem.message == f"The file {path} is empty."
    assert "Restore it from a backup" in problem.fix
    assert f"`rm {path}`" in problem.fix
    assert "logs everyone out" in problem.fix
    assert len(stand_in) >= 32
    path.unlink()
    assert chosen_secret_key(environment, tmp_path) == path.read_text(encoding="utf-8")


def test_a_secret_key_in_the_settings_needs_no_file(tmp_path: Path) -> None:
    (tmp_path / "secret_key").touch()
    environment = Environment({"SECRET_KEY": "k" * 32})

    assert chosen_secret_key(environment, tmp_path) == "k" * 32
    assert environment.problems == []


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "secret_key").mkdir()
    environment = Environment({})

    chosen_secret_key(environment, tmp_path)

    [problem] = environment.problems
    assert problem.setting == "OWNSONA_DATA_DIR"
    assert problem.message.startswith(f"{tmp_path / 'secret_key'} is not accessible: ")


def test_a_key_that_could_not_be_written_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fail)

    with pytest.raises(OSError, match="No space left"):
        load_or_create_secret_key(tmp_path)
    assert list(tmp_path.iterdir()) == []
