"""Tests that the current statement comes before those that it replaces."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from memories.models import Memory
from memories.recall.corrections import MAX_LEAD, MAX_LEAD_OF_CONTRADICTED, MAX_LEAD_OF_READ, put_current_first
from memories.recall.matches import Match, Pairs
from memories.times.periods import Period
from tests.support.matches import ranked_candidate

NOW = datetime(2026, 5, 17, tzinfo=UTC)
QUESTION = "Where is the tea?"
PLAN = "The party for Ada is booked at the Rabenwirt"
CHANGE = "The party for Ada is no longer at the Rabenwirt: we celebrate in the garden"
LATER = "The party for Ada was postponed and moved to Linz"


def match(number: int, rank: float, text: str = "Tea", days_old: float = 0) -> Match:
    memory = Memory(pk=number, text=text, last_confirmed_at=NOW - timedelta(days=days_old))
    return Match(memory, 0.5, ranked_candidate(number, rank))


def near(*numbers: int, cosine: float = 0.7) -> Pairs:
    return Pairs({(high, low): cosine for high in numbers for low in numbers if high > low})


def order(*matches: Match, pairs: Pairs, limit: int = 8, may_move: bool = True) -> list[int]:
    return [found.memory.pk for found in put_current_first(matches, pairs, QUESTION, limit, may_move=may_move)]


def test_a_correction_comes_before_what_it_corrects_and_both_are_marked() -> None:
    old, new = put_current_first(
        [match(1, 0.9, PLAN, 9), match(2, 0.6, CHANGE, 1)], near(1, 2), QUESTION, 8, may_move=True
    )[::-1]
    assert (new.memory.pk, new.superseded_by, list(new.conflicts_with)) == (2, None, [1])
    assert (old.memory.pk, old.superseded_by, list(old.conflicts_with)) == (1, 2, [2])


def test_the_order_of_confirmation_counts_not_that_of_storing() -> None:
    confirmed = match(1, 0.9, PLAN, days_old=0), match(2, 0.8, CHANGE, days_old=5)
    assert order(*confirmed, pairs=near(1, 2)) == [1, 2]
    assert [found.superseded_by for found in put_current_first(confirmed, near(1, 2), QUESTION, 8, may_move=True)] == [
        None,
        None,
    ]


def test_a_correction_that_is_plainly_less_relevant_stays_where_it_is() -> None:
    assert order(match(1, 0.9, PLAN, 9), match(2, 0.89 - MAX_LEAD, CHANGE, 1), pairs=near(1, 2)) == [1, 2]


def test_a_correction_passes_an_older_statement_that_has_more_words_of_the_question() -> None:
    assert order(match(1, 1.6, PLAN, 9), match(2, 1.61 - MAX_LEAD, CHANGE, 1), pairs=near(1, 2)) == [2, 1]


@pytest.mark.parametrize(("lead", "expected"), [(-0.01, [2, 1]), (0.01, [1, 2])])
def test_a_contradiction_without_a_sign_of_change_passes_only_what_ranks_similarly(
    lead: float, expected: list[int]
) -> None:
    old = match(1, 1.0, "The bins are emptied on Monday morning", 9)
    new = match(2, 1.0 - MAX_LEAD_OF_CONTRADICTED - lead, "The bins are emptied on Friday morning", 1)
    assert order(old, new, pairs=near(1, 2, cosine=0.9)) == expected


def test_the_last_correction_passes_all_that_it_corrects() -> None:
    found = put_current_first(
        [match(1, 0.9, PLAN, 9), match(2, 0.8, CHANGE, 5), match(3, 0.7, LATER, 1)],
        near(1, 2, 3),
        QUESTION,
        8,
        may_move=True,
    )
    assert [each.memory.pk for each in found] == [3, 2, 1]
    assert [each.superseded_by for each in found] == [None, 3, 3]


def test_a_correction_beyond_the_limit_takes_a_place_in_the_result() -> None:
    others = [match(number, 0.9 - number / 100) for number in range(10, 17)]
    matches = [*others, match(1, 0.6, PLAN, 9), match(2, 0.5, CHANGE, 1)]
    assert order(*matches, pairs=near(1, 2)) == [*range(10, 17), 2]


def test_where_the_order_must_stay_corrections_are_only_marked() -> None:
    found = put_current_first(
        [match(1, 0.9, PLAN, 9), match(2, 0.6, CHANGE, 1)], near(1, 2), QUESTION, 8, may_move=False
    )
    assert [(each.memory.pk, each.superseded_by) for each in found] == [(1, 2), (2, None)]


def test_a_match_names_no_memory_that_is_not_in_the_result() -> None:
    (only,) = put_current_first(
        [match(1, 0.9, PLAN, 9), match(2, 0.6, CHANGE, 1)], near(1, 2), QUESTION, 1, may_move=False
    )
    assert (only.superseded_by, list(only.conflicts_with)) == (None, [])


def test_of_two_that_contradict_each_other_the_one_confirmed_last_comes_first() -> None:
    monday, friday = "The bin is emptied on Monday", "The bin is emptied on Friday"
    found = put_current_first(
        [match(1, 0.9, monday, 9), match(2, 0.8, friday, 1)], near(1, 2, cosine=0.9), QUESTION, 8, may_move=True
    )
    assert [(each.memory.pk, each.superseded_by, list(each.conflicts_with)) for each in found] == [
        (2, None, [1]),
        (1, None, [2]),
    ]


def test_paraphrases_keep_their_order_and_conflict_with_nothing() -> None:
    found = put_current_first(
        [match(1, 0.9, "Ada loves dark chocolate", 9), match(2, 0.8, "Dark chocolate is what Ada adores", 1)],
        near(1, 2, cosine=0.9),
        QUESTION,
        8,
        may_move=True,
    )
    assert [(each.memory.pk, list(each.conflicts_with)) for each in found] == [(1, []), (2, [])]


def test_words_that_many_matches_share_are_no_evidence_of_one_subject() -> None:
    """All are about the regatta. The last decision about it does not correct each earlier one."""
    topics = ("licence", "colours", "servers", "tests")
    matches = [match(number, 0.9 - number / 100, f"the regatta {topic}", 9) for number, topic in enumerate(topics, 1)]
    new = match(9, 0.8, "postponed: the regatta start", 1)
    assert order(*matches, new, pairs=near(1, 2, 3, 4, 9, cosine=0.5)) == [1, 2, 3, 4, 9]
    assert order(matches[0], new, pairs=near(1, 9, cosine=0.5)) == [9, 1]


@pytest.mark.parametrize("wrong", [1, 2])
def test_if_a_confirmation_is_in_the_future_ids_decide(wrong: int) -> None:
    """Such a confirmation was recorded while the clock was wrong."""
    first, second = match(1, 0.9, PLAN, 9), match(2, 0.8, CHANGE, 9)
    {1: first, 2: second}[wrong].memory.last_confirmed_at = timezone.now() + timedelta(days=365)
    assert order(first, second, pairs=near(1, 2)) == [2, 1]


def test_no_matches_give_no_result() -> None:
    assert order(pairs=Pairs()) == []


def test_a_word_of_the_question_that_both_contain_is_evidence_of_one_subject() -> None:
    old, new = (
        match(1, 0.9, "I park in the yard, behind the house", 9),
        match(2, 0.8, "We moved to the barn and now park in front of it", 1),
    )
    for question, expected in (("Where do I park?", [2, 1]), ("Where is the tea?", [1, 2])):
        found = put_current_first([old, new], near(1, 2, cosine=0.46), question, 8, may_move=True)
        assert [each.memory.pk for each in found] == expected


SAID_OF_ADA = near(1, 2, 3, cosine=0.52)
"""Pairs of memories that all begin with the owner's name, as assistants write them."""


