"""Tests of the file that reserves disk space."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from common.disk_reserve import keep_reserve, release_when_needed, reserve_in
from tests.support.small_disk import fill, free_megabytes, small_disk


@pytest.fixture
def disk(settings: Settings) -> Iterator[Path]:
    """A disk of 60 MB, with a data folder that must keep 10 MB free and 8 MB in reserve."""
    with small_disk(60) as folder:
        settings.DATA_DIR = folder
        settings.DISK_MINIMUM_MB, settings.DISK_RESERVE_MB = 10, 8
        yield folder


def test_the_reserve_takes_its_space_from_the_disk(disk: Path) -> None:
    before = free_megabytes(disk)
    keep_reserve()
    keep_reserve()
    assert before - free_megabytes(disk) in {7, 8}
    assert [path.name for path in disk.iterdir()] == ["reserve"]
    assert reserve_in(disk).stat().st_mode & 0o777 == 0o600


def test_it_is_released_when_the_disk_is_full_and_made_again_when_it_is_not(disk: Path) -> None:
    keep_reserve()
    others = fill(disk)
    assert free_megabytes(disk) == 0
    keep_reserve()
    assert not reserve_in(disk).exists()
    assert free_megabytes(disk) >= 7
    keep_reserve()
    assert not reserve_in(disk).exists()
    others.unlink()
    keep_reserve()
    assert reserve_in(disk).exists()


def test_it_is_not_made_where_that_would_fill_the_disk(disk: Path) -> None:
    fill(disk, leave_megabytes=20)
    keep_reserve()
    assert list(disk.iterdir()) == [disk / "somebody-elses-file"]


def test_it_stays_while_there_is_some_room(disk: Path) -> None:
    keep_reserve()
    fill(disk, leave_megabytes=6)
    assert not release_when_needed(disk)
    assert reserve_in(disk).exists()


def test_none_is_kept_where_none_is_wanted_or_the_database_is_elsewhere(disk: Path, settings: Settings) -> None:
    settings.DATABASE_URL = "postgresql://db.example/ownsona"
    keep_reserve()
    assert not reserve_in(disk).exists()
    settings.DATABASE_URL = ""
    keep_reserve()
    assert reserve_in(disk).exists()
    settings.DISK_RESERVE_MB = 0
    keep_reserve()
    assert not reserve_in(disk).exists()
