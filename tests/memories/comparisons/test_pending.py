"""Tests of the comparison of memories in the background."""

from __future__ import annotations

import pytest

from memories.access import View
from memories.comparisons import pending
from memories.comparisons.pending import compare_pending
from memories.drafts import Draft
from memories.models import Comparison
from memories.recall.pipeline import Query, recall
from memories.writing.lifecycle import forget_memory
from memories.writing.remembering import RememberOutcome, RememberRequest, remember_all
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import User
from tests.support.embeddings.embedders import use_shipped_model
from tests.support.factories import actor_for, make_memory, make_user

pytestmark = pytest.mark.django_db

LONG = 60.0
WALNUTS, RETESTED = "User is allergic to walnuts.", "The allergist retested me, and I can eat walnuts without trouble."
CELLO = "The user plays the cello in a quartet."


@pytest.fixture
def owner(monkeypatch: pytest.MonkeyPatch) -> User:
    use_shipped_model(monkeypatch)
    return make_user()


def store(owner: User, *texts: str) -> list[int]:
    """Store the texts at once, which compares nothing yet."""
    outcomes = remember_all(actor_for(owner), [RememberRequest(Draft(text)) for text in texts])
    return [outcome.memory_id for outcome in outcomes if isinstance(outcome, RememberOutcome)]


def changes_of(memory_id: int) -> list[int]:
    return Comparison.objects.get(memory_id=memory_id).changes


def test_each_memory_is_compared_once(owner: User) -> None:
    walnuts, retested, cello = store(owner, WALNUTS, RETESTED, CELLO)
    assert not Comparison.objects.exists()
    assert compare_pending(LONG)
    assert (changes_of(walnuts), changes_of(retested), changes_of(cello)) == ([retested], [walnuts], [])
    assert not compare_pending(LONG)


def test_recall_puts_first_what_was_found_to_be_current(owner: User) -> None:
    walnuts, retested = store(owner, WALNUTS, RETESTED)
    compare_pending(LONG)
    first, second = recall(View.whole(owner.pk), Query("Am I allergic to walnuts?", 2)).matches
    assert (first.memory.pk, second.memory.pk, list(second.conflicts_with)) == (retested, walnuts, [retested])


def test_a_changed_text_is_compared_again(owner: User) -> None:
    walnuts, retested = store(owner, WALNUTS, RETESTED)
    compare_pending(LONG)
    update_memory(actor_for(owner), retested, MemoryUpdate(text="The allergist is on holiday until Monday."))
    matches = recall(View.whole(owner.pk), Query("Am I allergic to walnuts?", 2)).matches
    assert compare_pending(LONG)
    assert changes_of(retested) == []
    assert {match.memory.pk for match in matches} == {walnuts, retested}


def test_what_a_former_network_found_counts_until_it_is_found_anew(owner: User) -> None:
    walnuts, retested = store(owner, WALNUTS, RETESTED)
    compare_pending(LONG)
    Comparison.objects.update(revision=0)
    first, second = recall(View.whole(owner.pk), Query("Am I allergic to walnuts?", 2)).matches
    assert (first.memory.pk, list(second.conflicts_with)) == (retested, [retested])
    Comparison.objects.update(changes=[])
    assert compare_pending(LONG)
    assert (changes_of(walnuts), changes_of(retested)) == ([retested], [walnuts])
    assert not compare_pending(LONG)


def test_forgotten_and_quarantined_memories_and_those_of_others_are_not_compared(owner: User) -> None:
    (forgotten,) = store(owner, WALNUTS)
    forget_memory(actor_for(owner), forgotten)
    quarantined = make_memory(owner, f"{WALNUTS} Badly.", quarantined_from="other").pk
    store(make_user(), WALNUTS)
    retested, _ = store(owner, RETESTED, CELLO)
    assert compare_pending(LONG)
    assert changes_of(retested) == []
    assert not Comparison.objects.filter(memory_id=quarantined).exists()


def test_without_time_nothing_is_compared_and_the_next_run_continues(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pending, "BATCH", 1)
    store(owner, WALNUTS, CELLO)
    assert not compare_pending(0)
    assert compare_pending(LONG)
    assert Comparison.objects.count() == 2


def test_nothing_is_compared_with_vectors_of_another_model() -> None:
    make_memory(make_user(), WALNUTS)
    assert not compare_pending(LONG)
    assert not Comparison.objects.exists()
