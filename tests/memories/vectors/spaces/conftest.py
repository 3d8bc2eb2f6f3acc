"""Fixtures for the tests of embedding spaces."""

from __future__ import annotations

import pytest

from benchmarks.support.sample_texts import memory_texts
from memories.drafts import Draft
from memories.writing.deduplication import DedupPolicy
from memories.writing.remembering import RememberRequest, remember_all
from oauthserver.models import User
from tests.support.factories import actor_for, make_user


@pytest.fixture
def owner() -> User:
    """An owner with twenty memories in the first space, which has 64 dimensions."""
    user = make_user()
    requests = [RememberRequest(Draft(text), DedupPolicy.INSERT) for text in memory_texts(20)]
    remember_all(actor_for(user), requests)
    return user
