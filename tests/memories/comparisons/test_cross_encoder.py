"""Tests of the network that reads two statements at once."""

from __future__ import annotations

import pytest

from memories.comparisons.cross_encoder import Reading, read
from memories.comparisons.judging import MAX_READ_CHARS, is_change, is_readable, is_repeat, may_be_related


def reading(older: str, newer: str) -> Reading:
    return read([(older, newer)])[0]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("User is allergic to walnuts.", "The allergist retested me, and I can eat walnuts without trouble."),
        ("The mobile contract is with MEO.", "Ported my number from MEO to WOO."),
        ("The daily standup is at 9:15.", "The daily standup is at 10:00."),
        ("Ida lives in Graz.", "Ida's home is in Linz since the summer."),
    ],
)
def test_a_change_is_read(older: str, newer: str) -> None:
    assert is_change(0.5, reading(older, newer))


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Ida plays the cello.", "The boiler was repaired in May."),
        ("Ida lives in Graz.", "Ida sold her old bicycle."),
        ("User is allergic to walnuts.", "The user's sister is allergic to peanuts."),
        ("We rent the flat in Graz.", "Thinking about buying a flat one day."),
    ],
)
def test_what_stays_true_is_no_change(older: str, newer: str) -> None:
    assert not is_change(0.9, reading(older, newer))


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Standup is at 9:15 on Google Meet.", "The daily standup takes place at 9:15 via Google Meet."),
        ("My dog Juno is scared of thunderstorms.", "Thunderstorms frighten the user's dog Juno."),
    ],
)
def test_a_repetition_is_read(older: str, newer: str) -> None:
    assert is_repeat(older, newer, 0.8, reading(older, newer))


def test_other_numbers_are_no_repetition_whatever_the_network_says() -> None:
    assert not is_repeat("The rent is 980 euros.", "The rent is 1,060 euros.", 0.9, Reading(same=1, change=0))


def test_distant_texts_are_no_repetition() -> None:
    assert not is_repeat("Ida sings.", "Ida is a singer.", 0.3, Reading(same=1, change=0))


def test_a_pair_is_read_the_same_alone_and_among_others() -> None:
    pairs = [("Ida lives in Graz.", "Ida moved to Linz."), ("Ida sings.", "The boiler is new. " * 10)]
    assert read(pairs) == [reading(*pair) for pair in pairs]


def test_probabilities_are_those_of_classes_that_exclude_each_other() -> None:
    for same, change in read([("Ida sings.", "Ida does not sing."), ("", ""), ("\ud800", "🚢")]):
        assert 0 <= same <= 1
        assert 0 <= change <= 1
        assert same + change <= 1.000001


@pytest.mark.parametrize(
    "text",
    [
        "Does Ida live in Graz?",
        "Ida: I never liked it there, you know.",
        "Der Nutzer wohnt in Graz und arbeitet bei der Bahn.",
        "a" * (MAX_READ_CHARS + 1),
    ],
)
def test_questions_talk_other_languages_and_long_texts_are_not_compared(text: str) -> None:
    assert not is_readable(text)


@pytest.mark.parametrize("text", ["Ida lives in Graz.", "Project Heron: deploys on Tuesdays", "espresso, no sugar"])
def test_short_statements_are_compared(text: str) -> None:
    assert is_readable(text)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("I live in Graz.", "I live in Graz!"),
        ("I live in Graz.", "I live in Graz, Austria."),
        ("I drive a Skoda Octavia.", "I drive a Skoda."),
        ("User has two cats.", "The user has two cats, Mia and Leo."),
        ("Finn is allergic to hazelnuts.", "My son Finn is nine and has a severe hazelnut allergy."),
    ],
)
def test_a_text_that_only_adds_words_is_not_read(text: str, other: str) -> None:
    assert not may_be_related(text, other)
    assert not may_be_related(other, text)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("Biscuit's vet is Dr Lenihan.", "The dog is called Biscuit."),
        ("Ada’s favourite dish is risotto.", "Ada voted to keep the hall."),
    ],
)
def test_what_somebody_has_is_not_compared_with_what_they_are(text: str, other: str) -> None:
    assert not may_be_related(text, other)
    assert not may_be_related(other, text)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("Ada's dentist is Dr Roth.", "Ada changed her dentist, it is Dr Klein."),
        ("Ada's car is a Skoda.", "Ada's new Volvo was delivered."),
        ("I live in Graz.", "I no longer live in Graz."),
        ("The standup is at 9:15.", "The standup is at 10:15."),
        ("Prefers long lists over short texts.", "Prefers short texts over long lists."),
        ("I eat fish.", "I used to eat fish."),
        ("Finn is allergic to hazelnuts.", "My son Finn is nine and no longer has a hazelnut allergy."),
        ("The team meeting is at 9:15.", "The weekly meeting of the team is at 10:15 on Google Meet."),
    ],
)
def test_other_pairs_are_read(text: str, other: str) -> None:
    assert may_be_related(text, other)


@pytest.mark.parametrize(
    ("older", "newer", "cosine", "same", "expected"),
    [
        ("The cat is a tabby on a renal diet.", "We have a tabby cat who eats renal food.", 0.86, 0.71, True),
        ("The cat is a tabby on a renal diet.", "We have a tabby cat who eats renal food.", 0.79, 0.71, False),
        ("The cat is a tabby on a renal diet.", "We have a tabby cat who eats renal food.", 0.5, 0.81, True),
        ("Selma speaks five languages.", "Selma understands five dialects.", 0.86, 0.89, False),
        ("Selma speaks five languages.", "Selma understands five dialects.", 0.86, 0.91, True),
    ],
)
def test_a_repetition_needs_a_higher_probability_if_less_is_alike(
    older: str, newer: str, cosine: float, same: float, expected: bool
) -> None:
    assert is_repeat(older, newer, cosine, Reading(same=same, change=0)) == expected
