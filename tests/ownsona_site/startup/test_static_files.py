"""Tests that static files are collected only after a change."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_django import Settings

from ownsona_site.startup.static_files import collect_static_files


@pytest.fixture
def source(tmp_path: Path, settings: Settings) -> Path:
    """A folder with one file, in place of the static files of all apps."""
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "page.css").write_text("body {}", encoding="utf-8")
    settings.STATICFILES_DIRS = [folder]
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    settings.STATIC_ROOT = tmp_path / "static"
    return folder


def test_files_are_collected_and_old_ones_go(source: Path, tmp_path: Path) -> None:
    collect_static_files()
    assert (tmp_path / "static" / "page.css").read_text(encoding="utf-8") == "body {}"

    (source / "page.css").rename(source / "other.css")
    collect_static_files()
    assert (tmp_path / "static" / "other.css").exists()
    assert not (tmp_path / "static" / "page.css").exists()


def test_nothing_is_done_when_nothing_changed(source: Path, tmp_path: Path) -> None:
    collect_static_files()
    (tmp_path / "static" / "page.css").write_text("as it was left", encoding="utf-8")
    collect_static_files()
    assert (tmp_path / "static" / "page.css").read_text(encoding="utf-8") == "as it was left"


def test_a_changed_file_is_collected_again(source: Path, tmp_path: Path) -> None:
    collect_static_files()
    (source / "page.css").write_text("body { margin: 0 }", encoding="utf-8")
    collect_static_files()
    assert (tmp_path / "static" / "page.css").read_text(encoding="utf-8") == "body { margin: 0 }"


@pytest.mark.parametrize("damage", ["stamp", "folder"])
def test_what_was_damaged_is_collected_again(source: Path, tmp_path: Path, damage: str) -> None:
    collect_static_files()
    if damage == "stamp":
        (tmp_path / "static.collected").write_bytes(b"\xff\0")
        (tmp_path / "static" / "page.css").unlink()
    else:
        (tmp_path / "static").rename(tmp_path / "lost")
    collect_static_files()
    assert (tmp_path / "static" / "page.css").read_text(encoding="utf-8") == "body {}"
