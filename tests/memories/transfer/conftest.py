"""Owners with memories of every kind."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from memories.writing.lifecycle import forget_memory
from oauthserver.models import User
from tests.support.factories import actor_for, make_expired, make_memory, make_user


@pytest.fixture
def owner() -> User:
    return make_user("owner")


@pytest.fixture
def rich_owner(owner: User) -> User:
    """An owner with a memory of every kind. Two tombstones name their successors."""
    make_memory(
        owner,
        "Plays the oboe — \N{MUSICAL SYMBOL G CLEF}\nand the “cello”.",
        tags=("music",),
        importance=0.75,
        source_provider="notes",
        capture_mode="inferred",
        session_id="s-1",
        created_at=datetime(2023, 5, 8, 13, 56, 0, 7, tzinfo=UTC),
        expires_at=timezone.now() + timedelta(days=9),
    )
    make_expired(make_memory(owner, "Is on holiday until Sunday."))
    first = make_memory(owner, "Lives in Linz.", tags=("home",))
    second = make_memory(owner, "Lives in Graz.")
    third = make_memory(owner, "Lives in Wels.")
    forget_memory(actor_for(owner), first.pk, reason="Moved.", replaced_by_id=second.pk)
    forget_memory(actor_for(owner), second.pk, reason="Moved again.", replaced_by_id=third.pk)
    forget_memory(actor_for(owner), make_memory(owner, "Likes rain.").pk)
    make_memory(owner, "Likes rain.")
    return owner
