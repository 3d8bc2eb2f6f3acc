"""Tests of recognizing secrets that sentences give away, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memories.errors import SecretRejected
from memories.validation.secrets.detection import kind_of_secret
from memories.validation.secrets.kinds import Kind
from memories.validation.text import clean_tags, clean_text, refuse_secrets
from tests.memories.validation.secrets.everyday import EVERYDAY_HARMLESS, EVERYDAY_SECRETS
from tests.memories.validation.secrets.sentences import HARMLESS, SECRETS

LABELLED = Path(__file__).parents[4] / "benchmarks" / "data" / "secrets.json"
LEAST_RECALL, MOST_FALSE = 0.9, 0.002
MOST_CHARS = 20_000

GIVEN_AWAY = [(kind, text) for given in (SECRETS, EVERYDAY_SECRETS) for kind, texts in given.items() for text in texts]
STORED = [*HARMLESS, *EVERYDAY_HARMLESS]
HOSTILE = [
    *(
        "pin ",
        "password ",
        "pin=",
        "pin: ",
        "my pin is ",
        "password is weak ",
        "changed the pin to ",
        "code pin key pw ",
    ),
    *(
        "passwort",
        "seed phrase: word ",
        "the code of the door ",
        "alarm 12 type ",
        "type 1234 x ",
        "with 1234 ",
        "is a ",
    ),
    *("a", "a-", "a.", "_", "-", "=", "1 ", "1-", "12 ", "1234 ", "2024-", "x1234567 ", "12345678901 ", "1 1234 "),
    *('"', "“", "' ", "(", "`", "*", "\n", "pin\n", "\u0300", "ı", "é", "\u0661", "one ", "one two ", "DE89 ", "de89"),
    *(
        "bike lock ",
        "gate: ",
        "gate at a b c 4711# x ",
        "safe 4412 x\n",
        "unlock a b c d e: ",
        "login: a ",
        "door code a ",
        "the code for the iPad of ",
        "alarm a: 12 ",
    ),
    *("user a ", "login a a a a ", "unlock a b c d e ", "links 12, ", "twenty ", "padlock a b c is ", "key safe a "),
    *("DE8937040044053201300", "a@", "a@b / ", "admin / a1b2c3x ", "with a1!b2c3 ", 'wi-fi is "', "pw " + " " * 50),
]


@pytest.mark.parametrize(("kind", "text"), GIVEN_AWAY, ids=[text[:40] for _, text in GIVEN_AWAY])
def test_a_secret_in_a_sentence_is_refused_by_kind(kind: Kind, text: str) -> None:
    assert kind_of_secret(text) == kind
    with pytest.raises(SecretRejected) as caught:
        refuse_secrets("text", clean_text(f"Notes of Monday.\n{text}\nThat is all for now."))
    assert str(caught.value).startswith(f"text: this seems to contain {kind}. Secrets are never stored.")


@pytest.mark.parametrize("text", STORED, ids=[text[:40] for text in STORED])
def test_a_harmless_sentence_is_stored(text: str) -> None:
    assert kind_of_secret(text) is None
    refuse_secrets("text", clean_text(f"Notes of Monday. {text} That is all for now."))


def test_a_secret_is_found_anywhere_in_a_long_text() -> None:
    padding = " ".join(HARMLESS[:40])
    for kind, texts in SECRETS.items():
        assert kind_of_secret(f"{padding}\n{texts[0]}\n{padding}") == kind


def test_a_tag_can_be_a_secret_too() -> None:
    with pytest.raises(SecretRejected, match=r"^tags: this seems to contain a PIN"):
        clean_tags(["home", "pin 8823"])


def test_upper_case_and_missing_accents_do_not_matter() -> None:
    for text in (
        "MY PIN IS 8823",
        "Mi contrasena es hunter2",
        "la cle wifi est 8F3A-22BC",
        "Il codice dell’allarme è 3421",
    ):
        assert kind_of_secret(text), text


@pytest.mark.parametrize("unit", HOSTILE)
def test_a_secret_is_found_behind_20_000_hostile_characters(unit: str) -> None:
    # A pattern that backtracks would take many minutes; this takes a fraction of a second.
    text = (unit * (MOST_CHARS // len(unit) + 1))[:MOST_CHARS]
    assert kind_of_secret(f"{text}. \nMy new PIN is 8823.")


@pytest.mark.parametrize("half", [0, 1], ids=["development", "held out"])
def test_labelled_sentences_are_told_apart(half: int) -> None:
    data = json.loads(LABELLED.read_text(encoding="utf-8"))
    secrets, harmless = data["secrets"][half::2], data["harmless"][half::2]
    found = sum(kind_of_secret(secret["text"]) is not None for secret in secrets)
    refused = sum(kind_of_secret(text) is not None for text in harmless)
    assert found / len(secrets) >= LEAST_RECALL
    assert refused / len(harmless) <= MOST_FALSE
