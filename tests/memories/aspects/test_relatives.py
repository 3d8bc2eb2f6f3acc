"""The names of relatives in statements about the owner."""

from __future__ import annotations

import time

import pytest

from memories.aspects.relatives import relative_first, relatives_in


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Her husband is Dev Whitfield-Rao, a software tester at a company in Leeds", {"dev": True}),
        ("Daughter Maya is 9, born 14 March 2017", {"maya": True}),
        ("My kids are Ben (4) and Ida (7)", {"ben": True, "ida": True}),
        ("I live in Graz with my wife Lena and our son Theo", {"lena": True, "theo": True}),
        ("My wife Ada works with Jonas", {"ada": True}),
        ("Tom is my husband", {"tom": True}),
        ("I'm married to Tom", {"tom": True}),
        ("The user's mother, Margaret, 73, lives in Chesterfield", {"margaret": False}),
        ("Petra (the user's older sister) is a midwife", {"petra": False}),
        (
            "Meine Frau heißt Julia, und unsere Kinder Lena und Paul gehen zur Schule",
            {"julia": True, "lena": True, "paul": True},
        ),
        ("Kinder: Lena (8) und Paul (5)", {"lena": True, "paul": True}),
        ("Ich bin mit Peter verheiratet", {"peter": True}),
        ("Ich habe einen Sohn namens Ben", {"ben": True}),
        ("Ma femme s'appelle Claire", {"claire": True}),
        ("Mis hijos se llaman Pablo y Lucía", {"pablo": True, "lucía": True}),
        ("Mia moglie si chiama Giulia", {"giulia": True}),
        ("I live with my wife", {}),
        ("My business partner Tom is a baker", {}),
        ("Meine beste Freundin Sabine ist geschieden", {}),
        ("Jonas is allergic to shellfish", {}),
    ],
)
def test_names(text: str, names: dict[str, bool]) -> None:
    assert relatives_in(text) == names


@pytest.mark.parametrize(
    ("text", "is_close"),
    [
        ("My son is allergic to eggs", True),
        ("Unsere Tochter Lena hat Zöliakie", True),
        ("Mum takes donepezil", False),
        ("Meine Mutter ist Diabetikerin", False),
        ("I have asthma", None),
        ("Allergies: penicillin", None),
    ],
)
def test_the_relative_with_whom_a_text_begins(text: str, is_close: bool | None) -> None:
    assert relative_first(text) is is_close


@pytest.mark.parametrize("text", ["my son " * 10_000, "son A" + ", Ab" * 20_000, "son Ab (" * 10_000, "Ab " * 30_000])
def test_a_hostile_text_takes_no_time(text: str) -> None:
    start = time.process_time()
    relatives_in(text)
    relative_first(text)
    assert time.process_time() - start < 0.1
