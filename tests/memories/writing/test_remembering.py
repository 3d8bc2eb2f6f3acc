"""Tests of concurrent writes, and of writes while the embedder fails."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from memories.access import View
from memories.drafts import Draft
from memories.embeddings import get_embedder
from memories.embeddings.base import Embedding
from memories.embeddings.windows import Span
from memories.errors import EmbeddingError, InvalidInput, MemoriesError, NotFound
from memories.models import JournalEntry, Memory, MemoryVector
from memories.recall.pipeline import Mode, Query, recall
from memories.vectors import indexing
from memories.writing import remembering
from memories.writing.deduplication import DedupPolicy
from memories.writing.lifecycle import (
    ForgetOutcome,
    confirm_memory,
    forget_memories,
    forget_memory,
    hard_delete_memory,
    restore_memory,
)
from memories.writing.remembering import RememberOutcome, RememberRequest, remember, remember_all
from memories.writing.updating import MemoryUpdate, UpdateOutcome, update_memories, update_memory
from tests.support.concurrency import in_threads
from tests.support.embeddings.embedders import matrices, use_embedder
from tests.support.factories import actor_for, make_expired, make_memory, make_user


@pytest.mark.django_db(transaction=True)
def test_twelve_equal_calls_at_once_leave_one_row() -> None:
    actor = actor_for(make_user())
    outcomes = in_threads(12, lambda number: remember(actor, RememberRequest(Draft("My dog is called Mochi"))))
    assert len({outcome.memory_id for outcome in outcomes}) == 1
    assert sum(not outcome.is_duplicate for outcome in outcomes) == 1
    assert (Memory.objects.count(), MemoryVector.objects.count(), JournalEntry.objects.count()) == (1, 1, 1)


@pytest.mark.django_db(transaction=True)
def test_equal_batches_at_once_leave_each_row_once() -> None:
    actor = actor_for(make_user())
    requests = [RememberRequest(Draft(f"fact number {number}"), DedupPolicy.INSERT) for number in range(20)]

    def store(number: int) -> RememberOutcome:
        shuffled = requests if number % 2 else requests[::-1]
        outcomes = [outcome for outcome in remember_all(actor, shuffled) if isinstance(outcome, RememberOutcome)]
        assert len(outcomes) == 20
        return outcomes[0]

    in_threads(6, store)
    assert Memory.objects.count() == 20


@pytest.mark.django_db(transaction=True)
def test_equal_batches_of_ids_at_once_forget_each_memory_once() -> None:
    user = make_user()
    ids = [make_memory(user, f"fact number {number}").pk for number in range(20)]

    def work(number: int) -> list[ForgetOutcome | MemoriesError]:
        return forget_memories(actor_for(user), ids if number % 2 else ids[::-1])

    outcomes = [outcome for batch in in_threads(6, work) for outcome in batch if isinstance(outcome, ForgetOutcome)]
    assert len(outcomes) == 120
    assert sum(not outcome.already_deleted for outcome in outcomes) == 20
    assert JournalEntry.objects.filter(operation="forget").count() == 20


@pytest.mark.django_db(transaction=True)
def test_equal_texts_set_at_once_leave_one_and_an_error_for_the_other() -> None:
    user = make_user()
    first, second = make_memory(user, "I live in Paris"), make_memory(user, "I live in Rome")

    def work(number: int) -> object:
        memory = first if number % 2 else second
        return update_memories(actor_for(user), [(memory.pk, MemoryUpdate(text="I live in Lyon"))])[0]

    outcomes = in_threads(2, work)
    assert [type(outcome) for outcome in outcomes].count(UpdateOutcome) == 1
    assert [type(outcome) for outcome in outcomes].count(InvalidInput) == 1


@pytest.mark.django_db(transaction=True)
def test_two_memories_can_replace_each_other_at_once() -> None:
    user = make_user()
    for attempt in range(5):
        pair = [make_memory(user, f"fact {number} of {attempt}").pk for number in range(2)]

        def work(number: int, pair: list[int] = pair) -> bool:
            try:
                forget_memory(actor_for(user), pair[number], replaced_by_id=pair[1 - number])
            except InvalidInput:
                return False  # The other memory is forgotten already.
            return True

        assert any(in_threads(2, work))


@pytest.mark.django_db(transaction=True)
def test_an_expired_memory_is_revived_once() -> None:
    user = make_user()
    memory = make_expired(make_memory(user, "The pool is open"))
    outcomes = in_threads(6, lambda number: remember(actor_for(user), RememberRequest(Draft("The pool is open"))))
    assert {outcome.memory_id for outcome in outcomes} == {memory.pk}
    assert JournalEntry.objects.filter(operation="revive").count() == 1


@pytest.mark.django_db(transaction=True)
def test_what_is_forgotten_and_said_again_at_once_ends_in_one_row_in_force() -> None:
    user = make_user()
    memory = make_memory(user, "The pool is open")

    def work(number: int) -> RememberOutcome:
        if number == 0:
            forget_memory(actor_for(user), memory.pk)
        return remember(actor_for(user), RememberRequest(Draft("The pool is open")))

    in_threads(6, work)
    assert Memory.objects.filter(deleted_at=None).count() == 1


class BrokenEmbedder:
    """An embedder whose provider is down."""

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        raise EmbeddingError("the provider is down")


@pytest.mark.django_db
def test_a_pending_vector_is_made_up_for(monkeypatch: pytest.MonkeyPatch) -> None:
    user = make_user()
    use_embedder(monkeypatch, BrokenEmbedder)
    outcome = remember(actor_for(user), RememberRequest(Draft("The boiler was repaired in May")))
    assert outcome.indexed is False
    with pytest.raises(EmbeddingError):
        indexing.index_pending_batch()
    monkeypatch.undo()
    assert [memory.pk for memory in indexing.pending_memories()] == [outcome.memory_id]
    assert indexing.index_pending_batch() == indexing.BatchResult(outcome.memory_id, indexed=1, claimed_elsewhere=0)
    assert indexing.index_pending_batch(outcome.memory_id) is None
    assert not indexing.pending_memories().exists()
    (match,) = recall(View.whole(user.pk), Query("The boiler was repaired in May", mode=Mode.SEMANTIC)).matches
    assert match.score == pytest.approx(1, abs=0.01)


@pytest.mark.django_db
def test_a_text_that_the_provider_refuses_does_not_keep_others_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    user = make_user()
    use_embedder(monkeypatch, BrokenEmbedder)
    for text in ("a good text", "a poisonous text", "another good text"):
        make_memory(user, text)

    class Picky:
        def embed(self, texts: Sequence[str]) -> list[Embedding]:
            if any("poisonous" in text for text in texts):
                raise EmbeddingError("the provider refused the input", status=400)
            return get_embedder().embed(texts)

    use_embedder(monkeypatch, Picky)
    assert indexing.index_pending_batch() is not None
    assert [memory.text for memory in indexing.pending_memories()] == ["a poisonous text"]


@pytest.mark.django_db
def test_a_known_text_whose_vector_is_pending_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    actor = actor_for(make_user())
    use_embedder(monkeypatch, BrokenEmbedder)
    requests = [RememberRequest(Draft("The boiler was repaired"))] * 2
    outcomes = [*remember_all(actor, requests), remember(actor, requests[0])]
    assert [outcome.indexed for outcome in outcomes if isinstance(outcome, RememberOutcome)] == [False] * 3


@pytest.mark.django_db
def test_of_very_long_texts_some_are_left_for_the_job_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "MAX_IMMEDIATE_CHARS", 50)
    requests = [RememberRequest(Draft(f"{number} " + "long " * 6)) for number in range(3)]
    outcomes = remember_all(actor_for(make_user()), requests)
    assert [outcome.indexed for outcome in outcomes if isinstance(outcome, RememberOutcome)] == [True, False, False]


@pytest.mark.django_db
def test_many_nearer_tombstones_do_not_hide_what_is_in_force() -> None:
    user = make_user()
    actor = actor_for(user)
    base = "We meet the whole team at the office every single Monday morning"
    for number in range(60):
        forget_memory(actor, make_memory(user, f"{base} {'.' * number}").pk)
    kept = make_memory(user, f"{base} now")
    outcome = remember(actor, RememberRequest(Draft(base), DedupPolicy.SKIP_IF_NEAR))
    assert (outcome.memory_id, outcome.is_duplicate) == (kept.pk, True)


@pytest.mark.django_db
def test_what_is_inserted_in_a_call_counts_for_what_comes_later_in_it() -> None:
    base = "We meet the whole team at the office every single Monday morning"
    requests = [
        RememberRequest(Draft(base), DedupPolicy.INSERT),
        RememberRequest(Draft(f"{base} now"), DedupPolicy.SKIP_IF_NEAR),
    ]
    first, second = remember_all(actor_for(make_user()), requests)
    assert isinstance(first, RememberOutcome)
    assert isinstance(second, RememberOutcome)
    assert (second.memory_id, second.is_duplicate) == (first.memory_id, True)


@pytest.mark.django_db
@pytest.mark.parametrize("stopped_at", [1, 2, 3])
def test_a_batch_that_is_stopped_leaves_everything_as_it_was_or_does_all_of_it(stopped_at: int) -> None:
    user = make_user()
    expired = make_expired(make_memory(user, "The visa holds until March"))
    told: list[float] = []

    def stop(share: float) -> None:
        told.append(share)
        if len(told) == stopped_at:
            raise InterruptedError

    requests = [RememberRequest(Draft("The visa holds until March")), RememberRequest(Draft("The pool is open"))]
    if stopped_at < 3:
        with pytest.raises(InterruptedError):
            remember_all(actor_for(user), requests, stop)
    else:
        remember_all(actor_for(user), requests, stop)
    in_force = Memory.objects.visible_to(View.whole(user.pk)).active()
    assert in_force.count() == (0 if stopped_at < 3 else 2)
    assert in_force.filter(pk=expired.pk).exists() == (stopped_at == 3)


@pytest.mark.django_db
def test_what_is_revived_in_a_call_is_near_to_what_is_said_beside_it() -> None:
    user = make_user()
    base = "We meet the whole team at the office every single Monday morning"
    expired = make_expired(make_memory(user, base))
    requests = [RememberRequest(Draft(base)), RememberRequest(Draft(f"{base} now"), DedupPolicy.SKIP_IF_NEAR)]
    outcomes = remember_all(actor_for(user), requests)
    assert [isinstance(outcome, RememberOutcome) and outcome.memory_id for outcome in outcomes] == [expired.pk] * 2


@pytest.mark.django_db
def test_an_updated_text_never_keeps_the_vector_of_its_old_words(monkeypatch: pytest.MonkeyPatch) -> None:
    user = make_user()
    memory = make_memory(user, "I live in Paris")
    use_embedder(monkeypatch, BrokenEmbedder)
    assert update_memory(actor_for(user), memory.pk, MemoryUpdate(text="I live in Lyon")).indexed is False
    assert not MemoryVector.objects.filter(memory=memory).exists()


@pytest.mark.django_db
def test_a_text_that_is_longer_than_a_window_is_found_by_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    user = make_user()
    make_memory(user, "Notes of the week")
    vectors = matrices(get_embedder(), ["the beginning", "the zebra crossing at the end"])
    spans = [Span(0, 14), Span(14, 45)]

    class Windowed:
        def embed(self, texts: Sequence[str]) -> list[Embedding]:
            return [Embedding(np.concatenate(vectors), spans) for _ in texts]

    use_embedder(monkeypatch, Windowed)
    long = make_memory(user, "the beginning … the zebra crossing at the end")
    monkeypatch.undo()
    assert MemoryVector.objects.filter(memory=long).count() == 2
    best = recall(View.whole(user.pk), Query("the zebra crossing at the end", mode=Mode.SEMANTIC)).matches[0]
    assert (best.memory.pk, round(best.score, 2)) == (long.pk, 1.0)


@pytest.mark.django_db
def test_a_tombstone_can_be_restored_unless_its_text_is_back() -> None:
    user = make_user()
    actor = actor_for(user)
    memory = make_memory(user, "I like tea")
    forget_memory(actor, memory.pk, reason="wrong")
    restore_memory(actor, memory.pk)
    memory.refresh_from_db()
    assert (memory.deleted_at, memory.forget_reason) == (None, None)
    with pytest.raises(InvalidInput, match="not forgotten"):
        restore_memory(actor, memory.pk)
    forget_memory(actor, memory.pk)
    make_memory(user, "I like TEA")
    with pytest.raises(InvalidInput, match="already has this text"):
        restore_memory(actor, memory.pk)
    with pytest.raises(NotFound):
        confirm_memory(actor, memory.pk)


@pytest.mark.django_db
def test_a_hard_delete_of_a_successor_leaves_the_tombstone() -> None:
    user = make_user()
    actor = actor_for(user)
    old, new = make_memory(user, "I like tea"), make_memory(user, "I like coffee")
    forget_memory(actor, old.pk, replaced_by_id=new.pk)
    hard_delete_memory(actor, new.pk)
    old.refresh_from_db()
    assert old.replaced_by_id is None


@pytest.mark.django_db
def test_a_failing_write_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    user = make_user()
    memory = make_memory(user, "I like tea")

    def fail(*_: object) -> None:
        raise RuntimeError("the journal cannot be written")

    monkeypatch.setattr("memories.writing.journal.write", fail)
    with pytest.raises(RuntimeError):
        forget_memory(actor_for(user), memory.pk)
    memory.refresh_from_db()
    assert memory.deleted_at is None
    assert remembering.remember(actor_for(user), RememberRequest(Draft("I like tea"))).is_duplicate
