"""Tests of recalling what was true at a time, and of ending the validity of a memory."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from memories.access import Actor, View
from memories.corpus import MEMORIES
from memories.drafts import Draft
from memories.errors import InvalidInput, NotFound
from memories.models import Memory
from memories.recall.candidates import candidates_sql
from memories.recall.filters import RecallFilters
from memories.recall.pipeline import Mode, Query, recall
from memories.undo.selection import Selection
from memories.undo.undoing import undo
from memories.writing.lifecycle import forget_memory
from memories.writing.merging import split_memory
from memories.writing.succession import succeed_memory
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import User
from tests.support.factories import make_memory, make_user, owner_actor


@pytest.fixture
def owner(db: None) -> User:
    return make_user()


def on(year: int, month: int = 1, day: int = 1) -> datetime:
    return datetime(year, month, day, tzinfo=UTC)


def found(owner: User, as_of: datetime | None, *tags: str, mode: Mode = Mode.HYBRID) -> set[str]:
    matches = recall(View(owner.pk, tags), Query("Where does Ann live?", as_of=as_of, mode=mode)).matches
    return {match.memory.text for match in matches}


def replaced(owner: User, old: str, new: str, created: datetime, at: datetime, **details: Any) -> tuple[Memory, Memory]:
    """Store a memory at `created`, and another one that replaces it at `at`."""
    first, second = make_memory(owner, old, created_at=created, **details), make_memory(owner, new, created_at=at)
    forget_memory(owner_actor(owner), first.pk, replaced_by_id=second.pk)
    Memory.objects.filter(pk=first.pk).update(deleted_at=at)
    return first, second


@pytest.mark.parametrize("mode", list(Mode))
def test_a_replaced_memory_was_true_until_it_was_replaced(owner: User, mode: Mode) -> None:
    replaced(owner, "Ann lives in Bern", "Ann lives in Zurich", on(2020), on(2024))
    assert found(owner, None, mode=mode) == {"Ann lives in Zurich"}
    assert found(owner, on(2022), mode=mode) == {"Ann lives in Bern"}
    assert found(owner, on(2025), mode=mode) == {"Ann lives in Zurich"}
    # Nothing says when she moved to Bern.
    assert found(owner, on(2019), mode=mode) == {"Ann lives in Bern"}


def test_validity_decides_and_forgotten_memories_stay_forgotten(owner: User) -> None:
    make_memory(owner, "Ann lives in Bern", valid_from=on(2019), valid_until=on(2021))
    wrong = make_memory(owner, "Ann lives on Mars")
    forget_memory(owner_actor(owner), wrong.pk)
    make_memory(owner, "Ann lives with Bob")
    assert found(owner, on(2020)) == {"Ann lives in Bern", "Ann lives with Bob"}
    assert found(owner, on(2018)) == found(owner, on(2022)) == {"Ann lives with Bob"}


def test_what_is_still_to_come_is_known_from_its_creation_on(owner: User) -> None:
    make_memory(owner, "Ann lives in Bern", created_at=on(2020))
    make_memory(owner, "Ann has the dentist", created_at=on(2020), valid_from=on(2022), valid_until=on(2022, 1, 2))
    assert found(owner, on(2019)) == {"Ann lives in Bern"}
    assert found(owner, on(2021)) == {"Ann lives in Bern", "Ann has the dentist"}
    assert found(owner, on(2023)) == {"Ann lives in Bern"}


def test_parts_of_a_split_memory_hold_from_the_split_on(owner: User) -> None:
    whole = make_memory(owner, "Ann lives in Bern with Bob", created_at=on(2020))
    split_memory(owner_actor(owner), whole.pk, ["Ann lives in Bern", "Ann lives with Bob"])
    assert found(owner, timezone.now() + timedelta(days=1)) == {"Ann lives in Bern", "Ann lives with Bob"}
    # The parts were created when the whole was said.
    assert found(owner, on(2019)) == {"Ann lives in Bern with Bob"}


def test_a_limited_app_learns_nothing_about_what_its_memory_replaced(owner: User) -> None:
    _, new = replaced(owner, "Ann lives in Bern", "Ann lives in Zurich", on(2020), on(2024), tags=("secret",))
    Memory.objects.filter(pk=new.pk).update(tags=["home"])
    assert found(owner, on(2022)) == {"Ann lives in Bern"}
    assert found(owner, on(2022), "home") == {"Ann lives in Zurich"}


def test_a_correction_ends_the_old_memory_and_can_be_undone(owner: User) -> None:
    old = make_memory(owner, "Ann lives in Bern", tags=("home",), importance=0.8)
    actor = owner_actor(owner)
    done = succeed_memory(actor, old.pk, MemoryUpdate(text="Ann lives in Zurich"), on(2024, 3))
    assert done.new_id is not None
    new = Memory.objects.get(pk=done.new_id)
    old.refresh_from_db()
    assert (new.valid_from, new.valid_until, new.tags, new.importance) == (on(2024, 3), None, ["home"], 0.8)
    assert (old.valid_until, old.is_past, old.deleted_at) == (on(2024, 3) - timedelta(seconds=1), True, None)
    assert found(owner, on(2024, 2)) == {"Ann lives in Bern"}
    assert found(owner, on(2024, 4)) == {"Ann lives in Zurich"}
    assert found(owner, None) == {"Ann lives in Bern", "Ann lives in Zurich"}
    undo(owner_actor(owner), Selection(change_set=actor.change_set))
    assert found(owner, None) == found(owner, on(2024, 4)) == {"Ann lives in Bern"}


def test_a_succession_takes_over_the_pin(owner: User) -> None:
    old = make_memory(owner, "Ann lives in Bern")
    Memory.objects.filter(pk=old.pk).update(briefing_place="pinned")
    done = succeed_memory(owner_actor(owner), old.pk, MemoryUpdate(text="Ann lives in Zurich"), on(2024))
    old.refresh_from_db()
    assert done.new_id is not None
    assert (old.briefing_place, Memory.objects.get(pk=done.new_id).briefing_place) == (None, "pinned")


def test_an_impossible_succession_is_refused_and_changes_nothing(owner: User) -> None:
    old = make_memory(owner, "Ann lives in Bern", valid_from=on(2020), valid_until=on(2022))
    make_memory(owner, "Ann lives in Zurich")
    actor = owner_actor(owner)
    for changes, since, problem in [
        (MemoryUpdate(importance=1), on(2021), "since: needs text"),
        (MemoryUpdate(text="Ann lives in Ulm"), on(2020), "since: must be later than valid_from"),
        (MemoryUpdate(text="Ann lives in Ulm"), on(2023), "since: must not be later than valid_until"),
        (MemoryUpdate(text="ann lives  in bern"), on(2021), "text: is the text that the memory already has"),
        (MemoryUpdate(text="Ann lives in Zurich"), on(2021), "already has the text"),
        (MemoryUpdate(text="Ann lives in Ulm", valid_until=on(2020, 6)), on(2021), "valid_until: must not be earlier"),
    ]:
        with pytest.raises(InvalidInput, match=problem):
            succeed_memory(actor, old.pk, changes, since)
    assert succeed_memory(actor, old.pk, MemoryUpdate(text="Ann lives in Ulm"), on(2021), dry_run=True).new_id is None
    with pytest.raises(NotFound):
        succeed_memory(Actor(View(owner.pk, ("work",)), "app"), old.pk, MemoryUpdate(text="Ann lives in Ulm"), on(2021))
    old.refresh_from_db()
    assert (old.valid_until, Memory.objects.filter(owner=owner).count()) == (on(2022), 2)


def test_validity_is_set_and_removed_and_an_end_in_the_past_makes_past(owner: User) -> None:
    memory = make_memory(owner, "Ann lives in Bern")
    actor = owner_actor(owner)
    update_memory(actor, memory.pk, MemoryUpdate(valid_from=on(2020), valid_until=on(2021)))
    memory.refresh_from_db()
    assert (memory.valid_from, memory.valid_until, memory.is_past) == (on(2020), on(2021), True)
    with pytest.raises(InvalidInput, match="valid_until: must not be earlier than valid_from"):
        update_memory(actor, memory.pk, MemoryUpdate(valid_until=on(2019)))
    update_memory(actor, memory.pk, MemoryUpdate(clear_valid_from=True, clear_valid_until=True))
    memory.refresh_from_db()
    assert (memory.valid_from, memory.valid_until, memory.is_past) == (None, None, False)


def test_given_times_take_the_place_of_those_of_the_text(owner: User) -> None:
    memory = make_memory(owner, "The lift is out of order until Friday.", valid_until=on(2020))
    assert (memory.valid_until, memory.is_past) == (on(2020), True)
    changes = MemoryUpdate(text="The lift is out of order until Monday.", valid_until=on(2090))
    update_memory(owner_actor(owner), memory.pk, changes)
    memory.refresh_from_db()
    assert memory.valid_until == on(2090)
    with pytest.raises(InvalidInput, match="valid_until: must not be earlier"):
        Draft("Ann", valid_from=on(2021), valid_until=on(2020)).checked()


def test_the_largest_statement_is_short_enough_to_be_cached() -> None:
    filters = RecallFilters(View(1, ("home",)), as_of=on(2020))
    without_filters = candidates_sql(MEMORIES, MEMORIES.inactive_ids)
    assert len(without_filters) <= 4096
    # One with as_of is longer, and parsed each time, as those with several filters are: it is asked rarely.
    assert len(candidates_sql(MEMORIES, filters.hidden)) <= 6144
