"""Tests of texts that end although they have a second clause, and of ends that are past."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.memories.times.support import stated_limits

SAID = datetime(2026, 12, 2, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "The user's talk takes place on 11 December.",
        'The user\'s talk is titled "Minor thirds" and is on Friday 11 December at 14:30.',
        'The user\'s talk at the congress is titled "Thirds, minor and major" and takes place on 11 December.',
        "The concert is in the town hall and is on 11 December.",
        "Der Vortrag hat den Titel „Terzen“ und ist am 11. Dezember.",
        "Le concert est à la mairie et est le 11 décembre.",
    ],
)
def test_an_event_ends_even_if_the_text_says_more_about_it(text: str) -> None:
    assert stated_limits(text, SAID) == ("12-11", "12-11")


@pytest.mark.parametrize(
    "text",
    [
        "User travels to Mechelen from 12 to 15 December",
        "User travels to Mechelen from 12 to 15 December; hotel Martin's Patershof.",
        "User travels to Mechelen, Belgium from 12 to 15 December for the congress; flight TP614 from Porto at 06:40, "
        "hotel Martin's Patershof.",
        "Reise nach Mechelen vom 12. bis 15. Dezember. Hotel Martin's Patershof in der Altstadt.",
    ],
)
def test_a_journey_ends_with_its_details(text: str) -> None:
    assert stated_limits(text, SAID) == ("12-12", "12-15")


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("The warranty of the boiler ends on 20 December 2026.", "12-20"),
        ("The warranty of the boiler ends on 20 November 2026.", "11-20"),
        ("The passport expires on 20 November 2026.", "11-20"),
        ("Der Vertrag endet am 20. November 2026.", "11-20"),
    ],
)
def test_what_ends_on_a_day_has_an_end_even_if_it_is_past(text: str, last: str) -> None:
    assert stated_limits(text, SAID) == (None, last)


@pytest.mark.parametrize(
    "text",
    [
        "User travels to Graz from 12 to 15 December; the hotel there has the best breakfast.",
        "User travels to Graz from 12 to 15 December; the user is vegetarian.",
        "My dentist is Dr. Amiri and is on holiday on 11 December.",
        "The user paid the bill before 20 November 2026.",
        "The lease ended on 20 November 2026.",
    ],
)
def test_other_texts_with_a_second_clause_or_a_past_date_do_not_end(text: str) -> None:
    assert stated_limits(text, SAID) == (None, None)
