"""Tests of which new statements say nothing that a stored one does not say."""

from __future__ import annotations

import pytest

from memories.relations.containment import MIN_CONTAINED_COSINE, is_contained


@pytest.mark.parametrize(
    ("stored", "new"),
    [
        (
            "The Brandt-Meier wedding is on 6 June 2027 at Castle Hill, start 2pm, 80 guests. Contact: Eva Brandt.",
            "Brandt-Meier wedding, Castle Hill, 6 June.",
        ),
        (
            "Ada has coeliac disease, diagnosed in 2025, so strictly no gluten.",
            "Ada can't have gluten as she's coeliac.",
        ),
        (
            "Her husband is Jan Novak, a joiner at Holz AG in Graz; at home on Fridays.",
            "The user's husband Jan works as a joiner.",
        ),
        (
            "Grandma Rosa lives in a care home in Linz, room 14, since April 2025.",
            "My grandmother Rosa is in a care home in Linz.",
        ),
        ("The user's car is a red 2018 Mazda 3, bought used in 2021.", "I drive a red Mazda 3 from 2018."),
        (
            "Son Emil is 7 (birthday 3 May), Year 2 at Parkside School.",
            "Emil, my son, is 7 and goes to Parkside School.",
        ),
    ],
)
def test_a_statement_with_less_says_nothing_new(stored: str, new: str) -> None:
    assert is_contained(new, stored, MIN_CONTAINED_COSINE)
    assert not is_contained(new, stored, MIN_CONTAINED_COSINE - 0.01)
    assert not is_contained(stored, new, 0.9)


@pytest.mark.parametrize(
    ("stored", "new"),
    [
        ("Ada's friend Nina has a severe peanut allergy.", "Ada has a severe peanut allergy."),
        ("User's twin's blood type is AB positive.", "User's blood type is positive."),
        ("Theo's best friend is called Callum. His mother is Jo.", "Theo's mother is called Jo."),
        ("My sister is vegan but eats honey.", "I am vegan but eat honey."),
        ("Jan wants to become a joiner at Holz AG.", "Jan is a joiner at Holz AG."),
        ("The boiler in the cellar needs a service in October.", "The boiler was in service in October."),
        ("Rosa no longer lives in the care home in Linz.", "Rosa lives in the care home in Linz."),
        ("Rosa has left the care home in Linz for good.", "Rosa is in the care home in Linz."),
        ("Ana is taller than Hanna by far.", "Hanna is taller than Ana by far."),
        ("Is the parents' evening of the school on Thursday?", "The parents' evening of the school is on Thursday."),
        ("The Brandt-Meier wedding is at Castle Hill on 6 June.", "Brandt-Meier wedding, Castle Hill, 12 June."),
        ("The choir rehearses on Mondays at the church hall.", "Now the choir rehearses at the church hall."),
        ("Our broadband is with Vodafone.", "Vodafone."),
    ],
)
def test_a_statement_about_somebody_or_something_else_is_new(stored: str, new: str) -> None:
    assert not is_contained(new, stored, 0.9)
