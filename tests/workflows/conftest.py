"""Fixtures for the tests of workflows."""

from __future__ import annotations

import pytest

from oauthserver.models import User
from tests.support.factories import Assistant, make_user


@pytest.fixture
def owner(db: None) -> User:
    return make_user("owner")


@pytest.fixture
def assistant(owner: User) -> Assistant:
    return Assistant.of(owner)
