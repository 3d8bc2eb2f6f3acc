"""What the tests of the REST face share."""

from __future__ import annotations

import pytest

from oauthserver.models import User
from tests.support.mcp.rest_client import RestClient


@pytest.fixture
def program(owner: User) -> RestClient:
    """A program with every scope."""
    return RestClient.of(owner)
