"""The owner, and a client that they have started."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from oauthserver.models import User
from tests.support.factories import make_user
from tests.support.mcp.stdio_client import StdioClient, principal_for


@pytest.fixture
def owner(transactional_db: None) -> User:
    return make_user("owner")


@pytest.fixture
def client(owner: User) -> Iterator[StdioClient]:
    conversation = StdioClient(principal_for(owner))
    yield conversation
    conversation.hang_up()
