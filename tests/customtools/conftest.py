"""Fixtures for the tests of custom tools."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from customtools import files
from customtools.running.log import tool_log
from customtools.sandbox.pool import pool
from oauthserver.models import User
from tests.support.factories import Assistant
from tests.support.mcp.rest_client import RestClient


@pytest.fixture(autouse=True)
def tools_folder(tmp_path: Path, settings: Settings) -> Iterator[Path]:
    """The folder of tool files, empty and known to no process."""
    folder = tmp_path / "tools"
    folder.mkdir()
    settings.TOOLS_DIR = folder
    tool_log._waiting.clear()
    yield folder
    files.forget_seen()


@pytest.fixture(scope="package", autouse=True)
def closed_pool() -> Iterator[None]:
    """End the processes of scripts when the tests of this package are over."""
    yield
    pool.close()


@pytest.fixture
def owner(db: None) -> User:
    """The owner of the data folder."""
    return User.objects.create_superuser("owner")


@pytest.fixture
def assistant(owner: User) -> Assistant:
    """An assistant with every scope."""
    return Assistant.of(owner)


@pytest.fixture
def program(owner: User) -> RestClient:
    """A REST client with every scope."""
    return RestClient.of(owner)
