"""Tests of the counts of memories for the administrator of the server."""

from __future__ import annotations

import pytest
from pytest_django import DjangoAssertNumQueries

from memories.models import Memory, MemoryVector
from memories.queries.census import Census, census
from memories.writing.lifecycle import forget_memory
from tests.support.factories import actor_for, make_expired, make_memory, make_user


@pytest.mark.django_db
def test_the_memories_of_all_people_are_counted_by_state() -> None:
    owner, other = make_user(), make_user()
    make_memory(owner, "I like tea")
    make_memory(other, "I like tea")
    make_expired(make_memory(owner, "I am on holiday"))
    Memory.objects.filter(pk=make_memory(owner, "I may like coffee").pk).update(quarantined_from="app")
    forget_memory(actor_for(owner), make_memory(owner, "I live in Lyon").pk)
    MemoryVector.objects.filter(memory__owner=other).delete()
    assert census() == Census(active=2, expired=1, quarantined=1, soft_deleted=1, pending=1)


@pytest.mark.django_db
def test_the_further_windows_of_a_long_text_count_for_no_other() -> None:
    owner = make_user()
    first = MemoryVector.objects.get(memory=make_memory(owner, "a long story"))
    MemoryVector.objects.create(
        space=first.space, memory=first.memory, owner=owner, window=1, embedding=first.embedding
    )
    MemoryVector.objects.filter(memory=make_memory(owner, "I like tea")).delete()
    assert census().pending == 1


@pytest.mark.django_db(transaction=True)
def test_it_takes_one_query(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    assert census() == Census(0, 0, 0, 0, 0)
    with django_assert_num_queries(1):
        census()
