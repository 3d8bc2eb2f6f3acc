"""Tests of which pairs the cross-encoder reads: only those whose result is used."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from memories.comparisons import comparing
from memories.comparisons.cross_encoder import Reading, read
from memories.comparisons.judging import MIN_POSSIBLE_COSINE, MIN_STORED_COSINE
from memories.comparisons.pending import compare_pending
from memories.drafts import Draft
from memories.models import Comparison
from memories.vectors.spaces import space_in_use
from memories.writing.outdated import MIN_OUTDATED_COSINE
from memories.writing.remembering import RememberOutcome, RememberRequest, remember, remember_all
from oauthserver.models import User
from tests.support.embeddings.embedders import use_shipped_model
from tests.support.factories import actor_for, make_user

pytestmark = pytest.mark.django_db

FACTS = [
    "User's sister Ines studies marine biology in Bergen.",
    "The user plays the cello in an amateur quartet on Thursdays.",
    "User keeps two hives of bees behind the garden shed.",
    "The user's car is a green Skoda estate with a tow bar.",
    "User drinks black tea in the morning and no coffee at all.",
    "User's brother Milan repairs old church organs.",
    "The user sings in the choir of the parish church.",
]
PLAIN = "User's cousin Petra teaches the organ at a music school."
CHANGE = "User no longer sings: the music school needs the evenings."
"""Says that something has changed."""

NEARER = "User no longer has time for the parish choir because of the bees."


@pytest.fixture
def owner(monkeypatch: pytest.MonkeyPatch) -> User:
    use_shipped_model(monkeypatch)
    return make_user()


@pytest.fixture
def pairs_read(monkeypatch: pytest.MonkeyPatch) -> list[frozenset[str]]:
    """The pairs of texts that have been read."""
    noted: list[frozenset[str]] = []

    def note(pairs: Sequence[tuple[str, str]]) -> list[Reading]:
        noted.extend(frozenset(pair) for pair in pairs)
        return read(pairs)

    monkeypatch.setattr(comparing, "read", note)
    return noted


def cosines(text: str, others: Sequence[str]) -> dict[frozenset[str], float]:
    """Return the cosine of a text and each of the others."""
    vectors = np.array([each.windows[0] for each in space_in_use().embedder.embed([text, *others])])
    return {frozenset((text, other)): float(vectors[0] @ each) for other, each in zip(others, vectors[1:], strict=True)}


@pytest.mark.parametrize(("text", "least"), [(PLAIN, MIN_POSSIBLE_COSINE), (CHANGE, MIN_OUTDATED_COSINE)])
def test_a_new_text_is_read_with_those_that_it_can_make_outdated(
    owner: User, pairs_read: list[frozenset[str]], text: str, least: float
) -> None:
    remember_all(actor_for(owner), [RememberRequest(Draft(fact)) for fact in FACTS])
    remember(actor_for(owner), RememberRequest(Draft(text)))
    near = cosines(text, FACTS)
    assert any(0.3 < cosine < MIN_POSSIBLE_COSINE for cosine in near.values())
    assert set(pairs_read) == {pair for pair, cosine in near.items() if cosine >= least} != set()


def test_in_the_background_a_text_is_read_with_those_whose_relation_is_stored(
    owner: User, pairs_read: list[frozenset[str]]
) -> None:
    texts = [*FACTS, PLAIN, NEARER]
    remember_all(actor_for(owner), [RememberRequest(Draft(text)) for text in texts])
    compare_pending(60)
    near = {pair: cosine for text in texts for pair, cosine in cosines(text, texts).items() if len(pair) == 2}
    assert any(MIN_POSSIBLE_COSINE < cosine < MIN_STORED_COSINE for cosine in near.values())
    assert set(pairs_read) == {pair for pair, cosine in near.items() if cosine >= MIN_STORED_COSINE} != set()


def test_a_text_that_says_less_than_a_stored_one_repeats_it(owner: User, pairs_read: list[frozenset[str]]) -> None:
    stored = "Ada has coeliac disease, diagnosed in January 2025, so strictly no gluten."
    [outcome] = remember_all(actor_for(owner), [RememberRequest(Draft(stored))])
    again = remember(actor_for(owner), RememberRequest(Draft("Ada can't have gluten as she's coeliac.")))
    assert [memory.text for memory, _ in again.neighbours.active] == [stored]
    assert (again.is_duplicate, again.possibly_outdated, pairs_read) == (False, [], [])
    [compared] = Comparison.objects.filter(memory=again.memory_id)
    assert isinstance(outcome, RememberOutcome)
    assert (compared.repeats, compared.changes) == ([outcome.memory_id], [])
