"""An owner with documents, another owner, and their browsers."""

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


@pytest.fixture
def other_pages(db: None) -> Client:
    """The browser of another owner, who runs the server and still sees only their own documents."""
    other = make_user("other")
    other.is_superuser = True
    other.save()
    client = Client(headers={"host": HOST})
    client.force_login(other)
    return client
