"""An owner and their browser."""

from __future__ import annotations

import pytest
from django.test import Client

from oauthserver.models import User
from tests.support.factories import HOST, make_user


@pytest.fixture
def owner(db: None) -> User:
    return make_user("owner")


@pytest.fixture
def pages(owner: User) -> Client:
    """The owner's browser, logged in."""
    client = Client(headers={"host": HOST})
    client.force_login(owner)
    return client
