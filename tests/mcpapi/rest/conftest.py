"""Fixtures for the tests of the REST API."""

from __future__ import annotations

import pytest

from oauthserver.models import User
from tests.support.mcp.rest_client import RestClient


@pytest.fixture
def program(owner: User) -> RestClient:
    """A REST client with every scope."""
    return RestClient.of(owner)
