"""An owner who runs the server."""

from __future__ import annotations

import pytest

from oauthserver.models import User
from tests.support.factories import make_user


@pytest.fixture
def owner(db: None) -> User:
    return make_user("owner", is_superuser=True)
