"""The text of a briefing: sections, pinned and hidden memories."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memories.access import View
from memories.briefing.composition import HEADING, Briefing, compose_briefing
from memories.embeddings.tokens import count_tokens
from memories.models import Memory
from memories.recall.pipeline import Query, recall
from memories.validation.budgets import MOST_TOKENS
from memories.writing.briefing_places import place_memory
from memories.writing.lifecycle import forget_memory
from oauthserver.models import User
from tests.support.factories import actor_for, make_expired, make_memory, make_user, owner_actor

pytestmark = pytest.mark.django_db
TODAY = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
PINNED, HIDDEN = Memory.BriefingPlace.PINNED, Memory.BriefingPlace.HIDDEN


@pytest.fixture
def owner() -> User:
    return make_user()


def brief(owner: User, max_tokens: int = 300, **limits: object) -> Briefing:
    return compose_briefing(View.whole(owner.pk), TODAY, max_tokens=max_tokens, **limits)  # type: ignore[arg-type]


def place(memory: Memory, where: Memory.BriefingPlace) -> Memory:
    place_memory(owner_actor(memory.owner), memory.pk, where)
    return memory


def test_memories_are_grouped_and_pinned_ones_come_first(owner: User) -> None:
    make_memory(owner, "My dog is called Mochi", tags=["mochi", "pets"], importance=0.9)
    make_memory(owner, "The piano is from Lyon", tags=["lyon"], importance=0.8)
    make_memory(owner, "The cat is afraid of the vacuum cleaner", tags=["cat", "pets"], importance=0.1)
    place(make_memory(owner, "I am allergic to nuts", tags=["pets"], importance=0.0), PINNED)
    assert brief(owner).text == (
        f"{HEADING}\n\n## Pinned by the user\n- I am allergic to nuts\n\n"
        "## pets\n- My dog is called Mochi\n- The cat is afraid of the vacuum cleaner\n\n"
        "## other\n- The piano is from Lyon"
    )


def test_without_topics_there_are_no_headings(owner: User) -> None:
    make_memory(owner, "My dog is called Mochi", tags=["pets"], importance=0.9)
    make_memory(owner, "The piano is from Lyon", importance=0.8)
    assert brief(owner).text == f"{HEADING}\n\n- My dog is called Mochi\n- The piano is from Lyon"


def test_a_pinned_memory_is_in_the_briefing_although_many_others_are_better(owner: User) -> None:
    pinned = make_memory(owner, "The samovar is from Tula", importance=0.0, capture_mode="inferred")
    Memory.objects.filter(pk=pinned.pk).update(last_confirmed_at=TODAY - timedelta(days=900))
    for number in range(80):
        make_memory(owner, f"Fact number {number}", importance=1.0)
    assert pinned.pk not in brief(owner).memory_ids
    place(pinned, PINNED)
    assert brief(owner, max_tokens=40).memory_ids[0] == pinned.pk


def test_a_hidden_memory_is_never_in_the_briefing_but_can_be_recalled(owner: User) -> None:
    hidden = place(make_memory(owner, "I have a secret tattoo", importance=1.0), HIDDEN)
    assert hidden.pk not in brief(owner, max_tokens=MOST_TOKENS).memory_ids
    found = recall(View.whole(owner.pk), Query("secret tattoo")).matches
    assert [match.memory.pk for match in found] == [hidden.pk]


def test_all_pinned_memories_appear_although_they_say_the_same(owner: User) -> None:
    texts = ("My dog is called Mochi.", "My dog is called Mochi!")
    both = [place(make_memory(owner, text), PINNED).pk for text in texts]
    make_memory(owner, "My dog is called Mochi")
    assert brief(owner).memory_ids == both


def test_a_pinned_memory_obeys_view_tags_session_expiry_and_forgetting(owner: User) -> None:
    pinned = place(make_memory(owner, "I play the cello", tags=["music"], session_id="orchestra"), PINNED)
    assert compose_briefing(View(owner.pk, ("work",)), TODAY).memory_ids == []
    assert brief(owner, tags=["work"]).memory_ids == []
    assert brief(owner, session_id="choir").memory_ids == []
    assert compose_briefing(View(owner.pk, ("music",)), TODAY).memory_ids == [pinned.pk]
    make_expired(pinned)
    assert brief(owner).memory_ids == []
    other = place(make_memory(owner, "I play the flute"), PINNED)
    forget_memory(actor_for(owner), other.pk)
    assert brief(owner).memory_ids == []


def test_a_huge_budget_has_the_best_of_each_reason_and_counts_its_tokens(owner: User) -> None:
    ids = {make_memory(owner, f"f{number} g{number} h{number}", tags=[f"t{number % 7}"]).pk for number in range(50)}
    briefing = brief(owner, max_tokens=MOST_TOKENS)
    assert set(briefing.memory_ids) == ids
    assert briefing.tokens == count_tokens(briefing.text)
    assert briefing.text.count("## ") == 7


def test_headings_that_do_not_fit_cost_the_last_memory_its_place(owner: User) -> None:
    for number in range(40):
        make_memory(owner, f"f{number}", tags=[f"antidisestablishmentarianism-{number // 2}"])
    for max_tokens in range(20, 200, 7):
        briefing = brief(owner, max_tokens=max_tokens)
        assert count_tokens(briefing.text) == briefing.tokens <= max_tokens


def test_memories_that_are_too_long_take_no_places(owner: User) -> None:
    for number in range(10):
        make_memory(owner, f"long{number} " * 60, importance=1.0)
    short = {make_memory(owner, f"f{number} g{number} h{number}", importance=0.0).pk for number in range(3)}
    assert set(brief(owner, max_tokens=50).memory_ids) == short
