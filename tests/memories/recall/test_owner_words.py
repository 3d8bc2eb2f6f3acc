"""Tests of questions about "the user", which are embedded as the owner would ask them."""

from __future__ import annotations

import pytest

from memories.access import View
from memories.recall.owner_words import in_first_person
from memories.recall.pipeline import Mode, Query, recall
from tests.support.factories import make_memory, make_user


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("Is the user allergic to nuts?", "am I allergic to nuts?"),
        ("What does the user eat?", "What do I eat?"),
        ("Where did this user live before?", "Where did I live before?"),
        ("Has the user paid the user's taxes?", "have I paid my taxes?"),
        ("user’s shoe size", "my shoe size"),
        ("Who works with the user on bells?", "Who works with me on bells?"),
        ("What the user likes", "What I likes"),
        ("Which index does the user table have?", "Which index does the user table have?"),
        ("How many users are there?", "How many users are there?"),
        ("Where do I live?", "Where do I live?"),
        ("", ""),
    ],
)
def test_the_user_is_the_one_who_asks(asked: str, meant: str) -> None:
    assert in_first_person(asked) == meant


@pytest.mark.django_db
def test_both_ways_to_ask_find_the_same_meaning() -> None:
    owner = make_user()
    make_memory(owner, "User repairs bells")
    make_memory(owner, "I do not eat nuts")
    both = [
        [(match.memory.text, match.cosine) for match in recall(View.whole(owner.pk), query).matches]
        for query in (
            Query("what does the user repair", mode=Mode.SEMANTIC),
            Query("what do I repair", mode=Mode.SEMANTIC),
        )
    ]
    assert both[0] == both[1]
    assert len(both[0]) == 2
