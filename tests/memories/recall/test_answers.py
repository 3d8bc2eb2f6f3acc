"""Tests of the preference for matches that tell the kind of answer that the question asks for."""

from __future__ import annotations

import pytest

from memories.access import View
from memories.recall import answers
from memories.recall.pipeline import Mode, Query, recall
from memories.recall.relevance import Precision
from memories.recall.signals import HYBRID
from oauthserver.models import User
from tests.support.factories import make_memory, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return make_user()


def test_of_two_equal_matches_the_one_that_tells_a_time_answers_when(owner: User) -> None:
    view = View.whole(owner.pk)
    telling = make_memory(owner, "Ferry booked, leaves Tuesday")
    silent = make_memory(owner, "Ferry booked, leaves loudly")
    first, second = recall(view, Query("When does the booked ferry leave?")).matches
    assert [first.memory.pk, second.memory.pk] == [telling.pk, silent.pk]
    assert (first.parts["answer_kind"], second.parts["answer_kind"]) == (HYBRID["answer_kind"], 0)
    assert first.rank == pytest.approx(sum(first.parts.values()))
    assert first.relevance > second.relevance


def test_a_question_that_asks_for_no_kind_changes_nothing(owner: User) -> None:
    make_memory(owner, "Ferry booked, leaves Tuesday")
    (match,) = recall(View.whole(owner.pk), Query("What about the booked ferry?")).matches
    assert match.parts["answer_kind"] == 0


@pytest.mark.parametrize("mode", [Mode.SEMANTIC, Mode.KEYWORD])
def test_it_counts_in_hybrid_mode_only(owner: User, mode: Mode) -> None:
    make_memory(owner, "Ferry booked, leaves Tuesday")
    (match,) = recall(View.whole(owner.pk), Query("When does the booked ferry leave?", mode=mode)).matches
    assert "answer_kind" not in match.parts


def test_it_says_nothing_about_whether_the_answer_is_known(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    make_memory(owner, "Ferry booked, leaves Tuesday")
    asked = Query("When does the booked ferry leave?", precision=Precision.ALL)
    with_kind = recall(View.whole(owner.pk), asked).confidence
    monkeypatch.setattr(answers, "ids_telling", lambda question, texts: set())
    assert recall(View.whole(owner.pk), asked).confidence == with_kind
