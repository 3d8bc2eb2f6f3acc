"""Streams as an ASGI server would hold them, in the same process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mcpapi.subscriptions.hub import hub
from oauthserver.models import User
from tests.support.factories import Assistant, make_user

LIMIT_SECONDS = 30.0


@pytest.fixture
def owner(transactional_db: None) -> Iterator[User]:
    """Someone whose changes are committed, and so are told of."""
    yield make_user("owner")
    hub.stop(LIMIT_SECONDS)


@pytest.fixture
def assistant(owner: User) -> Assistant:
    return Assistant.of(owner)
