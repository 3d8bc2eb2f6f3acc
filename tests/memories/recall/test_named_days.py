"""Tests of recall by the days that memories name."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from memories.access import View
from memories.corpus import MEMORIES
from memories.models import Memory
from memories.recall import candidates, pipeline
from memories.recall.candidates import candidates_sql
from memories.recall.dated import Dated
from memories.recall.matches import Match
from memories.recall.pipeline import Mode, Query, gather_candidates, recall
from memories.recall.relevance import BEGINS_THEN, DATED_CONFIDENCE, Precision
from memories.times.time_questions import asked_next
from memories.writing.lifecycle import forget_memory
from oauthserver.models import User
from tests.support.factories import actor_for, make_memory, make_user
from tests.support.matches import ranked_candidate

SAID = datetime(2026, 5, 6, 9, tzinfo=UTC)
ASKED = datetime(2026, 5, 11, 9, tzinfo=UTC)


@pytest.fixture(autouse=True)
def owners_time_zone(settings: Settings) -> None:
    settings.OWNER_TIME_ZONE = UTC


@pytest.fixture
def owner(db: None) -> User:
    return make_user()


def said(owner: User, text: str, **details: object) -> Memory:
    return make_memory(owner, text, created_at=SAID, **details)


def asked(owner: User, question: str, *tags: str, at: datetime = ASKED, limit: int = 8) -> list[Match]:
    return recall(View(owner.pk, tags), Query(question, limit, asked_at=at)).matches


def time_of(owner: User, question: str, memory: Memory, at: datetime = ASKED) -> float:
    return {match.memory: match.parts["time"] for match in asked(owner, question, at=at)}[memory]


@pytest.mark.parametrize(
    "question",
    [
        *("What do I have on 21 May?", "What's on next week?", "On Thursday next week?", "Was ist am 21. Mai?"),
        *("What do I have planned in the next two weeks?", "Was habe ich in den nächsten 10 Tagen vor?"),
    ],
)
def test_a_question_about_a_day_raises_what_names_it(owner: User, question: str) -> None:
    dentist = said(owner, "Dr. Amiri, new slot Thu 21 May 08:15")
    other = said(owner, "Dr. Amiri has a new assistant")
    assert time_of(owner, question, dentist) > 0
    assert time_of(owner, question, other) == 0


def test_what_was_stored_today_is_not_about_the_coming_weeks(owner: User) -> None:
    today = make_memory(owner, "Dr. Amiri has a new assistant", created_at=ASKED)
    assert time_of(owner, "What do I have in the next two weeks?", today) == 0
    assert time_of(owner, "What did I say in the last two weeks?", today) > 0


def test_a_day_that_was_to_come_is_found_when_it_is_past(owner: User) -> None:
    dentist = said(owner, "Dr. Amiri next Tuesday")
    later = ASKED + timedelta(days=7)
    assert time_of(owner, "Where was I last week?", dentist, at=later) > 0
    assert time_of(owner, "Where was I yesterday?", dentist, at=later) == 0


def test_every_day_of_a_period_is_named(owner: User) -> None:
    holiday = said(owner, "We are in Brittany from 18 July to 1 August")
    assert time_of(owner, "Are we at home on 25 July?", holiday) > 0
    assert time_of(owner, "Are we at home on 2 August?", holiday) == 0


@pytest.mark.parametrize("text", ["Turnover this year will be about 68,000", "Ich will 2026 weniger fliegen"])
def test_what_is_said_of_a_year_is_not_about_its_days(owner: User, text: str) -> None:
    of_year = said(owner, text)
    for question in ("What's on tomorrow?", "What's on this weekend?", "Was ist am 14. Mai?", "What's on in June?"):
        found = asked(owner, question)
        assert all(match.parts["time"] == 0 and match.relevance < BEGINS_THEN / 2 for match in found), question
    assert time_of(owner, "What do I want to do this year?", of_year) > 0


def test_a_day_in_a_year_that_is_also_named_is_found(owner: User) -> None:
    wedding = said(owner, "The last wedding this year is on 12 December")
    assert time_of(owner, "What's on on 12 December?", wedding) > 0
    assert time_of(owner, "What's on on 13 December?", wedding) == 0


def test_what_i_did_is_not_to_come(owner: User) -> None:
    past = said(owner, "Shot the wedding of the Hills on 10 April 2026")
    to_come = said(owner, "Wedding of the Moores on 10 April 2027")
    assert time_of(owner, "What did I do in April?", past) > 0
    assert time_of(owner, "What did I do in April?", to_come) == 0


def test_what_names_the_day_is_found_whatever_else_it_says(owner: User) -> None:
    vet = said(owner, "Rabies booster due 30 June")
    for number in range(90):
        said(owner, f"what do I have on the shelf: jar {number}")
    question = "What do I have on 30 June?"
    near = gather_candidates(View.whole(owner.pk), Query("What do I have on the shelf", asked_at=ASKED)).candidates
    assert vet.pk not in {candidate.item_id for candidate in near}
    found = gather_candidates(View.whole(owner.pk), Query(question, asked_at=ASKED)).candidates
    assert vet.pk in {candidate.item_id for candidate in found}


def test_only_the_newest_are_found_by_a_day_alone(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, "MAX_NAMING_DAYS", 2)
    monkeypatch.setattr(pipeline, "POOL_MINIMUM", 1)
    days = [said(owner, f"Rabies booster {number} due 30 June") for number in range(4)]
    for number in range(9):
        said(owner, f"what do I have on the shelf: jar {number}")
    found = gather_candidates(View.whole(owner.pk), Query("what do I have on 30 June", 1, asked_at=ASKED)).candidates
    named = {candidate.item_id for candidate in found if candidate.is_named_day}
    assert {memory.pk for memory in days[2:]} <= named
    assert not {memory.pk for memory in days[:2]} <= named


def test_what_names_the_day_outside_of_the_view_stays_unseen(owner: User) -> None:
    said(owner, "Rabies booster due 30 June", tags=["pets"])
    forgotten = said(owner, "Slides due 30 June", tags=["work"])
    forget_memory(actor_for(owner), forgotten.pk)
    said(make_user(), "Rent due 30 June", tags=["work"])
    assert asked(owner, "What do I have on 30 June?", "work") == []


def test_a_past_memory_comes_after_one_as_good_and_is_not_hidden(owner: User) -> None:
    past = said(owner, "Pool closed until Friday")
    current = said(owner, "Pool closed until June")
    found = asked(owner, "Is the pool closed?", at=datetime(2026, 5, 20, tzinfo=UTC))
    assert {match.memory for match in found} == {past, current}
    assert found[0].memory == current
    assert found[1].parts["past"] < 0
    assert found[0].parts["past"] == 0


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("question", "mode", "queries"),
    [
        ("tea on 30 June", Mode.HYBRID, 5),
        ("tea in 2025", Mode.HYBRID, 4),
        ("tea on 30 June", Mode.KEYWORD, 3),
        ("tea on 30 June", Mode.SEMANTIC, 1),
    ],
)
def test_a_question_about_few_days_takes_one_more_query(
    question: str, mode: Mode, queries: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    owner = make_user()
    said(owner, "Ada has tea on 30 June")
    recall(View.whole(owner.pk), Query(question, mode=mode))
    with django_assert_num_queries(queries):
        recall(View.whole(owner.pk), Query(question, mode=mode, asked_at=timezone.now()))


def test_the_statement_is_short_enough_to_be_cached() -> None:
    # psycopg's MAX_CACHED_STATEMENT_LENGTH.
    assert len(candidates_sql(MEMORIES, MEMORIES.inactive_ids)) <= 4096


# --- Questions that ask only what is on at a time

WATER = "Gartenverein: Wasser wird am Montag abgedreht"


def fill(owner: User) -> None:
    for thing in ("attic is cold", "roof leaks", "cat sleeps", "plum jam is sour", "stairs creak", "lamp is green"):
        said(owner, f"The {thing}")
    for number in range(40):
        said(owner, f"What's on the shelf: jar {number}")


@pytest.mark.parametrize(
    "question",
    [
        "What's on Monday?",
        "What's happening next week?",
        "Was ist am 18. Mai?",
        "¿Qué hay el lunes?",
        "Cosa c'è lunedì prossimo?",
    ],
)
def test_what_is_on_then_comes_first_in_whatever_language(owner: User, question: str) -> None:
    fill(owner)
    water = make_memory(owner, WATER, created_at=ASKED)
    query = Query(question, asked_at=ASKED, precision=Precision.HIGH)
    outcome = recall(View.whole(owner.pk), query)
    assert outcome.matches[0].memory == water
    assert outcome.matches[0].relevance >= 0.5
    assert outcome.confidence >= 0.5


def test_what_begins_then_comes_before_what_mentions_the_day(owner: User) -> None:
    fill(owner)
    broken = make_memory(owner, "What's on: the lift is broken until Friday next week", created_at=ASKED)
    water = make_memory(owner, WATER, created_at=ASKED)
    assert [match.memory for match in asked(owner, "What's on Monday?")][:2] == [water, broken]


def test_a_moved_appointment_comes_behind_what_is_on_with_its_new_day(owner: User) -> None:
    old = make_memory(
        owner, "The handover of the flat is on Monday 18 May at 9", created_at=SAID, last_confirmed_at=SAID
    )
    moved = make_memory(owner, "The handover of the flat was moved to 20 May", created_at=ASKED)
    water = make_memory(owner, WATER, created_at=ASKED)
    found = asked(owner, "What's on Monday?")
    assert [match.memory for match in found][:3] == [water, moved, old]
    assert found[2].superseded_by == moved.pk


def test_without_anything_on_that_day_nothing_is_raised(owner: User) -> None:
    fill(owner)
    make_memory(owner, WATER, created_at=ASKED)
    outcome = recall(View.whole(owner.pk), Query("What's on Tuesday?", asked_at=ASKED, precision=Precision.HIGH))
    assert outcome.matches == []


def test_a_question_that_asks_for_more_ranks_by_relevance(owner: User) -> None:
    fill(owner)
    make_memory(owner, WATER, created_at=ASKED)
    vet = make_memory(owner, "The vet is Dr. Pichler", created_at=ASKED)
    assert asked(owner, "Who is the vet on Monday?")[0].memory == vet


# --- Questions about what is to come, and about the next of something


def test_what_is_planned_in_a_time_comes_before_what_is_not(owner: User) -> None:
    said(owner, "School Christmas fair on Saturday 5 December")
    said(owner, "Maya is getting a hamster for Christmas this year")
    holiday = said(owner, "Family holiday booked: Northumberland, cottage in Bamburgh, 27 to 31 December.")
    for question in (
        "Where are we going between Christmas and New Year?",
        "Wohin fahren wir zwischen Weihnachten und Neujahr?",
        "Where are we going on 28 December?",
    ):
        assert asked(owner, question)[0].memory == holiday, question


def test_what_was_corrected_later_still_happened(owner: User) -> None:
    shot = said(owner, "Shot the Hargreaves wedding at Whirlowbrook Hall on 10 April 2026")
    make_memory(owner, "Delivered the Hargreaves gallery on 8 May, Beth was thrilled", created_at=ASKED)
    assert asked(owner, "What did I do in April?")[0].memory == shot


@pytest.mark.parametrize(
    "question",
    [
        *("When's my next wedding?", "What is the next wedding?", "Wann ist meine nächste Hochzeit?"),
        *("C'est quand mon prochain mariage ?", "¿Cuándo es mi próxima boda?", "Quando è il mio prossimo matrimonio?"),
    ],
)
def test_the_next_of_something_is_the_nearest_to_come(owner: User, question: str) -> None:
    said(owner, "Shot the Hargreaves wedding on 2 May 2026")
    said(owner, "Wedding of Fiona and Greg on 5 June 2027 at Peak Edge Hotel, they want the full-day package")
    said(owner, "At most 22 weddings in 2027, and no weddings in January")
    nearest = said(owner, "The Okafor-Lindley wedding is on 12 December 2026, contact Chidi 07700 900431")
    found = recall(View.whole(owner.pk), Query(question, asked_at=ASKED))
    assert found.matches[0].memory == nearest
    assert found.matches[0].relevance >= BEGINS_THEN
    assert found.confidence >= DATED_CONFIDENCE


def test_the_next_appointment_is_not_a_past_one(owner: User) -> None:
    past = said(owner, "Dentist appointment next Thursday at 9:15")
    to_come = said(owner, "The dentist found a crack in a molar; crown fitting is on 3 June at 14:00")
    found = asked(owner, "When's my next dentist appointment?", at=datetime(2026, 5, 20, tzinfo=UTC))
    assert [match.memory for match in found] == [to_come, past]


def test_the_next_birthday_is_that_of_every_year(owner: User) -> None:
    said(owner, "Sarah's 40th birthday party is on 16 January 2028")
    nearest = said(owner, "Dev's birthday is on 19 December. He wants a new pannier bag.")
    later = datetime(2027, 12, 1, tzinfo=UTC)
    assert asked(owner, "When's the next birthday?", at=later)[0].memory == nearest


def test_a_question_about_next_week_is_not_about_the_next_of_something() -> None:
    assert asked_next("What's on next week?") == []
    assert asked_next("What comes after the wedding?") == []
    assert asked_next("When's my next appointment?") == ["appointment"]
    assert asked_next("When's Maya's next exam?") == ["maya", "exam"]


def test_what_is_replaced_comes_after_another_on_the_same_day_and_before_later_ones() -> None:
    day, later = date(2026, 12, 12), date(2027, 6, 5)
    matches = [Match(Memory(pk=pk), 0.5, ranked_candidate(pk, 0.5)) for pk in (1, 2, 3, 4, 5)]
    dated = Dated(following=((day, 2), (day, 4), (later, 5)))
    assert [match.memory.pk for match in dated.first(matches, {2: {3}})] == [4, 3, 2, 5, 1]
    assert dated.next_id({2}) == 4
    assert dated.next_id({2, 4, 5}) is None