@pytest.mark.parametrize(
    ("older", "newer", "question"),
    [
        (
            "Ada moved from Dresden to Leipzig in 2019.",
            "Ada's meeting has been moved to May.",
            "Where did Ada move from?",
        ),
        ("Ada's meeting has been moved to May.", "Ada moved to Graz in May.", "Where does Ada live?"),
        ("Ada's wedding anniversary is on 12 May.", "Ada's meeting has been moved to 9 May.", "What is on in May?"),
        ("Ada lives with two cats.", "Ada moved to Graz.", "Which animals does Ada have?"),
        ("Ada lives in Leipzig.", "Ada moved to the night shift.", "Where does Ada live?"),
        (
            "The concert of Ada's choir is on 19 May in the cathedral.",
            "Rehearsals of Ada's choir are now on Wednesdays in the parish hall.",
            "When is the concert of Ada's choir?",
        ),
        (
            "Ada's swimming gala is on 5 May in Leeds.",
            "Ada's swimming lessons are now on Saturdays.",
            "When is the gala?",
        ),
        ("Ada is reading The Magic Mountain.", "Ada has stopped reading newspapers.", "What is Ada reading?"),
        ("Ada drives to work by car.", "Ada no longer works on Fridays.", "How does Ada get to work?"),
    ],
)
def test_a_change_of_something_else_corrects_nothing(older: str, newer: str, question: str) -> None:
    matches = [match(1, 0.9, older, 9), match(2, 0.8, newer, 1), match(3, 0.7, "Ada likes tea.", 5)]
    found = put_current_first(matches, SAID_OF_ADA, question, 8, may_move=True)
    assert [each.memory.pk for each in found] == [1, 2, 3]
    assert all(each.superseded_by is None for each in found)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Ada lives in Leipzig.", "Ada has moved to Graz."),
        ("I live in Leipzig.", "We moved to Graz in May."),
        ("I live at 14 Chapel Road.", "We have moved: we now live at 3 Albert Terrace."),
        ("I live in Leipzig.", "I now live in Graz."),
        ("Ada moved to Leipzig in 2019.", "Ada has moved to Graz."),
        ("Ada takes ramipril every morning.", "Ada no longer takes ramipril."),
        ("Ada drives to work by car.", "Ada has stopped driving to work by car, she cycles."),
    ],
)
def test_the_name_alone_is_enough_for_a_move_and_what_has_ended_for_an_end(older: str, newer: str) -> None:
    matches = [match(1, 0.9, older, 9), match(2, 0.8, newer, 1), match(3, 0.7, "Ada likes tea.", 5)]
    found = put_current_first(matches, SAID_OF_ADA, "What about Ada?", 8, may_move=True)
    assert [each.memory.pk for each in found] == [2, 1, 3]
    assert {each.memory.pk: each.superseded_by for each in found} == {2: None, 1: 2, 3: None}


