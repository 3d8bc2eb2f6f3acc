"""Tests of the memories that a new text may make outdated."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memories.access import Actor, View
from memories.comparisons import comparing
from memories.comparisons.comparing import Compared, NearMemory
from memories.comparisons.pending import compare_pending
from memories.drafts import Draft
from memories.errors import EmbeddingError
from memories.models import Comparison
from memories.vectors import neighbours
from memories.vectors.spaces import current_space_id
from memories.writing import deduplication, outdated
from memories.writing.deduplication import DedupPolicy
from memories.writing.outdated import MAX_SHOWN
from memories.writing.remembering import RememberOutcome, RememberRequest, remember, remember_all
from oauthserver.models import User
from tests.support.embeddings.embedders import use_shipped_model
from tests.support.factories import actor_for, make_memory, make_user

DENTIST, MOVED = "My dentist is Dr. Weber in the Ring street", "My dentist has changed: it is Dr. Novak now"


@pytest.fixture
def owner() -> User:
    return make_user()


def reported(actor: Actor, text: str, policy: DedupPolicy = DedupPolicy.ASK) -> list[int]:
    outcome = remember(actor, RememberRequest(Draft(text), policy))
    return [memory.pk for memory, _ in outcome.possibly_outdated]


@pytest.mark.django_db
def test_only_a_text_that_says_that_something_has_changed_names_others(owner: User) -> None:
    actor = actor_for(owner)
    dentist = make_memory(owner, DENTIST).pk
    assert reported(actor, "My dentist Dr. Weber has a waiting room with an aquarium") == []
    assert dentist in reported(actor, MOVED)


@pytest.mark.django_db
def test_what_the_network_cannot_read_names_only_memories_with_a_common_word(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    actor = actor_for(owner)
    dentist = make_memory(owner, "Zahnarzttermin bei Dr. Stangl um 8:30").pk
    parents = make_memory(owner, "Elternsprechtag in der Schule um 16:00").pk
    monkeypatch.setattr(outdated, "MIN_OUTDATED_COSINE", -1.0)
    assert reported(actor, "Der Zahnarzt Dr. Stangl ist verschoben auf 9:00") == [dentist]
    monkeypatch.setattr(outdated, "MIN_OUTDATED_COSINE_WITHOUT_WORDS", -1.0)
    assert set(reported(actor, "Der Zahnarzt Dr. Stangl kommt jetzt um 9:15")) >= {dentist, parents}


@pytest.mark.django_db
def test_without_the_check_and_in_batches_nothing_is_searched(owner: User) -> None:
    actor = actor_for(owner)
    make_memory(owner, DENTIST)
    assert reported(actor, MOVED, DedupPolicy.INSERT) == []
    changes = ["The dentist no longer takes my insurance", "The dentist has moved to the Main street"]
    outcomes = remember_all(actor, [RememberRequest(Draft(text)) for text in changes])
    assert all(isinstance(each, RememberOutcome) and not each.possibly_outdated for each in outcomes)


@pytest.mark.django_db
def test_near_duplicates_are_not_named_twice_and_few_are_named(owner: User) -> None:
    actor = actor_for(owner)
    for number in range(MAX_SHOWN + 2):
        make_memory(owner, f"My dentist has room {number} in the Ring street")
    said = make_memory(owner, "My dentist has changed: he is Dr. Novak now").pk
    outcome = remember(actor, RememberRequest(Draft(MOVED)))
    assert said in [memory.pk for memory, _ in outcome.neighbours.active]
    assert said not in [memory.pk for memory, _ in outcome.possibly_outdated]
    assert len(outcome.possibly_outdated) == MAX_SHOWN


@pytest.mark.django_db
def test_a_limited_app_learns_nothing_of_other_memories(owner: User) -> None:
    make_memory(owner, DENTIST)
    make_memory(owner, f"{DENTIST}, second floor", quarantined_from="other")
    mine = make_memory(owner, "My dentist Dr. Weber calls on Mondays", tags=["health"]).pk
    actor = Actor(View(owner.pk, ("health",)), "tests")
    assert reported(actor, MOVED) == [mine]


@pytest.mark.django_db
def test_the_shipped_model_finds_what_is_said_in_other_words(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    use_shipped_model(monkeypatch)
    actor = actor_for(owner)
    for text in ("The user plays the cello in a quartet", "Die Tochter studiert in Graz"):
        remember(actor, RememberRequest(Draft(text)))
    phone = remember(
        actor, RememberRequest(Draft("Mobile phone contract is with MEO, around 15 euros monthly."))
    ).memory_id
    assert reported(actor, "Switched to WOO for my mobile number: 7 euros and more gigas than I can spend.") == [phone]


@pytest.mark.django_db
def test_what_the_words_correct_is_named_and_what_shares_no_word_is_not(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_shipped_model(monkeypatch)
    actor = actor_for(owner)
    swimming = make_memory(owner, "Maya has swimming on Wednesdays at 4:30pm at Heeley pool.").pk
    make_memory(owner, "Portrait session with the Patel family at the park on Sunday at 10am.")
    make_memory(owner, "Theo does drum lessons every Thursday at 16:00 with Mr Ogden.")
    assert reported(actor, "Swimming has moved to Mondays at 5pm.") == [swimming]


@pytest.mark.django_db
def test_the_search_takes_two_queries_and_only_where_it_is_needed(owner: User) -> None:
    def searches_and_loads(text: str) -> tuple[int, int]:
        with CaptureQueriesContext(connection) as queries:
            reported(actor_for(owner), text)
        statements = [query["sql"].strip() for query in queries]
        loads = sum(sql.startswith('SELECT "memories_memory"."id"') for sql in statements)
        return sum("<#>" in sql for sql in statements), loads

    make_memory(owner, DENTIST)
    assert searches_and_loads(MOVED) == (1, 1)
    assert searches_and_loads("My dentist has a tropical aquarium in the waiting room") == (0, 0)


@pytest.mark.django_db
def test_the_network_names_what_a_text_ends_without_a_sign_of_change(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_shipped_model(monkeypatch)
    actor = actor_for(owner)
    remember(actor, RememberRequest(Draft("The user plays the cello in a quartet")))
    walnuts = remember(actor, RememberRequest(Draft("User is allergic to walnuts."))).memory_id
    retested = "The allergist retested me, and I can eat walnuts without trouble."
    outcome = remember(actor, RememberRequest(Draft(retested)))
    assert [memory.pk for memory, _ in outcome.possibly_outdated] == [walnuts]
    assert Comparison.objects.get(memory_id=outcome.memory_id).changes == [walnuts]


@pytest.mark.django_db
def test_what_the_network_reads_as_a_change_is_outdated_and_no_duplicate(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    actor, known = actor_for(owner), make_memory(owner, "The user is allergic to walnuts")
    text = "The user is allergic to walnuts."
    assert [memory.pk for memory, _ in remember(actor, RememberRequest(Draft(text))).neighbours.active] == [known.pk]

    def read(text: str, confirmed_at: datetime, near: Sequence[NearMemory]) -> Compared:
        return Compared(changes=near, possible_changes=near)

    monkeypatch.setattr(outdated, "compare", read)
    monkeypatch.setattr(outdated, "compared_space_id", current_space_id)
    outcome = remember(actor, RememberRequest(Draft("The user is allergic to walnuts!")))
    assert outcome.neighbours.active == []
    assert known.pk in {memory.pk for memory, _ in outcome.possibly_outdated}


@pytest.mark.django_db
def test_what_the_network_reads_as_unaffected_is_named_only_if_the_words_correct_it(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    actor, dentist = actor_for(owner), make_memory(owner, DENTIST)
    assert reported(actor, MOVED) == [dentist.pk]

    def read(text: str, confirmed_at: datetime, near: Sequence[NearMemory]) -> Compared:
        return Compared(unaffected=near)

    monkeypatch.setattr(outdated, "compare", read)
    monkeypatch.setattr(outdated, "compared_space_id", current_space_id)
    assert dentist.pk in reported(actor, f"{MOVED}!")
    monkeypatch.setattr(outdated, "corrects", lambda newer, older, cosine: False)
    assert dentist.pk not in reported(actor, f"{MOVED}.")


@pytest.mark.django_db
def test_the_network_reports_a_repetition_in_other_words(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    use_shipped_model(monkeypatch)
    actor = actor_for(owner)
    juno = remember(actor, RememberRequest(Draft("My dog Juno is scared of thunderstorms."))).memory_id
    outcome = remember(actor, RememberRequest(Draft("Thunderstorms frighten the user's dog Juno.")))
    assert [memory.pk for memory, _ in outcome.neighbours.active] == [juno]
    assert not outcome.possibly_outdated


@pytest.mark.django_db
def test_what_a_limited_app_stores_is_left_to_the_job_process(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    use_shipped_model(monkeypatch)
    hidden = make_memory(owner, "User is allergic to walnuts.").pk
    actor = Actor(View(owner.pk, ("health",)), "tests")
    draft = Draft("The allergist retested me, and I can eat walnuts without trouble.", tags=("health",))
    outcome = remember(actor, RememberRequest(draft))
    assert not outcome.possibly_outdated
    assert not Comparison.objects.filter(memory_id=outcome.memory_id).exists()
    assert compare_pending(60)
    assert Comparison.objects.get(memory_id=outcome.memory_id).changes == [hidden]


@pytest.mark.django_db
def test_a_text_is_stored_even_if_the_network_fails(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    use_shipped_model(monkeypatch)
    actor = actor_for(owner)
    remember(actor, RememberRequest(Draft("User is allergic to walnuts.")))

    def fail(pairs: object) -> None:
        raise EmbeddingError("The file is damaged.")

    monkeypatch.setattr(comparing, "read", fail)
    outcome = remember(actor, RememberRequest(Draft("User is allergic to hazelnuts.")))
    assert not outcome.is_duplicate
    assert not Comparison.objects.filter(memory_id=outcome.memory_id).exists()


DRAFTED, SIGNED = "Rhiannon drafted the contract.", "Rhiannon signed the contract."
"""Near-duplicates by their words and cosine, which the network reads as a change."""
SKIP = DedupPolicy.SKIP_IF_NEAR


@pytest.fixture
def skipping_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use the shipped model, and skip what is a little less near: the cosine of the two texts is about the limit."""
    use_shipped_model(monkeypatch)
    for module in (deduplication, neighbours):
        monkeypatch.setattr(module, "CLEAR_DUPLICATE_COSINE", 0.85)


