"""Tests of the aspect of the owner that a question asks about."""

from __future__ import annotations

import pytest

from memories.aspects.asked import AskedAspect, asked_aspect
from memories.aspects.reading import Aspect

MEALS = AskedAspect(Aspect.HEALTH, is_about_meals=True)


@pytest.mark.parametrize(
    "question",
    [
        "Recommend a dinner the whole family can eat",
        "Who can't eat what?",
        "Plan a birthday tea for Maya",
        "Is Theo allergic to nuts?",
        "Any dietary requirements?",
        "Was soll ich für uns kochen?",
        "Propose-moi une recette pour ce soir.",
        "¿En qué restaurante podemos cenar?",
        "Che ricetta posso provare?",
    ],
)
def test_questions_about_meals_ask_who_must_not_eat_what(question: str) -> None:
    assert asked_aspect(question) == MEALS


@pytest.mark.parametrize(
    ("question", "aspect"),
    [
        ("Which medicines must I not be given?", Aspect.HEALTH),
        ("Do I have any medical conditions?", Aspect.HEALTH),
        ("Who's in my family?", Aspect.FAMILY),
        ("What is my husband called?", Aspect.FAMILY),
        ("How old are the user's kids?", Aspect.FAMILY),
        ("Do I have siblings?", Aspect.FAMILY),
        ("Wie heißen meine Kinder?", Aspect.FAMILY),
        ("Where do I live?", Aspect.HOME),
        ("Wo wohne ich?", Aspect.HOME),
        ("What does the user do for a living?", Aspect.WORK),
        ("Where do I work?", Aspect.WORK),
        ("Who am I?", Aspect.NAME),
        ("How old am I?", Aspect.NAME),
        ("How should you address me?", Aspect.ANSWERS),
        ("How does the user like to be answered?", Aspect.ANSWERS),
        ("What are my preferences?", Aspect.PREFERENCES),
    ],
)
def test_questions_about_the_owner_are_recognized(question: str, aspect: Aspect) -> None:
    assert asked_aspect(question) == AskedAspect(aspect)


@pytest.mark.parametrize(
    "question",
    [
        "What does my health insurance cost?",
        "Where does Ada live?",
        "Which family portrait did we order?",
        "When does my brother arrive?",
        "What is the name of the project?",
        "",
    ],
)
def test_other_questions_ask_about_no_aspect(question: str) -> None:
    assert asked_aspect(question) is None


def test_of_the_health_only_the_diet_tells_what_may_be_cooked() -> None:
    assert MEALS.is_told_by("Maya has coeliac disease, so strictly no gluten.")
    assert not MEALS.is_told_by("Mum takes donepezil 5 mg in the evening.")
    assert AskedAspect(Aspect.HEALTH).is_told_by("Mum takes donepezil 5 mg in the evening.")
