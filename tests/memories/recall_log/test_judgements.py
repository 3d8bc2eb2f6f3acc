"""Tests of an owner's judgements of matches."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from memories.access import View
from memories.errors import InvalidInput, NotFound
from memories.models import Memory, PastRecall
from memories.recall.filters import Keeper
from memories.recall.pipeline import Query
from memories.recall_log.judgements import MAX_FOUND, Judgement, judge, search_eligible_memories
from oauthserver.models import User
from tests.support.factories import make_expired, make_memory, make_user
from tests.support.recalls import ask, say

NEXT_YEAR = timezone.now() + timedelta(days=365)


@pytest.fixture
def owner(db: None, settings: Settings) -> User:
    """An owner whose questions are stored with the recalls."""
    settings.AUDIT_QUERIES = True
    return make_user()


@pytest.fixture
def tea(owner: User) -> Memory:
    return make_memory(owner, "The tea is in the drawer", tags=("kitchen",))


@pytest.fixture
def past(owner: User, tea: Memory) -> PastRecall:
    return ask(View.whole(owner.pk), Query("where is the tea?"))


def words(past: PastRecall) -> dict[int, bool]:
    return dict(past.verdicts.values_list("memory_id", "is_useful"))


def test_the_last_word_counts_and_can_be_taken_back(past: PastRecall, tea: Memory) -> None:
    for word, kept in [
        (Judgement.USEFUL, {tea.pk: True}),
        (Judgement.USEFUL, {tea.pk: True}),
        (Judgement.WRONG, {tea.pk: False}),
        (Judgement.NOTHING, {}),
        (Judgement.NOTHING, {}),
    ]:
        say(past, tea, word)
        assert words(past) == kept


def test_a_memory_that_was_not_found_can_be_useful(owner: User, past: PastRecall) -> None:
    missing = make_memory(owner, "Darjeeling: second drawer from above")
    say(past, missing, Judgement.USEFUL)
    assert words(past) == {missing.pk: True}


def test_nobody_judges_the_recalls_or_memories_of_others(past: PastRecall, tea: Memory) -> None:
    stranger = make_user()
    with pytest.raises(NotFound):
        judge(stranger.pk, past.pk, tea.pk, Judgement.USEFUL)
    with pytest.raises(NotFound):
        say(past, make_memory(stranger, "Somebody else's tea"), Judgement.USEFUL)
    assert words(past) == {}


@pytest.mark.parametrize(
    "filters",
    [
        {"tags": ["garden"]},
        {"tags": ["🙂"]},
        {"since": NEXT_YEAR},
        {"until": NEXT_YEAR.replace(year=2001)},
        {"keeper": Keeper.AGENT},
        {"agent": "librarian"},
    ],
)
def test_what_the_filters_leave_out_could_not_have_come(owner: User, tea: Memory, filters: dict[str, Any]) -> None:
    past = ask(View.whole(owner.pk), Query("where is the tea?", **filters))
    for wanted in ("tea", str(tea.pk)):
        assert search_eligible_memories(past, wanted) == []
    with pytest.raises(NotFound, match="matches the filters"):
        say(past, tea, Judgement.USEFUL)


def test_what_might_have_come_is_looked_up_however_little_may_be_asked_for(
    past: PastRecall, tea: Memory, settings: Settings
) -> None:
    settings.MAX_RECALL_LIMIT = MAX_FOUND - 1
    assert search_eligible_memories(past, "tea") == [tea]


def test_without_its_question_there_is_nothing_to_judge(owner: User, tea: Memory, settings: Settings) -> None:
    settings.AUDIT_QUERIES = False
    past = ask(View.whole(owner.pk), Query("where is the tea?"))
    with pytest.raises(InvalidInput, match="not stored"):
        say(past, tea, Judgement.WRONG)


def test_only_what_its_app_may_see_could_have_come(owner: User, tea: Memory) -> None:
    past = ask(View(owner.pk, ("work",)), Query("where is the tea?"))
    with pytest.raises(NotFound, match="can see"):
        say(past, tea, Judgement.USEFUL)
    assert search_eligible_memories(past, "tea") == []
    assert search_eligible_memories(past, str(tea.pk)) == []


def test_a_word_about_what_the_app_may_see_no_longer_can_be_taken_back(owner: User, tea: Memory) -> None:
    past = ask(View(owner.pk, ("kitchen",)), Query("where is the tea?"))
    say(past, tea, Judgement.USEFUL)
    Memory.objects.filter(pk=tea.pk).update(tags=["garden"])
    say(past, tea, Judgement.NOTHING)
    assert words(past) == {}


def test_what_might_have_come_is_found_by_words_within_the_filters_and_by_number(owner: User, tea: Memory) -> None:
    garden = make_memory(owner, "Mint for tea grows by the wall", tags=("garden",))
    past = ask(View.whole(owner.pk), Query("where is it?", tags=["garden"], min_score=0.9))
    assert search_eligible_memories(past, "teas") == [garden]
    for number in (str(garden.pk), f" #{garden.pk} "):
        assert search_eligible_memories(past, number) == [garden]
    assert search_eligible_memories(past, "9" * 18) == []
    make_expired(garden)
    assert search_eligible_memories(past, str(garden.pk)) == []
    with pytest.raises(InvalidInput):
        search_eligible_memories(past, "half a pair: \ud800")
