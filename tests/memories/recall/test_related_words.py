"""Tests of words by which memories name what a question calls otherwise."""

from __future__ import annotations

import pytest

from memories.access import View
from memories.recall import keywords
from memories.recall.pipeline import Mode, Query, recall
from memories.recall.related_words import MAX_RELATED_WORDS, related_words
from oauthserver.models import User
from tests.support.factories import make_memory, make_user


@pytest.fixture
def owner(db: None) -> User:
    return make_user()


def found(owner: User, question: str) -> list[str]:
    matches = recall(View.whole(owner.pk), Query(question, mode=Mode.KEYWORD)).matches
    return [match.memory.text for match in matches]


def test_a_question_finds_what_is_named_by_a_related_word(owner: User) -> None:
    make_memory(owner, "Ada reports to Livia since May")
    make_memory(owner, "The fence is green")
    assert found(owner, "Who is my superior?") == ["Ada reports to Livia since May"]


def test_the_words_of_the_question_count_more(owner: User) -> None:
    make_memory(owner, "Livia manages the team as its manager")
    make_memory(owner, "Livia is the boss of the team")
    assert found(owner, "boss")[0] == "Livia is the boss of the team"


def test_a_related_word_that_most_memories_have_is_ignored(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keywords, "MAX_RELATED_POSTINGS", 3)
    for number in range(3):
        make_memory(owner, f"The manager of shop {number}")
    assert found(owner, "Who is my superior?") == []


def test_unrelated_questions_have_no_related_words_and_long_ones_not_too_many() -> None:
    assert related_words("Wo ist der Zaun?") == []
    assert related_words("") == []
    words = related_words("my husband, my mother, my boss, my job, my phone, my car, my doctor, my birthday, my pet")
    assert len(words) == MAX_RELATED_WORDS
    assert len(set(words)) == MAX_RELATED_WORDS
    assert "husband" not in words
