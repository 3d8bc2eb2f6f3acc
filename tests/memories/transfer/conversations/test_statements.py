"""Sentences in which users speak of themselves."""

from __future__ import annotations

import pytest

from memories.transfer.conversations.statements import statements_about_me


@pytest.mark.parametrize(
    "sentence",
    [
        "I live in a houseboat in Leiden.",
        "I'm a nurse and work nights.",
        "By the way, I am allergic to penicillin.",
        "My wife is from Peru.",
        "My two sons are in primary school.",
        "I have three cats and a tortoise.",
        "I never eat meat.",
        "I've been a teacher for ten years.",
        "We moved to Leeds in 2019.",
        "I swim every Thursday.",
        "Ich wohne seit 2020 in Graz.",
        "Meine Tochter heißt Paula.",
        "Ich habe zwei Hunde.",
        "Soy enfermera en Sevilla.",
        "Me gusta el café sin azúcar.",
        "Mi hermano vive en Quito.",
    ],
)
def test_a_statement_is_found(sentence: str) -> None:
    assert statements_about_me(f"Hello there! {sentence} What do you think?") == [sentence]


@pytest.mark.parametrize(
    "sentence",
    [
        "I'm trying to fix this bug.",
        "I'm getting an error here.",
        "I have a question about taxes.",
        "Do I have to pay taxes?",
        "I want you to write a poem.",
        "I live in Rome, can you suggest a hotel?",
        "I would like a list, please.",
        "I think this is wrong.",
        "My code is broken again.",
        "You are very helpful today.",
        "Please tell me what I have to do.",
        "Ich habe eine Frage zu Steuern.",
        "Kannst du mir helfen?",
        "Tengo una pregunta sobre impuestos.",
        "I am.",
        "The tram is late.",
    ],
)
def test_questions_requests_and_talk_about_the_conversation_are_none(sentence: str) -> None:
    assert statements_about_me(sentence) == []


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Remember that I only eat vegetarian food.", "I only eat vegetarian food."),
        ("Please remember: my wife is from Peru.", "My wife is from Peru."),
        ("Keep in mind that I'm allergic to nuts.", "I'm allergic to nuts."),
        ("Merk dir: ich wohne in Graz.", "Ich wohne in Graz."),
        ("Por favor, recuerda que soy enfermera en Sevilla.", "Soy enfermera en Sevilla."),
        ("I remember that day well.", None),
        ("Remember to buy milk.", None),
        ("Note that the tram is late.", None),
        ("Please remember that I have a question.", None),
    ],
)
def test_what_is_to_be_remembered_is_found_without_the_request(sentence: str, expected: str | None) -> None:
    assert statements_about_me(f"Hello there! {sentence}") == ([] if expected is None else [expected])


def test_code_quotes_and_lists_are_skipped() -> None:
    message = "> I live in Rome.\n- I own a car.\n```\nI have two cats.\n```\n    \nI own a bicycle.\nI own a bicycle."
    assert statements_about_me(message) == ["I own a bicycle."]
