"""Tests of ranges of dates in numbers."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from memories.times.numeric_ranges import with_numeric_days
from memories.times.statements import READ_CHARS, stated_period
from tests.memories.times.support import stated_limits

SAID = datetime(2026, 11, 28, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "Urlaub: 27.12. bis 3.1. in Schladming, Apartment Tannenhof",
        "Urlaub: 27.12.-3.1. in Schladming",
        "Urlaub: 27.12. – 3.1.2027 in Schladming",
        "Urlaub 27.12.2026 - 3.1.2027",
        "Urlaub 27.12.26–3.1.27",
        "Urlaub 27.12.2026 bis 3.1.",
        "Urlaub vom 27.12. bis zum 3.1. in Schladming",
        "Mehmet ist von 27.12. bis 3.1. auf Urlaub.",
        "Urlaub So 27.12. bis So 3.1.",
        "Urlaub zwischen 27.12. und 3.1.",
        "Holiday 27.12. to 3.1. in Schladming",
        "Holiday from 27/12 to 3/1",
        "Vacances du 27/12 au 3/1 à Chamonix",
        "Vacaciones del 27/12 al 3/1",
        "Vacanze dal 27.12 al 3.1 a Bormio",
        "Urlaub vom 27. Dezember bis 3. Jänner",
    ],
)
def test_a_range_begins_on_its_first_day(text: str) -> None:
    stated = stated_period(text, SAID)
    assert stated is not None
    assert f"{stated.valid_from:%Y-%m-%d} {stated.valid_until:%Y-%m-%d}" == "2026-12-27 2027-01-03"


@pytest.mark.parametrize(
    "text",
    [
        "Skikurs 27.–30.12. in Schladming",
        "Skikurs 27.-30.12.",
        "Skikurs 27. bis 30.12.",
        "Skikurs vom 27. bis 30.12.",
        "Skikurs 27. – 30.12.2026",
    ],
)
def test_both_days_may_have_the_same_month(text: str) -> None:
    assert stated_limits(text, SAID) == ("12-27", "12-30")


@pytest.mark.parametrize("text", ["Zahnarzt 10.12. um 8:30", "Di 10.12. Zahnarzt", "Konzert Do 10.12., 19 Uhr"])
def test_a_single_day_of_what_happens_once_needs_no_preposition(text: str) -> None:
    assert stated_limits(text, SAID) == ("12-10", "12-10")


@pytest.mark.parametrize(
    "text",
    [
        "Siehe Abschnitt 3.1.-3.4.",
        "Kapitel 2.1.–3.4. sind gelesen",
        "IP 10.12.26.1 bis 10.12.26.9",
        "Geöffnet 8.30. bis 12.30.",
        "Holiday from 5/7 to 6/7",
        "Wir waren 27.12. bis 3.1. in Schladming.",
        "L'esame è in aula 3.07.",
        "Update 2.1. mit Konzerten",
        "Anteil 3.4. gesunken",
    ],
)
def test_other_numbers_with_dots_limit_nothing(text: str) -> None:
    assert stated_limits(text, SAID) == (None, None)


@pytest.mark.parametrize("part", ["27.12. bis ", "1.1.-", "10.12. ", "vom 1.1. ", "zwischen 1/"])
def test_a_hostile_text_is_read_quickly(part: str) -> None:
    text = (part * READ_CHARS)[:READ_CHARS]
    started = time.perf_counter()
    with_numeric_days(text)
    assert time.perf_counter() - started < 0.2
