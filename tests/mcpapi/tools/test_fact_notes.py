"""Tests of the notes on facts in prompts: outdated ones, and those that a later one contradicts."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from mcpapi.tools.fact_notes import QUOTED_CHARS, notes_on
from memories.models import Memory
from memories.recall.matches import Match
from oauthserver.models import User
from tests.support.factories import Assistant, make_memory
from tests.support.matches import ranked_candidate

JUNE, MAY = datetime(2026, 6, 1, 12, tzinfo=UTC), datetime(2026, 5, 8, 12, tzinfo=UTC)
PLAN = "The party for Ada is booked at the Rabenwirt"
CHANGE = "The party for Ada is no longer at the Rabenwirt: we celebrate in the garden"


@pytest.fixture(autouse=True)
def owners_time_zone(settings: Settings) -> None:
    settings.OWNER_TIME_ZONE = UTC


def match(pk: int, text: str, conflicts: tuple[int, ...] = (), superseded: int | None = None, **fields: Any) -> Match:
    memory = Memory(pk=pk, text=text, **{"created_at": JUNE, "last_confirmed_at": JUNE, **fields})
    return Match(memory, 0.5, ranked_candidate(pk, 0.5), conflicts, superseded)


def test_an_outdated_fact_says_since_when_and_what_is_newer() -> None:
    notes = notes_on([match(2, "Tea is in the attic", (1,)), match(1, "Tea is in the hall", (2,), 2), match(3, "Jam")])
    assert notes == {2: "", 1: " (outdated since 1 June 2026; newer: “Tea is in the attic”)", 3: ""}


def test_a_fact_with_a_relative_date_says_the_day() -> None:
    facts = [
        match(1, "Theo lost his first front tooth yesterday."),
        match(2, "Final call with Chidi next Thursday at 6pm", valid_until=timezone.now() + timedelta(days=400)),
        match(3, "We are in Rome until Friday"),
        match(4, "Dentist on 10 June 2026"),
        match(5, "Parks in the third row"),
    ]
    assert notes_on(facts) == {
        1: " (31 May 2026)",
        2: " (4 June 2026)",
        3: " (1 June 2026 to 5 June 2026)",
        4: "",
        5: "",
    }


def test_of_a_newer_fact_that_begins_to_be_true_that_day_counts() -> None:
    old = match(1, "Tea is in the hall", (2,), 2)
    assert "outdated since 8 May 2026;" in notes_on([match(2, "Tea", (1,), valid_from=MAY), old])[1]


def test_a_fact_that_is_true_until_a_newer_one_begins_says_so_and_the_newer_one_has_no_note() -> None:
    soon = timezone.now() + timedelta(days=40)
    old, new = replace(match(1, "The rent is 900"), superseded_later_by=2), match(2, "The rent is 950", valid_from=soon)
    note = f" (outdated from {soon.day} {soon:%B %Y} on; newer: “The rent is 950”)"
    assert notes_on([old, new]) == {1: note, 2: ""}
    assert notes_on([new, old]) == {1: note, 2: ""}
    assert notes_on([old]) == {1: ""}


def test_an_event_that_was_moved_is_outdated_since_that_was_told() -> None:
    """Not from the new day on."""
    soon = timezone.now() + timedelta(days=20)
    new = match(2, "Dentist moved", (1,), valid_from=soon, valid_until=soon + timedelta(days=1))
    old = match(1, "Dentist on 10 December", (2,), 2, valid_from=soon, valid_until=soon + timedelta(hours=5))
    assert "(outdated since 1 June 2026;" in notes_on([new, old])[1]


def test_a_fact_that_a_later_one_contradicts_is_possibly_outdated_and_the_later_one_has_no_note() -> None:
    later = match(2, "The bin is emptied on Friday", (1,))
    notes = notes_on([later, match(1, "The bin is emptied on Monday", (2,), last_confirmed_at=MAY)])
    assert notes == {
        2: "",
        1: " (possibly outdated; confirmed later, on 1 June 2026: “The bin is emptied on Friday”)",
    }


def test_a_past_fact_keeps_its_end_and_names_the_newer_one() -> None:
    past = match(1, "Works at Ribera", (2,), 2, last_confirmed_at=MAY - timedelta(days=1), valid_until=MAY)
    assert notes_on([match(2, "Works at Lindt", (1,)), past])[1] == (
        " (past: until 8 May 2026; newer: “Works at Lindt”)"
    )
    assert notes_on([past])[1] == " (past: until 8 May 2026)"


def test_a_long_newer_fact_is_quoted_in_part_and_on_one_line() -> None:
    note = notes_on([match(2, "Tea\n\n" + "and so on " * 40, (1,)), match(1, "Tea", (2,), 2)])[1]
    assert "newer: “Tea and so on" in note
    assert note.endswith("…”)")
    assert len(note) < QUOTED_CHARS + 60


def remember_both(owner: User) -> None:
    make_memory(owner, PLAN, last_confirmed_at=MAY, created_at=MAY)
    make_memory(owner, CHANGE, last_confirmed_at=JUNE, created_at=JUNE)


def test_a_prompt_says_that_a_fact_is_outdated(assistant: Assistant, owner: User) -> None:
    remember_both(owner)
    prompt = assistant.call("build_context_prompt", user_prompt="Where is the party for Ada?")["prompt"]
    assert f"\n\n{CHANGE}\n\n{PLAN} (outdated since 1 June 2026; newer: “{CHANGE}”)\n\n-----" in prompt


def test_the_note_counts_in_the_limits(assistant: Assistant, owner: User) -> None:
    remember_both(owner)
    for limit in ({"max_chars": len(PLAN) + len(CHANGE)}, {"max_tokens": 40}):
        prompt = assistant.call("build_context_prompt", user_prompt="Where is the party for Ada?", **limit)["prompt"]
        assert CHANGE in prompt
        assert PLAN not in prompt


def test_a_prompt_has_the_facts_that_a_balanced_recall_returns(assistant: Assistant, owner: User) -> None:
    for thing in ("attic is cold", "roof leaks", "cat sleeps", "plum jam is sour", "stairs creak", "lamp is green"):
        make_memory(owner, f"The {thing}")
    make_memory(owner, "My dog is called Mochi")
    for question in ("What is my dog called?", "Which port does the staging database of the shop listen on?"):
        recalled = assistant.call("recall", query=question)["matches"]
        prompt = assistant.call("build_context_prompt", user_prompt=question)["prompt"]
        facts = prompt.partition("\n\n-----")[0].split("\n\n")[1:]
        assert facts == ([each["text"] for each in recalled] or ["No relevant previously known facts were found."])
