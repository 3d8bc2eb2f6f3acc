"""Fixtures for the tests of agents."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from agents.files import _Seen
from customtools.sandbox.pool import pool
from oauthserver.models import User
from tests.support.factories import Assistant, make_user
from tests.support.mcp.rest_client import RestClient


@pytest.fixture(autouse=True)
def folder_of_files(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder of agents, which the process has not read yet."""
    settings.AGENTS_DIR = tmp_path / "agents"
    monkeypatch.setattr(_Seen, "fingerprint", ())


@pytest.fixture(scope="package", autouse=True)
def closed_pool() -> Iterator[None]:
    """End the processes of scripts when the tests of this package are over."""
    yield
    pool.close()


@pytest.fixture
def owner(db: None) -> User:
    """The owner of the server, who is the only superuser."""
    owner = make_user("owner")
    owner.is_superuser = True
    owner.save()
    return owner


@pytest.fixture
def assistant(owner: User) -> Assistant:
    return Assistant.of(owner)


@pytest.fixture
def program(owner: User) -> RestClient:
    return RestClient.of(owner)
