"""Tests of matches, and of those that may contradict each other."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from memories.access import View
from memories.embeddings import get_embedder
from memories.models import Memory, MemoryVector
from memories.recall.matches import RANK_TOLERANCE, Match, Passage, load_matches, prefer_latest_confirmed
from memories.recall.ranking import Ranked, rank
from memories.recall.signals import SEMANTIC, Candidate
from memories.vectors.spaces import current_space_id
from memories.writing.lifecycle import forget_memory
from oauthserver.models import User
from tests.support.embeddings.embedders import use_windows
from tests.support.factories import actor_for, make_memory, make_user

NOW = datetime(2026, 5, 17, tzinfo=UTC)


def match(number: int, rank: float, days_old: int = 0, conflicts_with: tuple[int, ...] = ()) -> Match:
    memory = Memory(pk=number, last_confirmed_at=NOW - timedelta(days=days_old))
    return Match(memory, 0.5, {"similarity": rank}, conflicts_with)


def ranked(*memories: Memory) -> list[Ranked]:
    """Return the memories, ranked in this order."""
    candidates = [Candidate(memory.pk, 0.5, 1 - 0.01 * place) for place, memory in enumerate(memories)]
    return rank(candidates, SEMANTIC, timezone.now())


def ids(*matches: Match) -> list[int]:
    return [found.memory.pk for found in prefer_latest_confirmed(matches)]


def test_of_two_that_conflict_the_one_confirmed_last_goes_first() -> None:
    assert ids(match(1, 0.9, 9, (2,)), match(2, 0.88, 1, (1,))) == [2, 1]


def test_what_is_plainly_more_relevant_stays_first() -> None:
    assert ids(match(1, 0.9, 9, (2,)), match(2, 0.89 - RANK_TOLERANCE, 1, (1,))) == [1, 2]


def test_a_confirmation_of_the_same_day_tells_nothing() -> None:
    soon = Match(Memory(pk=2, last_confirmed_at=NOW + timedelta(hours=1)), 0.5, {"similarity": 0.89}, (1,))
    assert ids(match(1, 0.9, 0, (2,)), soon) == [1, 2]


@pytest.mark.parametrize("of_the_future", [1, 2])
def test_a_confirmation_of_the_future_tells_nothing_and_the_one_written_later_goes_first(of_the_future: int) -> None:
    """Such a confirmation was recorded while the clock was wrong."""
    in_a_year = timezone.now() + timedelta(days=365)
    first, second = match(1, 0.9, 9, (2,)), match(2, 0.88, 1, (1,))
    {1: first, 2: second}[of_the_future].memory.last_confirmed_at = in_a_year
    assert ids(first, second) == [2, 1]
    assert ids(second, first) == [2, 1]


def test_without_a_conflict_the_order_stays() -> None:
    assert ids(match(1, 0.9, 9), match(2, 0.89, 1)) == [1, 2]


def test_of_several_the_newest_passes_all_that_it_outdates() -> None:
    assert ids(match(1, 0.9, 9, (2, 3)), match(2, 0.89, 5, (1, 3)), match(3, 0.88, 1, (1, 2))) == [3, 2, 1]


def test_one_match_and_none_are_latest_first() -> None:
    assert (ids(match(1, 0.9)), ids()) == ([1], [])


@pytest.mark.django_db
def test_a_match_is_the_memory_as_it_is_stored() -> None:
    owner = make_user()
    stored = make_memory(owner, "Ada has tea", tags=["tea"], session_id="morning", importance=0.9)
    (match,) = load_matches(View.whole(owner.pk), ranked(stored), current_space_id(), None)
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
    assert [match.memory.pk for match in load_matches(view, found, current_space_id(), None)] == [kept.pk]


@pytest.mark.django_db
def test_a_match_names_no_other_that_is_none() -> None:
    owner = make_user()
    same = [
        make_memory(owner, f"The harbour of Graz is deep and cold in winter, part {n}", tags=[n])
        for n in ("one", "two", "three")
    ]
    both = load_matches(View(owner.pk, ("one", "two")), ranked(*same), current_space_id(), None)
    assert [match.conflicts_with for match in both] == [[same[1].pk], [same[0].pk]]
    assert [match.conflicts_with for match in load_matches(View.whole(owner.pk), ranked(*same), None, None)] == [
        [],
        [],
        [],
    ]


# --- Passages of long texts

WINDOW_BYTES = 60
SHIP = "The ship 🚢 Marigold sails at dawn with tea."
CAT = "A grey cat sleeps on the warm stove all day."
PAINT = "Nobody has painted the fence since last autumn."


def matches_for(owner: User, question: str, *memories: Memory) -> list[Match]:
    return load_matches(
        View.whole(owner.pk), ranked(*memories), current_space_id(), get_embedder().embed_query(question)
    )


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
    (found,) = load_matches(View.whole(owner.pk), ranked(long), None, None)
    assert found.passage is None


def test_long_texts_contradict_each_other_by_what_was_found_in_them(owner: User) -> None:
    one = make_memory(owner, " ".join([SHIP, CAT, PAINT]))
    other = make_memory(owner, " ".join([PAINT, "Goats are in the yard behind us.", CAT.replace("grey", "red")]))
    unlike = make_memory(owner, " ".join([SHIP, "Invoices are due within thirty days of delivery."]))
    found = matches_for(owner, CAT, one, other, unlike)
    assert [match.conflicts_with for match in found] == [[other.pk], [one.pk], []]