@pytest.mark.parametrize("changes", [frozenset(), frozenset({(2, 1)})], ids=["by words", "by the network"])
def test_two_that_the_owner_calls_true_stay_as_they_are(changes: frozenset[tuple[int, int]]) -> None:
    texts = (
        ("Ada plays the cello.", "Ada's bow is new.")
        if changes
        else ("Ada lives in Leipzig.", "Ada has moved to Graz.")
    )
    matches = [match(1, 0.9, texts[0], 9), match(2, 0.8, texts[1], 1)]
    cosines = near(1, 2, cosine=0.52).cosines
    for settled, expected in ((frozenset(), [2, 1]), (frozenset({(2, 1)}), [1, 2])):
        found = put_current_first(matches, Pairs(cosines, changes, settled), "What about Ada?", 8, may_move=True)
        assert [each.memory.pk for each in found] == expected
        assert any(each.conflicts_with for each in found) == (not settled)


MOVED = datetime(2025, 3, 1, tzinfo=UTC)
MOVED_AGAIN = datetime(2026, 1, 1, tzinfo=UTC)
SECOND = timedelta(seconds=1)


def lives(number: int, rank: float, begins: datetime | None, end: datetime | None, together: float) -> Match:
    """Return a match for a home, last changed that many seconds after the one with the next number was stored."""
    memory = Memory(
        pk=number,
        text=f"Home {number}",
        last_confirmed_at=min(end or NOW, NOW),
        valid_from=begins,
        valid_until=end,
        created_at=NOW - timedelta(days=9 - number),
        updated_at=NOW - timedelta(days=8 - number) + timedelta(seconds=together),
    )
    return Match(memory, 0.5, ranked_candidate(number, rank))


def moves(graz: float, linz: float, bern: float, together: float = 0.01) -> list[Match]:
    """Return three homes with these ranks, each of which ended the one before, the first by rank first."""
    homes = [
        lives(1, graz, None, MOVED - SECOND, together),
        lives(2, linz, MOVED, MOVED_AGAIN - SECOND, together),
        lives(3, bern, MOVED_AGAIN, None, together),
    ]
    return sorted(homes, key=lambda each: -each.rank)