def all_remembered(owner: User, *texts: str) -> list[RememberOutcome]:
    outcomes = remember_all(actor_for(owner), [RememberRequest(Draft(text), SKIP) for text in texts])
    return [outcome for outcome in outcomes if isinstance(outcome, RememberOutcome)]


@pytest.mark.django_db
@pytest.mark.usefixtures("skipping_model")
def test_a_text_that_is_read_as_a_change_is_not_skipped(owner: User) -> None:
    (drafted,) = all_remembered(owner, DRAFTED)
    (signed,) = all_remembered(owner, SIGNED)
    assert not signed.is_duplicate
    assert not signed.neighbours.active
    assert [memory.pk for memory, _ in signed.possibly_outdated] == [drafted.memory_id]


@pytest.mark.django_db
@pytest.mark.usefixtures("skipping_model")
def test_what_says_the_same_is_skipped_beside_what_has_changed(owner: User) -> None:
    all_remembered(owner, DRAFTED)
    (signed,) = all_remembered(owner, SIGNED)
    (again,) = all_remembered(owner, "Rhiannon signed the contract!")
    assert (again.is_duplicate, again.memory_id) == (True, signed.memory_id)


@pytest.mark.django_db
def test_what_only_adds_words_ends_nothing(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    use_shipped_model(monkeypatch)
    actor = actor_for(owner)
    remember(actor, RememberRequest(Draft("I live in Graz.")))
    outcome = remember(actor, RememberRequest(Draft("I live in Graz, Austria.")))
    assert outcome.possibly_outdated == []


@pytest.mark.django_db
@pytest.mark.usefixtures("skipping_model")
def test_in_a_batch_no_earlier_text_takes_the_place_of_a_change(owner: User) -> None:
    assert [each.is_duplicate for each in all_remembered(owner, DRAFTED, SIGNED, f"{SIGNED}!")] == [False, False, True]
    assert [each.is_duplicate for each in all_remembered(owner, f"{DRAFTED}!", f"{SIGNED}!!")] == [True, True]


@pytest.mark.django_db
@pytest.mark.usefixtures("skipping_model")
def test_without_the_network_words_and_cosine_decide(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(pairs: object) -> None:
        raise EmbeddingError("The file is damaged.")

    all_remembered(owner, DRAFTED)
    monkeypatch.setattr(comparing, "read", fail)
    assert all_remembered(owner, SIGNED)[0].is_duplicate
