"""Fixtures for streams in the test process, held as by an ASGI server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mcpapi.subscriptions.hub import hub
from oauthserver.models import User
from tests.support.factories import Assistant, make_user

LIMIT_SECONDS = 30.0


@pytest.fixture
def owner(transactional_db: None) -> Iterator[User]:
    """An owner whose changes are committed, so that they are published."""
    yield make_user("owner")
    hub.stop(LIMIT_SECONDS)


@pytest.fixture
def assistant(owner: User) -> Assistant:
    return Assistant.of(owner)
