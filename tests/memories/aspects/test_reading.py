"""Texts that say who the owner is, and texts that do not."""

from __future__ import annotations

import time

import pytest

from memories.aspects.reading import aspect_of

TEXTS = {
    "name": (
        "My name is Sofia Rossi",
        "The user is called Marek",
        "I'm 34 years old",
        "Ich heiße Nadja Vogel",
        "Je m'appelle Inès",
        "Me llamo Lucía Prieto",
        "Mi chiamo Paolo Bruni",
    ),
    "health": (
        "I have a severe peanut allergy",
        "The user takes 20 mg of ramipril every morning",
        "Allergies: penicillin, latex",
        "My son Leo is allergic to eggs",
        "Meine Tochter hat eine Erdnussallergie",
        "Ich vertrage keine Laktose",
        "Je suis allergique aux arachides",
        "Tengo intolerancia a la lactosa",
        "Mi hija Carla es alérgica a los cacahuetes",
        "Soffro di emicrania",
        "Mia figlia è allergica al glutine",
    ),
    "family": (
        "My kids are Ben (4) and Ida (7)",
        "I'm married to Tom",
        "Petra (the user's older sister) is a midwife in Linz",
        "Wir haben zwei Töchter",
        "Ich bin seit 2010 mit Jonas verheiratet",
        "Ma femme s'appelle Claire",
        "Tengo dos hijos",
        "Mia moglie si chiama Giulia",
    ),
    "home": (
        "I live in Leeds",
        "We moved to Lyon in 2021",
        "Our address is 12 Elm Road",
        "Wir sind letztes Jahr nach Bern gezogen",
        "J’habite à Nantes",
        "Vivo en Sevilla con mi familia",
        "Abito a Torino",
    ),
    "work": (
        "Note: I'm a software engineer at Acme",
        "The user works four days a week",
        "Ich bin Krankenpfleger im Klinikum",
        "Je travaille chez Airbus",
        "Soy profesora de matemáticas",
        "Sono un'insegnante di liceo",
    ),
}
OTHERS = (
    "The car is in the garage",
    "My wife's birthday present is a scarf",
    "My wife has 451 unread messages",
    "My name tag is in the drawer",
    "I work on the report tomorrow",
    "Am I allergic to nuts?",
    "I saved the plumber's number",
    "Studio 4563 smells of fresh carpet",
    "In our family, going for milk is code for a break",
    "Ich habe morgen Zahnarzt",
    "La réunion est vendredi",
    "La factura es de 40 euros",
    "Mi piace il caffè",
    "",
)


@pytest.mark.parametrize(("aspect", "text"), [(aspect, text) for aspect, texts in TEXTS.items() for text in texts])
def test_a_text_that_says_who_the_owner_is_has_an_aspect(aspect: str, text: str) -> None:
    assert aspect_of(text) == aspect


@pytest.mark.parametrize("text", OTHERS)
def test_other_texts_have_none(text: str) -> None:
    assert aspect_of(text) is None


def test_of_several_aspects_the_first_one_decides() -> None:
    assert aspect_of("I live in Leeds. My name is Sofia.") == "name"


@pytest.mark.parametrize("text", ["my " * 33_000, ". " * 50_000, "i am a " * 14_000, "mein-" * 20_000, "- " * 50_000])
def test_a_hostile_text_takes_no_time(text: str) -> None:
    start = time.perf_counter()
    aspect_of(text)
    assert time.perf_counter() - start < 0.2