@pytest.mark.parametrize("ranks", [(0.9, 0.8, 0.7), (0.9, 0.7, 0.8), (0.7, 0.9, 0.8), (3.0, 0.1, 0.2), (0.1, 0.2, 0.3)])
@pytest.mark.parametrize(("together", "pairs"), [(0.01, Pairs()), (99.0, near(1, 2, 3, cosine=0.5))])
def test_what_is_true_since_another_one_ended_comes_before_it(
    ranks: tuple[float, float, float], together: float, pairs: Pairs
) -> None:
    found = put_current_first(moves(*ranks, together), pairs, QUESTION, 8, may_move=True)
    assert [(each.memory.pk, each.superseded_by) for each in found] == [(3, None), (2, 3), (1, 2)]


def test_what_begins_when_something_else_ends_does_not_replace_it() -> None:
    """One was not stored to end the other, and they are not about the same subject."""
    for together in (99.0, -1.0):
        found = put_current_first(moves(0.9, 0.8, 0.7, together), Pairs(), QUESTION, 8, may_move=True)
        assert [(each.memory.pk, each.superseded_by) for each in found] == [(1, None), (2, None), (3, None)]


@pytest.mark.parametrize("gap", [0, 2, 86_400, -86_400])
def test_only_what_begins_in_the_second_of_the_end_replaces_it(gap: int) -> None:
    old, new = lives(1, 0.9, None, MOVED - gap * SECOND, 0.01), lives(2, 0.8, MOVED, None, 0.01)
    assert order(old, new, pairs=near(1, 2, cosine=0.5)) == [1, 2]


def test_an_event_on_the_next_day_does_not_take_the_place_of_one() -> None:
    day = timedelta(days=1)
    dentist = lives(1, 0.9, MOVED - day, MOVED - SECOND, 99.0)
    vet = lives(2, 0.8, MOVED, MOVED + day - SECOND, 99.0)
    assert order(dentist, vet, pairs=near(1, 2, cosine=0.5)) == [1, 2]


def test_one_that_was_confirmed_after_its_end_is_not_replaced() -> None:
    old, new = moves(0.9, 0.8, 0.7)[:2]
    old.memory.last_confirmed_at = NOW
    assert order(old, new, pairs=near(1, 2, cosine=0.5)) == [1, 2]


@pytest.mark.parametrize(("year", "expected"), [(2024, [1, 3, 2]), (2025, [2, 1, 3]), (2026, [3, 2, 1])])
def test_a_question_about_an_earlier_time_is_answered_by_what_was_true_then(year: int, expected: list[int]) -> None:
    asked = Period(datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC))
    found = put_current_first(moves(0.9, 0.7, 0.8), Pairs(), QUESTION, 8, may_move=True, period=asked)
    assert [each.memory.pk for each in found] == expected


def test_a_tombstone_comes_after_its_successor() -> None:
    old, new = match(1, 0.9, "Graz"), match(2, 0.5, "Linz")
    old.memory.replaced_by_id = 2
    assert order(old, new, pairs=Pairs()) == [2, 1]
    assert order(old, pairs=Pairs()) == [1]


# --- Changes that are still to come

SOON = NOW + timedelta(days=20)


def dated(found: Match, start: datetime | None, days: float | None) -> Match:
    found.memory.created_at = found.memory.last_confirmed_at
    found.memory.valid_from = start
    found.memory.valid_until = None if start is None or days is None else start + timedelta(days=days) - SECOND
    return found


def marks(*matches: Match, moment: datetime = NOW) -> list[tuple[int, int | None, int | None, list[int]]]:
    found = put_current_first(matches, near(1, 2), QUESTION, 8, may_move=True, moment=moment)
    return [(each.memory.pk, each.superseded_by, each.superseded_later_by, list(each.conflicts_with)) for each in found]


