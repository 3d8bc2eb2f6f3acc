"""The browser of an owner who is also the administrator."""

from __future__ import annotations

import pytest

from oauthserver.models import User
from tests.support.oauth.flow import Browser


@pytest.fixture
def pages(owner: User, browser: Browser) -> Browser:
    owner.is_superuser = True
    owner.save()
    return browser
