"""Tests of matches, their passages and the cosines between them."""

from __future__ import annotations

import pytest
from django.utils import timezone

from memories.access import View
from memories.embeddings import get_embedder
from memories.embeddings.base import Vector
from memories.models import Memory, MemoryVector
from memories.recall.matches import Match, Pairs, Passage, load_matches
from memories.recall.ranking import Ranked, rank
from memories.recall.signals import SEMANTIC, Candidate
from memories.vectors.spaces import current_space_id
from memories.writing.lifecycle import forget_memory
from oauthserver.models import User
from tests.support.embeddings.embedders import use_windows
from tests.support.factories import actor_for, make_memory, make_user


def ranked(*memories: Memory) -> list[Ranked]:
    """Return the memories, ranked in this order."""
    candidates = [Candidate(memory.pk, 0.5, 1 - 0.01 * place) for place, memory in enumerate(memories)]
    return rank(candidates, SEMANTIC, timezone.now())


def loaded(view: View, found: list[Ranked], vector: Vector | None = None, space_id: int | None = None) -> list[Match]:
    return load_matches(view, found, space_id, vector)[0]


@pytest.mark.django_db
def test_a_match_is_the_memory_as_it_is_stored() -> None:
    owner = make_user()
    stored = make_memory(owner, "Ada has tea", tags=["tea"], session_id="morning", importance=0.9)
    (match,) = loaded(View.whole(owner.pk), ranked(stored))
    kept = Memory.objects.get(pk=stored.pk)
    assert match.memory == kept
    assert {field.attname: getattr(match.memory, field.attname) for field in Memory._meta.concrete_fields} == {
        field.attname: getattr(kept, field.attname) for field in Memory._meta.concrete_fields
    }
    match.memory.save()
    assert Memory.objects.count() == 1


@pytest.mark.django_db
def test_what_was_forgotten_or_hidden_meanwhile_is_no_match() -> None:
    owner, stranger = make_user(), make_user()
    kept, forgotten, hidden = (make_memory(owner, f"Ada has {thing}", tags=[thing]) for thing in ("tea", "rum", "oil"))
    forget_memory(actor_for(owner), forgotten.pk)
    found = ranked(forgotten, hidden, kept, make_memory(stranger, "Ada has rice"))
    view = View(owner.pk, ("tea", "rum"))
    assert [match.memory.pk for match in loaded(view, found)] == [kept.pk]


@pytest.mark.django_db
def test_cosines_are_those_of_related_matches_and_name_no_other_memory() -> None:
    owner = make_user()
    same = [
        make_memory(owner, f"The harbour of Graz is deep and cold in winter, part {n}", tags=[n])
        for n in ("one", "two", "three")
    ]
    other = make_memory(owner, "Invoices are due within thirty days", tags=["one"])
    found = ranked(*same, other)
    _, pairs = load_matches(View(owner.pk, ("one", "two")), found, current_space_id(), None)
    assert list(pairs.cosines) == [(same[1].pk, same[0].pk)]
    assert 0.8 < pairs.cosines[same[1].pk, same[0].pk] < 1
    assert load_matches(View.whole(owner.pk), found, None, None)[1] == Pairs()


# --- Passages of long texts

WINDOW_BYTES = 60
SHIP = "The ship 🚢 Marigold sails at dawn with tea."
CAT = "A grey cat sleeps on the warm stove all day."
PAINT = "Nobody has painted the fence since last autumn."


def matches_for(owner: User, question: str, *memories: Memory) -> list[Match]:
    vector = get_embedder().embed_query(question)
    return loaded(View.whole(owner.pk), ranked(*memories), vector, current_space_id())


@pytest.fixture
def owner(db: None, monkeypatch: pytest.MonkeyPatch) -> User:
    """An owner whose texts are cut into windows of one sentence each."""
    use_windows(monkeypatch, WINDOW_BYTES)
    return make_user()


@pytest.mark.parametrize("wanted", [SHIP, CAT, PAINT])
def test_a_match_names_the_window_of_a_long_text_that_is_nearest(owner: User, wanted: str) -> None:
    long = make_memory(owner, "\n\n".join([SHIP, CAT, PAINT]))
    (found,) = matches_for(owner, wanted, long)
    start = long.text.index(wanted)
    assert found.passage == Passage(start, start + len(wanted), wanted)


def test_a_text_of_one_window_has_no_passage(owner: User) -> None:
    (found,) = matches_for(owner, CAT, make_memory(owner, CAT))
    assert (found.passage, found.memory.text) == (None, CAT)


def test_a_window_whose_place_is_unknown_is_no_passage(owner: User) -> None:
    long = make_memory(owner, " ".join([SHIP, CAT, PAINT]))
    MemoryVector.objects.filter(memory=long).update(start_char=None, end_char=None)
    (found,) = matches_for(owner, CAT, long)
    assert found.passage is None


def test_without_a_vector_of_the_question_there_is_no_passage(owner: User) -> None:
    long = make_memory(owner, " ".join([SHIP, CAT, PAINT]))
    (found,) = loaded(View.whole(owner.pk), ranked(long))
    assert found.passage is None


def test_the_cosine_of_long_texts_is_that_of_what_was_found_in_them(owner: User) -> None:
    one = make_memory(owner, " ".join([SHIP, CAT, PAINT]))
    other = make_memory(owner, " ".join([PAINT, "Goats are in the yard behind us.", CAT.replace("grey", "red")]))
    unlike = make_memory(owner, " ".join([SHIP, "Invoices are due within thirty days of delivery."]))
    vector = get_embedder().embed_query(CAT)
    _, pairs = load_matches(View.whole(owner.pk), ranked(one, other, unlike), current_space_id(), vector)
    assert {pair for pair, cosine in pairs.cosines.items() if cosine > 0.75} == {(other.pk, one.pk)}
