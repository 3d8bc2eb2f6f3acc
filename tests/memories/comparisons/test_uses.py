"""Tests of where the results of comparisons are used. Here they are stored as if the network had read them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memories.access import View
from memories.admin.memory_page.related import related_to
from memories.briefing.composition import compose_briefing
from memories.models import Comparison, Memory
from memories.vectors.compared_pairs import Relation, compared_pairs
from memories.vectors.duplicates import find_near_duplicates
from memories.writing.lifecycle import forget_memory
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import User
from tests.support.factories import actor_for, make_memory, make_user

pytestmark = pytest.mark.django_db

TODAY = datetime(2026, 5, 17, tzinfo=UTC)
HOME, MOVED = "Our home is the flat in the Herrengasse in Graz", "Since spring our home is in Zurich, near the lake"


@pytest.fixture
def owner() -> User:
    return make_user()


def read(memory: Memory, relation: Relation, other: Memory) -> None:
    """Store that a memory was compared, and that it is so related to another one."""
    related = Comparison(memory=memory, text_hash=memory.text_hash)
    setattr(related, relation, [other.pk])
    related.save()


def at(days: int) -> datetime:
    return TODAY - timedelta(days=days)


def test_pairs_are_those_of_active_memories_of_the_view_with_the_compared_text(owner: User) -> None:
    old, new = make_memory(owner, HOME, tags=["home"]), make_memory(owner, MOVED, tags=["home", "shared"])
    read(new, "changes", old)
    whole, home, shared = View.whole(owner.pk), View(owner.pk, ("home",)), View(owner.pk, ("shared",))
    assert compared_pairs(whole, "changes") == compared_pairs(home, "changes") == {(new.pk, old.pk)}
    assert compared_pairs(shared, "changes") == compared_pairs(whole, "repeats") == set()
    assert compared_pairs(whole, "changes", [new.pk]) == compared_pairs(View.whole(make_user().pk), "changes") == set()
    update_memory(actor_for(owner), new.pk, MemoryUpdate(text="Zurich has a lake"))
    assert compared_pairs(whole, "changes") == set()


def test_pairs_with_a_forgotten_memory_are_left_out(owner: User) -> None:
    old, new = make_memory(owner, HOME), make_memory(owner, MOVED)
    read(old, "changes", new)
    assert compared_pairs(View.whole(owner.pk), "changes") == {(new.pk, old.pk)}
    forget_memory(actor_for(owner), old.pk)
    assert compared_pairs(View.whole(owner.pk), "changes") == set()


def test_repetitions_are_groups_of_duplicates_unless_a_threshold_is_given(owner: User) -> None:
    one, other = make_memory(owner, "Juno fears thunder"), make_memory(owner, "Storms scare our dog")
    make_memory(owner, "The boiler is new")
    view = View.whole(owner.pk)
    assert find_near_duplicates(view, max_groups=5).shown == []
    read(other, "repeats", one)
    [group] = find_near_duplicates(view, max_groups=5).shown
    assert ([memory.pk for memory in group.memories], group.pair_count) == ([one.pk, other.pk], 1)
    assert 0 <= group.max_similarity < 0.5
    assert find_near_duplicates(view, max_groups=5, threshold=0.9).shown == []


def test_what_was_read_as_a_change_is_no_duplicate_however_near_its_words_are(owner: User) -> None:
    old = make_memory(owner, "The user is allergic to walnuts")
    new = make_memory(owner, "The user is allergic to walnuts?!")
    view = View.whole(owner.pk)
    assert len(find_near_duplicates(view, max_groups=5).shown) == 1
    read(new, "changes", old)
    assert find_near_duplicates(view, max_groups=5).shown == []
    assert len(find_near_duplicates(view, max_groups=5, threshold=0.5).shown) == 1


def test_the_page_of_a_memory_shows_what_was_read(owner: User) -> None:
    old, new = make_memory(owner, HOME), make_memory(owner, MOVED)
    view = View.whole(owner.pk)
    assert not related_to(view, old).possible
    read(new, "changes", old)
    assert [row.id for row in related_to(view, old).possible] == [new.pk]
    Comparison.objects.all().delete()
    read(old, "repeats", new)
    assert [row.id for row in related_to(view, new).same] == [old.pk]


def test_in_a_briefing_the_current_fact_comes_first_and_the_older_one_stays(owner: User) -> None:
    old = make_memory(owner, HOME, importance=1.0, last_confirmed_at=at(9))
    new = make_memory(owner, MOVED, importance=0.1, last_confirmed_at=at(2))
    view = View.whole(owner.pk)
    assert compose_briefing(view, TODAY).memory_ids == [old.pk, new.pk]
    read(old, "changes", new)
    assert compose_briefing(view, TODAY).memory_ids == [new.pk, old.pk]


def test_in_a_briefing_an_inference_ends_nothing_that_was_said(owner: User) -> None:
    old = make_memory(owner, HOME, importance=1.0, last_confirmed_at=at(9))
    new = make_memory(owner, MOVED, importance=0.1, last_confirmed_at=at(2), capture_mode="inferred")
    read(new, "changes", old)
    assert compose_briefing(View.whole(owner.pk), TODAY).memory_ids == [old.pk, new.pk]


def test_deleting_a_memory_for_good_deletes_its_comparison(owner: User) -> None:
    old, new = make_memory(owner, HOME), make_memory(owner, MOVED)
    read(new, "changes", old)
    read(old, "changes", new)
    old.delete()
    assert list(Comparison.objects.values_list("memory_id", flat=True)) == [new.pk]
    assert compared_pairs(View.whole(owner.pk), "changes") == set()