@pytest.mark.parametrize("days", [None, 10, 90])
def test_what_a_later_change_replaces_is_true_until_then(days: float | None) -> None:
    old, new = match(1, 0.9, PLAN, 9), dated(match(2, 0.8, CHANGE, 1), SOON, days)
    assert marks(old, new) == [(1, None, 2, []), (2, None, None, [])]
    assert marks(old, new, moment=SOON) == [(2, None, None, [1]), (1, 2, None, [2])]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Where is the party?", [1, 2]),
        ("Where is the party at the moment?", [1, 2]),
        ("Where will the party be?", [2, 1]),
        ("Where is the party in June?", [2, 1]),
        ("Where is the party in 2027?", [2, 1]),
        ("Where was the party in 2026?", [1, 2]),
    ],
)
@pytest.mark.parametrize("ahead", [0.1, MAX_LEAD])
def test_what_is_true_now_comes_before_a_later_change_unless_the_question_is_about_later(
    question: str, expected: list[int], ahead: float
) -> None:
    old, new = match(1, 0.5, PLAN, 9), dated(match(2, 0.5 + ahead, CHANGE, 1), SOON, None)
    found = put_current_first([new, old], near(1, 2), question, 8, may_move=True, moment=NOW)
    assert [each.memory.pk for each in found] == expected
    assert [each.superseded_later_by for each in sorted(found, key=lambda each: each.memory.pk)] == [2, None]


def test_what_is_true_now_but_plainly_less_relevant_stays_behind_a_later_change() -> None:
    old, new = match(1, 0.5, PLAN, 9), dated(match(2, 0.51 + MAX_LEAD, CHANGE, 1), SOON, None)
    assert [pk for pk, *_ in marks(new, old)] == [2, 1]


@pytest.mark.parametrize(("old_days", "new_days"), [(None, 1), (1, 1), (8, 8)])
def test_a_moved_event_is_replaced_at_once(old_days: float | None, new_days: float) -> None:
    old = dated(match(1, 0.9, PLAN, 9), None if old_days is None else NOW + timedelta(days=5), old_days)
    assert marks(old, dated(match(2, 0.8, CHANGE, 1), SOON, new_days)) == [(2, None, None, [1]), (1, 2, None, [2])]


def test_a_long_time_is_that_of_a_state() -> None:
    """As in "the rent of next year"."""
    old = dated(match(1, 0.9, PLAN, 9), NOW - timedelta(days=300), 365)
    assert marks(old, dated(match(2, 0.8, CHANGE, 1), SOON, 365))[0] == (1, None, 2, [])


# --- Pairs that the cross-encoder has read

ZURICH = "We are Zurich people since spring"
HOME = "The flat is in the Herrengasse"


def test_a_change_that_was_read_needs_no_common_word() -> None:
    read = Pairs(changes={(2, 1)})
    new, old = put_current_first([match(1, 0.9, HOME, 9), match(2, 0.6, ZURICH, 1)], read, QUESTION, 8, may_move=True)
    assert (new.memory.pk, new.superseded_by, list(new.conflicts_with)) == (2, None, [1])
    assert (old.memory.pk, old.superseded_by, list(old.conflicts_with)) == (1, None, [2])


def test_a_change_that_was_read_and_says_so_itself_is_a_correction() -> None:
    read = Pairs(near(1, 2).cosines, {(2, 1)})
    new, old = put_current_first([match(1, 0.9, PLAN, 9), match(2, 0.6, CHANGE, 1)], read, QUESTION, 8, may_move=True)
    assert (new.memory.pk, old.superseded_by) == (2, 2)


def test_of_a_change_that_was_read_the_later_confirmed_one_is_current() -> None:
    assert order(match(1, 0.6, HOME, 1), match(2, 0.9, ZURICH, 9), pairs=Pairs(changes={(2, 1)})) == [1, 2]


def test_a_change_that_was_read_and_is_plainly_less_relevant_stays_where_it_is() -> None:
    assert order(
        match(1, 0.9, HOME, 9), match(2, 0.89 - MAX_LEAD_OF_READ, ZURICH, 1), pairs=Pairs(changes={(2, 1)})
    ) == [1, 2]


def test_a_change_of_a_memory_that_was_not_found_changes_nothing() -> None:
    read = Pairs(changes={(9, 1), (2, 8)})
    assert order(match(1, 0.9, HOME, 9), match(2, 0.6, ZURICH, 1), pairs=read) == [1, 2]


def test_lines_of_a_conversation_change_nothing() -> None:
    lines = [match(1, 0.9, "Ada: I live in Graz, you know", 9), match(2, 0.6, "Ada: I live in Linz, did you know?", 1)]
    assert order(*lines, pairs=Pairs(changes={(2, 1)})) == [1, 2]
