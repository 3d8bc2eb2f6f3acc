"""Tests of the recall quality of the shipped model on the collections of the benchmarks."""

from __future__ import annotations

import pytest
from pytest_django import Settings

from benchmarks.fitting.weights import recall_at
from benchmarks.support.datasets import shipped
from memories.access import View
from memories.drafts import Draft
from memories.recall.pipeline import Query, recall
from memories.writing.deduplication import DedupPolicy
from memories.writing.remembering import RememberRequest, remember_all
from tests.support.factories import actor_for, make_user


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "first", "among_five"),
    [("conversations", 0.36, 0.83), ("facts", 0.75, 0.92), ("documents", 0.62, 0.85)],
)
def test_what_answers_a_question_is_found(name: str, first: float, among_five: float, settings: Settings) -> None:
    settings.EMBEDDING_PROVIDER = "local"
    owner, collection = make_user(), shipped(name)
    drafts = [Draft(text.text, session_id=text.session, created_at=text.at) for text in collection.texts]
    remember_all(actor_for(owner), [RememberRequest(draft, DedupPolicy.INSERT) for draft in drafts])
    keys = {text.text: text.key for text in collection.texts}
    found = [
        [keys[match.memory.text] for match in recall(View.whole(owner.pk), Query(asked.text)).matches]
        for asked in collection.questions
    ]
    answers = [asked.answers for asked in collection.questions]
    assert recall_at(1, found, answers) >= first
    assert recall_at(5, found, answers) >= among_five
