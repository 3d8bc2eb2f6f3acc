"""An owner with documents, another owner, and their browsers."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.memories.admin.conftest import owner, pages
from tests.support.factories import HOST, make_user

__all__ = ["other_pages", "owner", "pages"]


@pytest.fixture
def other_pages(db: None) -> Client:
    """The browser of another owner, who runs the server and still sees only their own documents."""
    other = make_user("other")
    other.is_superuser = True
    other.save()
    client = Client(headers={"host": HOST})
    client.force_login(other)
    return client
