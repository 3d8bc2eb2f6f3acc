"""Tests that a text is found among the newest memories and, beyond them, with the index."""

from __future__ import annotations

import pytest

from memories.access import View
from memories.errors import LimitExceeded
from memories.queries import selectors
from memories.queries.selectors import search_text
from memories.writing.lifecycle import forget_memory
from oauthserver.models import User
from tests.support.factories import actor_for, make_expired, make_memory, make_user

# How many of the newest memories are read one after the other: none of those below, some, or all.
pytestmark = [pytest.mark.django_db, pytest.mark.parametrize("newest", [0, 3, 3_000])]

# PostgreSQL estimates -1 memories in a table that it has not analyzed yet.
ALWAYS, NEVER = -1, 10**9


@pytest.fixture
def owner(newest: int, monkeypatch: pytest.MonkeyPatch) -> User:
    """Return an owner with eight memories, of which three contain "green tea": the oldest, the third and the sixth."""
    monkeypatch.setattr(selectors, "LARGE", ALWAYS if newest else NEVER)
    monkeypatch.setattr(selectors, "NEWEST", newest)
    # The number of memories in a new table is estimated as one.
    monkeypatch.setattr(selectors, "NEWEST_BYTES", 10**12)
    user = make_user()
    for number in range(8):
        make_memory(user, f"{'I like green tea' if number in {0, 2, 5} else 'I like coffee'}, note {number}")
    make_memory(make_user(), "I like green tea, too")
    return user


def found(
    owner: User, text: str, limit: int = 8, view: View | None = None, *, include_expired: bool = False
) -> list[str]:
    memories = search_text(view or View.whole(owner.pk), text, limit=limit, include_expired=include_expired)
    return [memory.text[-1] for memory in memories]


def test_all_are_found_the_newest_first(owner: User) -> None:
    assert found(owner, "GREEN tea") == ["5", "2", "0"]


def test_no_more_than_the_limit_are_found(owner: User) -> None:
    assert found(owner, "green", limit=2) == ["5", "2"]
    assert found(owner, "green", limit=1) == ["5"]


def test_a_limit_that_is_too_large_is_refused_without_naming_an_offset(owner: User) -> None:
    with pytest.raises(LimitExceeded, match=r"must be at most 500\.$"):
        found(owner, "green", limit=501)


def test_one_of_the_oldest_is_found_alone(owner: User) -> None:
    assert found(owner, "note 0") == ["0"]
    assert found(owner, "note 9") == []


def test_forgotten_and_expired_ones_are_left_out(owner: User) -> None:
    oldest, newest = search_text(View.whole(owner.pk), "green tea")[::-2]
    forget_memory(actor_for(owner), oldest.pk)
    make_expired(newest)
    assert found(owner, "green tea") == ["2"]
    assert found(owner, "green tea", include_expired=True) == ["5", "2"]


def test_a_limited_view_finds_its_own(owner: User) -> None:
    make_memory(owner, "I like green tea at work, note 8", tags=["work"])
    limited = View(owner.pk, ("work",))
    assert found(owner, "green tea", view=limited) == ["8"]
    assert found(owner, "coffee", view=limited) == []
