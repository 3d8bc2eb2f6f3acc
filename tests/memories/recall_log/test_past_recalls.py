"""Tests of the recall log: the stored data and its retention."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.core import serializers
from django.db import connection, transaction
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from common.clock import clock_watch
from memories.access import View
from memories.errors import EmbeddingError
from memories.models import Memory, PastRecall, TagSynonym
from memories.recall.filters import Keeper
from memories.recall.pipeline import NEAR_MISSES, Mode, Query, recall
from memories.recall_log.judgements import Judgement
from memories.recall_log.past_recalls import (
    NO_TAG,
    delete_old_recalls,
    pending_recalls,
    query_of,
    record_recall,
    view_of,
)
from memories.tasks import forget_recalls
from memories.writing.lifecycle import hard_delete_memory
from oauthserver.models import User
from tests.support.concurrency import in_threads
from tests.support.embeddings.embedders import use_embedder
from tests.support.factories import actor_for, make_memory, make_user
from tests.support.recalls import ask, say

CARD = "4111 1111 1111 1111"


@pytest.fixture
def owner(db: None, settings: Settings) -> User:
    """An owner whose questions are stored with the recalls."""
    settings.AUDIT_QUERIES = True
    return make_user()


def make_teas(owner: User, count: int) -> list[Memory]:
    return [make_memory(owner, f"Ada has {number} cups of tea") for number in range(count)]


# --- Stored data


def test_a_recall_is_kept_with_its_question_its_filters_and_who_asked(owner: User) -> None:
    before = timezone.now()
    query = Query(
        'tea?\t"green" \\N ö😀',
        limit=3,
        min_score=0.25,
        tags=["drinks"],
        mode=Mode.SEMANTIC,
        since=datetime(2020, 1, 1, tzinfo=UTC),
        until=datetime(2030, 1, 1, tzinfo=UTC),
        keeper=Keeper.USER,
        agent="librarian",
    )
    view = View(owner.pk, ("drinks", "food"))
    past = ask(view, query, client="editor", tool="search")
    assert (past.owner_id, past.client, past.tool, past.milliseconds) == (owner.pk, "editor", "search", 12.5)
    assert before <= past.at <= timezone.now()
    again = query_of(past)
    assert again.asked_at == past.at
    assert (again.text, again.limit, again.min_score, again.tags) == (query.text, 3, 0.25, ["drinks"])
    assert (again.mode, again.since, again.until) == (Mode.SEMANTIC, query.since, query.until)
    assert (again.keeper, again.agent) == (Keeper.USER, "librarian")
    assert view_of(past) == view


def test_matches_and_near_misses_are_kept_in_order_by_number_score_and_parts(owner: User) -> None:
    make_teas(owner, 12)
    view, query = View.whole(owner.pk), Query("How much tea has Ada?", limit=2)
    recalled = recall(view, query)
    past = ask(view, query)
    assert [found["id"] for found in past.matches] == [match.memory.pk for match in recalled.matches]
    assert [found["score"] for found in past.matches] == pytest.approx([m.score for m in recalled.matches], abs=1e-4)
    assert sum(past.matches[0]["parts"].values()) == pytest.approx(recalled.matches[0].rank, abs=1e-3)
    assert [found["relevance"] for found in past.matches] == pytest.approx(
        [match.relevance for match in recalled.matches], abs=1e-3
    )
    assert len(past.near_misses) == NEAR_MISSES
    assert not {found["id"] for found in past.matches} & {found["id"] for found in past.near_misses}


def test_a_match_that_only_names_the_asked_day_is_kept_without_relevance(owner: User) -> None:
    day = timezone.localdate() + timedelta(days=2)
    dentist = make_memory(owner, f"Dentist on {day}")
    past = ask(View.whole(owner.pk), Query(f"What is on {day}?"))
    assert [(found["id"], found["relevance"]) for found in past.matches] == [(dentist.pk, 0.0)]


def test_the_name_of_an_app_is_kept_without_what_cannot_be_stored(owner: User) -> None:
    assert ask(View.whole(owner.pk), Query("tea"), client="note\x00book\ud800" + "k" * 300).client.startswith(
        "notebook?k"
    )


def test_no_text_of_a_memory_is_kept_and_a_hard_delete_leaves_only_its_number(owner: User) -> None:
    tea, other = make_memory(owner, "The tea is in the drawer"), make_memory(owner, "The tea is old")
    past = ask(View.whole(owner.pk), Query("where can I find some?", limit=1))
    say(past, tea, Judgement.USEFUL)
    say(past, other, Judgement.WRONG)
    hard_delete_memory(actor_for(owner), tea.pk)
    past.refresh_from_db()
    kept = serializers.serialize("json", [past])
    assert str(tea.pk) in kept
    assert "drawer" not in kept
    assert [verdict.memory_id for verdict in past.verdicts.all()] == [other.pk]


def test_the_scores_of_a_recall_without_embedder_are_unknown(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    make_teas(owner, 3)

    def fail() -> None:
        raise EmbeddingError("the endpoint is down")

    use_embedder(monkeypatch, fail)
    past = ask(View.whole(owner.pk), Query("tea", limit=1))
    assert past.only_keywords
    assert [found["score"] for found in (*past.matches, *past.near_misses)] == [None, None, None]


def test_a_limited_app_leaves_nothing_about_memories_that_it_may_not_see(owner: User) -> None:
    shown = make_memory(owner, "Tea for work", tags=("work",))
    make_memory(owner, "Tea for two", tags=("family",))
    past = ask(View(owner.pk, ("work",)), Query("tea", limit=1))
    assert [found["id"] for found in past.matches] == [shown.pk]
    assert past.near_misses == []
    assert past.only_tags == ["work"]


# --- The owner's choice


def test_without_the_owners_word_the_question_is_not_kept(owner: User, settings: Settings) -> None:
    settings.AUDIT_QUERIES = False
    make_teas(owner, 1)
    past = ask(View.whole(owner.pk), Query("tea", tags=["my hiv test result"]))
    assert past.query == ""
    assert past.tags == []
    assert len(ask(View.whole(owner.pk), Query("tea")).matches) == 1


def test_tags_are_kept_as_they_are_looked_for(owner: User) -> None:
    TagSynonym.objects.create(owner=owner, variant="beverages", canonical="drinks")
    past = ask(View.whole(owner.pk), Query("tea", tags=["Beverages", "drinks", "🙂" * 900_000]))
    assert past.tags == ["drinks"]


def test_tags_of_which_nothing_is_left_find_nothing_when_asked_again(owner: User) -> None:
    make_teas(owner, 1)
    past = ask(View.whole(owner.pk), Query("tea", tags=["🙂" * 900_000]))
    assert past.tags == [NO_TAG]
    assert recall(view_of(past), query_of(past)).matches == []


@pytest.mark.parametrize("question", [f"whose card is {CARD}?", f"what is AKIA{'A' * 16} for?"])
def test_a_question_with_a_secret_is_not_kept(owner: User, question: str) -> None:
    assert ask(View.whole(owner.pk), Query(question)).query == ""


@pytest.mark.parametrize("setting", ["AUDIT_RECALLS", "AUDIT_DAYS"])
def test_nothing_is_kept_that_would_go_at_once(owner: User, settings: Settings, setting: str) -> None:
    ask(View.whole(owner.pk), Query("tea"))
    setattr(settings, setting, 0)
    delete_old_recalls()
    assert not PastRecall.objects.exists()


def test_without_recalls_to_keep_none_waits(owner: User, settings: Settings) -> None:
    settings.AUDIT_RECALLS = 0
    record_recall(
        View.whole(owner.pk),
        Query("tea"),
        recall(View.whole(owner.pk), Query("tea")),
        client="",
        tool="",
        milliseconds=1,
    )
    assert not pending_recalls._waiting


# --- Retention


def test_of_each_owner_the_newest_stay(owner: User, settings: Settings) -> None:
    settings.AUDIT_RECALLS = 2
    other = make_user()
    foreign = ask(View.whole(other.pk), Query("coffee"))
    asked = [ask(View.whole(owner.pk), Query(f"tea {number}")) for number in range(4)]
    forget_recalls(0)
    assert set(PastRecall.objects.values_list("pk", flat=True)) == {foreign.pk, asked[2].pk, asked[3].pk}


def test_recalls_of_before_the_clock_went_back_push_out_no_newer_ones(owner: User, settings: Settings) -> None:
    settings.AUDIT_RECALLS = 2
    asked = [ask(View.whole(owner.pk), Query(f"tea {number}")) for number in range(4)]
    in_a_year = timezone.now() + timedelta(days=365)
    PastRecall.objects.filter(pk__in=[asked[0].pk, asked[1].pk]).update(at=in_a_year)
    forget_recalls(0)
    assert set(PastRecall.objects.values_list("pk", flat=True)) == {asked[2].pk, asked[3].pk}


def test_a_clock_that_was_set_a_moment_ago_lets_no_recall_go_for_its_age(
    owner: User, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = ask(View.whole(owner.pk), Query("tea"))
    PastRecall.objects.update(at=timezone.now() - timedelta(days=365))
    monkeypatch.setattr(clock_watch, "is_steady", lambda: False)
    forget_recalls(0)
    assert PastRecall.objects.get() == old
    settings.AUDIT_RECALLS = 0
    forget_recalls(0)
    assert not PastRecall.objects.exists()


def test_what_is_older_than_the_record_goes_but_not_what_was_judged(owner: User, settings: Settings) -> None:
    (tea,) = make_teas(owner, 1)
    judged, old, new = (ask(View.whole(owner.pk), Query(f"tea {number}")) for number in range(3))
    say(judged, tea, Judgement.WRONG)
    long_ago = timezone.now() - timedelta(days=settings.AUDIT_DAYS, hours=1)
    PastRecall.objects.filter(pk__in=[judged.pk, old.pk]).update(at=long_ago)
    settings.AUDIT_RECALLS = 1
    delete_old_recalls()
    assert set(PastRecall.objects.values_list("pk", flat=True)) == {judged.pk, new.pk}
    say(judged, tea, Judgement.NOTHING)
    delete_old_recalls()
    assert PastRecall.objects.get() == new


@pytest.mark.django_db(transaction=True)
def test_what_is_being_judged_at_that_moment_stays(owner: User, settings: Settings) -> None:
    (tea,) = make_teas(owner, 1)
    judged, _ = (ask(View.whole(owner.pk), Query(f"tea {number}")) for number in range(2))
    settings.AUDIT_RECALLS = 0

    def forget(_: int) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '10s'")
        delete_old_recalls()

    with transaction.atomic():
        say(judged, tea, Judgement.USEFUL)
        in_threads(1, forget)
    assert PastRecall.objects.get() == judged


# --- Cost


def test_keeping_a_recall_asks_the_database_nothing(
    owner: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    make_teas(owner, 3)
    view, query = View.whole(owner.pk), Query("tea")
    recalled = recall(view, query)
    with django_assert_num_queries(0):
        for _ in range(3):
            record_recall(view, query, recalled, client="notebook", tool="recall", milliseconds=1.0)
    with django_assert_num_queries(2):
        pending_recalls.flush()
    assert PastRecall.objects.count() == 3


def test_what_waits_holds_no_text_of_a_memory(owner: User) -> None:
    make_teas(owner, 1)
    view, query = View.whole(owner.pk), Query("drink")
    record_recall(view, query, recall(view, query), client="notebook", tool="recall", milliseconds=1.0)
    (waiting,) = pending_recalls._waiting
    assert "cups" not in repr(waiting)
