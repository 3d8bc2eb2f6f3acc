"""Tests of the forgotten memories that a new text states again."""

from __future__ import annotations

import pytest

from memories.comparisons import cross_encoder
from memories.drafts import Draft
from memories.errors import EmbeddingError
from memories.writing import corrected
from memories.writing.corrected import restates
from memories.writing.deduplication import DedupPolicy
from memories.writing.lifecycle import forget_memory
from memories.writing.merging import merge_memories, split_memory
from memories.writing.remembering import RememberOutcome, RememberRequest, remember, remember_all
from oauthserver.models import User
from tests.support.embeddings.embedders import use_shipped_model
from tests.support.factories import actor_for, make_memory, make_user

DEBT = "Customer Herr Gruber (Gasthaus Gruber, Gösting) owes me 2,350 EUR since August."
PAID = "Herr Gruber from the Gasthaus has paid the 2,350 €."
CAR = "I drive a VW Transporter."


@pytest.fixture
def owner(monkeypatch: pytest.MonkeyPatch) -> User:
    use_shipped_model(monkeypatch)
    return make_user()


def corrected_by(owner: User, text: str, policy: DedupPolicy = DedupPolicy.ASK) -> list[int]:
    """Return the tombstones that `remember` reports for a text."""
    outcome = remember(actor_for(owner), RememberRequest(Draft(text), policy))
    return [memory.pk for memory, _ in outcome.neighbours.forgotten]


def forgotten(owner: User, text: str, successor: str | None = None) -> int:
    replaced_by = make_memory(owner, successor).pk if successor else None
    memory = make_memory(owner, text)
    forget_memory(actor_for(owner), memory.pk, replaced_by_id=replaced_by)
    return memory.pk


@pytest.mark.django_db
@pytest.mark.parametrize(
    "text",
    [
        "Customer Herr Gruber owes me 2,350 euros.",
        "Herr Gruber still owes me 2,350 €.",
        "The Gasthaus Gruber owes me money: 2350 euros",
    ],
)
def test_a_corrected_fact_is_reported_when_it_is_said_again_with_fewer_or_other_words(owner: User, text: str) -> None:
    debt = forgotten(owner, DEBT, PAID)
    assert corrected_by(owner, text) == [debt]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "text",
    [
        "Customer Herr Gruber lives in Gösting.",
        "Herr Gruber's wife is called Maria.",
        "Herr Gruber wants a new bar counter in oak.",
        "Herr Gruber owes me 400 euros.",
        "Frau Leitner owes me 2,350 euros.",
        "Herr Gruber does not owe me 2,350 euros.",
    ],
)
def test_another_fact_about_somebody_is_no_correction_of_the_forgotten_one(owner: User, text: str) -> None:
    forgotten(owner, DEBT, PAID)
    assert corrected_by(owner, text) == []


@pytest.mark.django_db
def test_every_text_of_a_batch_is_compared_with_the_forgotten_ones(owner: User) -> None:
    debt, car = forgotten(owner, DEBT), forgotten(owner, CAR)
    texts = ["Customer Herr Gruber owes me 2,350 euros.", "I drive a white VW Transporter.", "I like pears."]
    texts += [f"Shelf {number} is in the cellar." for number in range(10)]
    outcomes = remember_all(actor_for(owner), [RememberRequest(Draft(text)) for text in texts])
    found = [
        [memory.pk for memory, _ in outcome.neighbours.forgotten]
        for outcome in outcomes
        if isinstance(outcome, RememberOutcome)
    ]
    assert found == [[debt], [car], *([[]] * 11)]


@pytest.mark.django_db
def test_what_was_merged_or_split_was_not_corrected(owner: User) -> None:
    actor = actor_for(owner)
    car, colour = make_memory(owner, CAR), make_memory(owner, "The Transporter is white.")
    merge_memories(actor, [car.pk, colour.pk], "I drive a white VW Transporter, bought in Graz.")
    both = make_memory(owner, "I like pears, and Anna likes plums.")
    split_memory(actor, both.pk, ["I like pears.", "Anna likes plums."])
    assert corrected_by(owner, "My car is a VW Transporter.") == []
    assert corrected_by(owner, "I like pears, and my sister Anna likes plums.") == []


@pytest.mark.django_db
def test_without_the_check_nothing_is_reported(owner: User) -> None:
    forgotten(owner, DEBT)
    assert corrected_by(owner, "Customer Herr Gruber owes me 2,350 euros.", DedupPolicy.INSERT) == []


@pytest.mark.django_db
def test_a_text_in_other_words_is_found_by_the_network_and_stored_without_it(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    car = forgotten(owner, CAR)
    assert corrected_by(owner, "My van is a Volkswagen Transporter.") == [car]

    def fails(pairs: object) -> list[cross_encoder.Reading]:
        raise EmbeddingError("The network is not available.")

    monkeypatch.setattr(corrected, "read", fails)
    assert corrected_by(owner, "The Volkswagen Transporter is the van that I drive.") == []


def test_one_text_restates_another_if_it_has_all_of_its_words_and_numbers() -> None:
    assert restates("Customer Herr Gruber owes me 2,350 euros.", DEBT, 0.6)
    assert restates("Anna has been allergic to penicillin and latex since 2019", "Anna is allergic to penicillin", 0.6)
    assert not restates("Customer Herr Gruber owes me 2,350 euros.", DEBT, 0.5)
    assert not restates("Anna is not allergic to penicillin", "Anna is allergic to penicillin", 0.9)
    assert not restates("Does Anna drive the Transporter?", "Anna drives the Transporter", 0.9)
    assert not restates("Gruber", DEBT, 0.9)
