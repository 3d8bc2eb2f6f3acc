"""Texts that say who the owner is, and texts that do not."""

from __future__ import annotations

import time

import pytest

from memories.aspects.names import owner_name_in
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
        "I'm Franz Kogler, carpenter, I run a small workshop in Graz.",
        "The user, Alasdair Muir, is a chief engineer on a ferry",
        "I am Ruth Berg and live in Leeds",
        "I’m Ruth.",
        "The user is Ruth Berg, a nurse.",
        "Ich bin Franz Kogler, Tischler in Graz.",
        "Je suis Inès Moreau, infirmière",
        "Soy Lucía Prieto, de Sevilla",
        "Sono Paolo Bruni.",
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
        "Mum takes donepezil 5 mg in the evening",
        "My dad is diabetic",
        "I don't drink alcohol",
        "We eat gluten-free",
        "She gets migraines from red wine.",
        "Unsere Tochter Lena (8) hat Zöliakie",
        "Mein Mann Peter verträgt keine Laktose",
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
        "Her husband is Dev Rao, a software tester in Leeds",
        "Daughter Maya is 9, born 14 March 2017",
        "Son Theo is 6 (birthday 2 August)",
        "The user's father, Alan, died in 2019",
        "Mum turns 74 on 30 January",
        "Unsere Kinder sind Lena (8) und Paul (5).",
        "Meine kleine Tochter Ida ist 4",
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
        "Ich bin Tischler.",
        "Je travaille chez Airbus",
        "Soy profesora de matemáticas",
        "Sono un'insegnante di liceo",
    ),
    "answers": (
        "Please answer in British English and keep it short.",
        "Prefers short answers",
        "The user wants concise answers with code first",
        'The user dislikes being called "Hanna"; just Hannah.',
        "Talk to me in German",
        "Bitte immer auf Deutsch antworten",
        "Antworte bitte kurz",
        "Bitte duze mich",
        "Ich möchte geduzt werden",
        "Réponds en français",
        "Sé breve",
        "Rispondi in italiano",
    ),
    "preferences": (
        "I prefer tabs",
        "I always answer the phone",
        "The user doesn't like meetings before ten",
        "I use dark mode everywhere",
        "My favourite editor is Vim",
        "Never push to main without asking me",
        "Ich mag keinen Koriander",
        "Je préfère le train",
        "J’aime le jazz",
        "No me gusta el ruido",
        "Prefiero el té",
        "Mi piace il caffè",
    ),
}
NAMED = {
    "preferences:elin": ("Elin prefers tea", "Elin bevorzugt Tee", "Elin préfère le thé"),
    "family:elin": ("Elin's sister is Sarah; she lives in Bristol", "Elin’s husband is Tom"),
    "health:maya": (
        "Maya has coeliac disease, so strictly no gluten",
        "Maya can't have gluten as she's coeliac",
        "Maya is allergic to eggs",
        "Maya darf keine Nüsse essen",
        "Maya ernährt sich vegan",
        "Maya est allergique aux arachides",
        "Maya es alérgica a los cacahuetes",
        "Maya è allergica al glutine",
    ),
    "name:tom": (
        "Tom's birthday is on 19 December",
        "Tom is 9 years old",
        "Tom was born in 1980",
        "Tom wurde 1980 geboren",
    ),
    "health:elin": (
        "Elin has severe asthma",
        "Elin doesn't eat meat",
        "Elin takes 20 mg of ramipril",
        "Elin ist schwanger",
    ),
    "family:giulia": (
        "Giulia has two daughters",
        "Giulia hat zwei Töchter",
        "Giulia ha due figli",
        "Giulia tiene dos hijas",
    ),
    "home:inês": (
        "Inês lives in Graz",
        "- Inês (34) wohnt in Graz",
        "Inês habite à Nantes",
        "Inês vive en Vigo",
        "Inês abita a Pisa",
    ),
    "work:inês": (
        *(
            "Inês, born 1990, works as a nurse",
            "Inês Duarte is a nurse",
            "Inês arbeitet im Klinikum",
            "Inês est infirmière",
        ),
        *("Inês es enfermera", "Inês è infermiera", "Great coffee here. Inês works for a bakery."),
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
    "Always-on displays drain the battery",
    "The likes of the post are hidden",
    "I used to cycle",
    "Do I like tea?",
    "We use Redis for sessions",
    "Kestrel uses SQLite",
    "Ports: 8080 and 8443",
    "Uso de la base de datos",
    "Elin is late",
    "I'm Austrian, from Graz",
    "I am Catholic.",
    "I'm Team Lead.",
    "I'm New York based",
    "I'm Head of Sales.",
    "Ich bin Mitglied Nummer 12.",
    "Ich bin Senior Partner.",
    "Am I Franz Kogler?",
    "I'm Franz Kogler, right?",
    "Elin has an umbrella",
    "Elin's car is a Skoda",
    "Write in the log with care",
    "User is afraid of the dentist's drill",
    "My business partner Tom is a baker",
    "Meine beste Freundin Sabine ist frisch geschieden",
    "Flug ab Bremen am 22. Mai um 6:10",
    "I need answers from Imran",
    "Talk with Imran on Friday",
    "She works at Acme",
    "Maya's friend Nina has a severe peanut allergy",
    "Family holiday booked: Bamburgh, 27 to 31 December",
    "Elin lives in Graz?",
    "She said that Elin lives in Graz",
    "It works as expected",
    "This lives in memory",
    "Er wohnt in Graz",
    "Graz has a nice opera",
    "",
)


@pytest.mark.parametrize(("aspect", "text"), [(aspect, text) for aspect, texts in TEXTS.items() for text in texts])
def test_a_text_that_says_who_the_owner_is_has_an_aspect(aspect: str, text: str) -> None:
    assert aspect_of(text) == aspect


@pytest.mark.parametrize(("aspect", "text"), [(aspect, text) for aspect, texts in NAMED.items() for text in texts])
def test_what_is_told_of_somebody_by_name_has_an_aspect_with_the_name(aspect: str, text: str) -> None:
    assert aspect_of(text) == aspect


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        (
            "elin",
            ("My name is Elin Berg", "The user is called Elin", "Call me Elin", "Name: Elin", "My full name is “Elin”"),
        ),
        ("elin", ("Ich heiße Elin Berg", "Mein Name ist Elin", "Je m’appelle Elin", "Me llamo Elin", "Mi chiamo Elin")),
        (
            "franz",
            ("I'm Franz Kogler, carpenter", "Ich bin Franz Kogler.", "I’m Franz, a carpenter", "Je suis Franz Kogler"),
        ),
        (None, ("I'm Austrian", "I'm Product Owner, too", "Ich bin Tischler", "I'm late", "Soy de Graz")),
        (None, ("My last name is Berg", "My birthday is in May", "My name is spelled with one l", "I'm 34", "Elin")),
        (None, ("My cat is called Elin", "I'm 34. My wife is called Elin", "Her name is Elin")),
    ],
)
def test_the_name_of_the_owner(name: str | None, texts: tuple[str, ...]) -> None:
    assert {text: owner_name_in(text) for text in texts} == dict.fromkeys(texts, name)


@pytest.mark.parametrize("text", OTHERS)
def test_other_texts_have_none(text: str) -> None:
    assert aspect_of(text) is None


def test_of_several_aspects_the_first_one_decides() -> None:
    assert aspect_of("I live in Leeds. My name is Sofia.") == "name"


@pytest.mark.parametrize(
    "text",
    [
        "my " * 33_000,
        ". " * 50_000,
        "i am a " * 14_000,
        "mein-" * 20_000,
        "- " * 50_000,
        "Elin " * 20_000,
        "Elin, a" * 15_000,
        "Elin (" * 17_000,
        "Name " * 20_000,
        "I'm Elin " * 20_000,
        "I'm " + "Elin " * 20_000,
    ],
)
def test_a_hostile_text_takes_no_time(text: str) -> None:
    start = time.process_time()
    aspect_of(text)
    owner_name_in(text)
    assert time.process_time() - start < 0.2
