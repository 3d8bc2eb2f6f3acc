"""One spelling for numbers, times of day and dates."""

from __future__ import annotations

import time

import pytest

from memories.relations.comparison import contradict, say_the_same
from memories.relations.numbers import with_digits
from memories.relations.statements import Statement

ALIKE = [
    (
        *("dinner at 7:45 pm", "dinner at 19:45", "dinner at 7.45 p.m.", "Essen um 19.45 Uhr", "Essen 7.45 Uhr abends"),
        *("dîner à 19h45", "dîner à 19 h 45", "dîner à 7h45 du soir", "cena a las 7:45 de la tarde", "cena alle 19.45"),
    ),
    ("at 7 pm", "um 19 Uhr", "à 19h", "at 7pm", "alle 19:00", "a las 19:00", "um 7 Uhr abends"),
    ("at 9 am", "at 09:00", "um 9 Uhr", "at 9"),
    ("12 am", "0:00", "00:00"),
    ("from 6 to 7:30 pm", "18:00-19:30", "6-7:30 pm", "von 18 bis 19.30 Uhr"),
    (
        *("am 14.2.", "on 14 February", "am 14. Februar", "14.02.", "Feb 14th", "le 14 février", "el 14 de febrero"),
        *("il 14 febbraio", "on February 14", "14th of February", "le 14/2", "Fr, 14. 2., Zahnarzt", "Ida: 14.2."),
    ),
    ("14.2.2026", "2026-02-14", "14 February 2026", "14/02/2026", "2/14/2026", "am 14.2.26", "Feb 14, 2026"),
    ("on 3 May", "am 3.5.", "May 3rd", "3. Mai", "le 3 mai", "3 de mayo", "il 3 maggio"),
    ("1er mars", "March 1", "1. März"),
    ("weighs 75kg", "weighs 75 kg"),
    (
        "at half past seven",
        "um halb acht",
        "at 7:30",
        "à sept heures et demie",
        "a las siete y media",
        "alle sette e mezza",
    ),
    ("um halb acht abends", "at half past seven in the evening", "at 19:30", "a las siete y media de la tarde"),
    (
        *("at quarter to eight", "um viertel vor acht", "um dreiviertel acht", "at 7:45", "alle otto meno un quarto"),
        *("à huit heures moins le quart", "a las ocho menos cuarto"),
    ),
    ("at half past one", "um halb zwei", "a la una y media", "at 1:30"),
    ("um halb eins", "at half past twelve", "12:30"),
    ("viertel nach sieben", "a quarter past seven", "7:15", "à 7 heures et quart"),
    (
        *("costs 1.200 €", "costs 1,200 €", "costs 1200 €", "costs € 1.200", "costs 1200 euros", "costs 1.200,00 €"),
        *("costs 1’200 CHF", "costs 1 200 €", "costs 1.200,- €"),
    ),
    ("costs 19,90 €", "costs 19.90 €", "costs €19.90", "costs 19,90 Euro"),
    ("costs 1.234.567,89 €", "costs 1234567.89 €"),
]
APART = [
    ("at 7:45 am", "at 7:45 pm"),
    ("12 am", "12 pm"),
    ("am 14.2.", "am 14.3."),
    ("on 14 May", "on 14 June"),
    ("14.2.2026", "14.2.2027"),
    ("on 5/7/2026", "on 5 July 2026"),
    ("weighs 75kg", "weighs 78kg"),
    ("14.2.", "14.2"),
    ("um halb acht", "um acht Uhr"),
    ("at half past seven", "at half past eight"),
    ("costs 1.200 €", "costs 1.250 €"),
    ("version 1.200", "version 1200"),
]
KEPT = [
    "Postgres 14.2.",
    "version 1.2.3",
    "192.168.1.12",
    "takes 2 in the evening",
    "19.45 euros",
    "3/4 of it",
    "13 am",
    "halb so groß",
    "vor halb acht jahren",
    "das viertel vor acht jahren verlassen",
    "sette ore e mezza di volo",
    "sept heures et demie de train",
    "diesel at 1.459 €/l",
    "petrol at 1.459 euros per litre",
    "1.200 km",
    "5,5 €",
]


def parts(text: str) -> tuple[object, object]:
    statement = Statement(text)
    return statement.numbers, statement.contrasts.get("month")


@pytest.mark.parametrize("texts", ALIKE, ids=lambda texts: texts[0])
def test_times_and_dates_in_other_spellings_are_equal(texts: tuple[str, ...]) -> None:
    assert {text: parts(text) for text in texts} == dict.fromkeys(texts, parts(texts[0]))


@pytest.mark.parametrize(("first", "second"), APART)
def test_other_times_and_dates_stay_apart(first: str, second: str) -> None:
    assert parts(first) != parts(second)


@pytest.mark.parametrize("text", KEPT)
def test_what_is_no_time_and_no_date_stays_as_it_is(text: str) -> None:
    assert with_digits(text) == text


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The concert starts at 7:45 pm", "The concert starts at 19:45"),
        ("Der Zahnarzttermin ist am 14.2.", "Der Zahnarzttermin ist am 14. Februar"),
        ("La reunión es el 3 de mayo a las 19:00", "La reunión es el 3/5 a las 7 pm"),
    ],
)
def test_statements_with_another_spelling_repeat_and_do_not_contradict(first: str, second: str) -> None:
    one, other = Statement(first), Statement(second)
    assert say_the_same(one, other, 0.9)
    assert one.key == other.key
    assert not contradict(one, other, 0.9)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The dinner with Ben starts at 7:45", "The dinner with Ben starts at 19:45"),
        ("The dinner with Ben starts at 8 pm", "The dinner with Ben starts at 8"),
        ("Das Essen mit Ben ist um halb acht", "Das Essen mit Ben ist um 19:30"),
    ],
)
def test_a_time_that_may_be_in_the_evening_does_not_contradict_one_that_is(first: str, second: str) -> None:
    one, other = Statement(first), Statement(second)
    assert not contradict(one, other, 0.9)
    assert not contradict(other, one, 0.9)
    # Tablets at 8 and at 20:00 are two facts.
    assert not say_the_same(one, other, 0.95)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The train to Graz leaves at 7:45 am", "The train to Graz leaves at 7:45 pm"),
        ("The train to Graz leaves at 07:45", "The train to Graz leaves at 19:45"),
        ("The train to Graz leaves at 7:45", "The train to Graz leaves at 19:50"),
        ("The train to Graz has 7 cars", "The train to Graz has 19 cars"),
        ("The rent in Graz is 1.200 €", "The rent in Graz is 1.250 €"),
    ],
)
def test_other_numbers_contradict(first: str, second: str) -> None:
    assert contradict(Statement(first), Statement(second), 0.9)


def test_statements_with_another_time_still_contradict() -> None:
    one, other = Statement("The concert starts at 7:45 pm"), Statement("The concert starts at 20:15")
    assert contradict(one, other, 0.9)
    assert not say_the_same(one, other, 0.9)


@pytest.mark.parametrize(
    "part",
    [
        "1.",
        "12 ",
        "1:",
        "14. ",
        "7 pm ",
        "1/",
        "at ",
        "14.2.",
        "1-",
        "12 - ",
        "um 1",
        "7 to ",
        "mo. ",
        "1 de ",
        "1.200 ",
        "1.200",
        "€ 1",
        "halb ",
        "a la una ",
    ],
)
def test_hostile_texts_are_read_in_time_that_grows_with_their_length(part: str) -> None:
    start = time.process_time()
    with_digits((part * 100_000)[:100_000])
    assert time.process_time() - start < 2
