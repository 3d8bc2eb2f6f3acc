"""Tests of account and identity numbers: a wrong check digit or length makes them other numbers."""

from __future__ import annotations

import pytest
from stdnum import iban

from memories.validation.secrets.folding import fold
from memories.validation.secrets.ibans import find_iban, length_of
from memories.validation.secrets.national_ids import find_national_id
from memories.validation.secrets.passages import Passage

IBANS = [
    *("AL47212110090000000235698741", "AT611904300234573201", "BE68539007547034", "CH9300762011623852957"),
    *("DE89370400440532013000", "ES9121000418450200051332", "FR1420041010050500013M02606", "GB29NWBK60161331926819"),
    *("IT60X0542811101000000123456", "LU280019400644750000", "MT84MALT011000012345MTLCAST001S", "NL91ABNA0417164300"),
    *("NO9386011117947", "PT50000201231234567890154", "SE4550000000058398257466", "LI21088100002324013AA"),
]
NATIONAL_IDS = [
    *(
        "SSN 536-90-4399",
        "social security number 536 90 4399",
        "Steuer-ID 86095742719",
        "steuerliche IdNr. 86 095 742 719",
    ),
    *(
        "AHV 756.9217.0769.85",
        "Mi DNI: 54.362.315-K",
        "NIE X2482300W",
        "numéro de sécu 295109912611193",
        "codice fiscale RCCMNL83S18D969H",
    ),
    *("National Insurance AB 12 34 56 C", "SV-Nummer 1237 010180", "Seguridad Social 28/1234567840"),
]
# A made-up Italian number rarely has the right check letter, and one with a wrong letter belongs to nobody.
OTHERS = [
    *("Il mio codice fiscale è RSSMRA85T10A562A", "fiscal code: RSSMRA85T10A562X", "CF RSSMRA85T10A562Q"),
    *("SSN 000-12-3456", "Steuer-ID 86095742718", "AHV 756.9217.0769.84", "Mi DNI: 54.362.315-L", "NIE X2482300Z"),
    *("numéro de sécu 295109912611194", "codice fiscale RCCMNL83S18D969A", "536-90-4399 is a part number", "54362315K"),
]


@pytest.mark.parametrize("number", IBANS)
def test_an_iban_is_found_however_it_is_written(number: str) -> None:
    groups = " ".join(number[place : place + 4] for place in range(0, len(number), 4))
    assert iban.is_valid(number, check_country=False)
    for written in (
        number,
        number.lower(),
        groups,
        groups.replace(" ", "-"),
        groups.replace(" ", "\u00a0"),
        f"({groups}).",
    ):
        assert find_iban(fold(f"Transfer it to {written}")), written
        assert find_iban(fold(f"{written}, please")), written


@pytest.mark.parametrize("number", IBANS)
def test_an_iban_with_a_wrong_digit_or_length_is_none(number: str) -> None:
    wrong = number[:-1] + ("1" if number[-1] == "0" else "0")
    for other in (wrong, number[:-1], number + "7", f"X{number}"):
        assert not find_iban(fold(f"Transfer it to {other}")), other


def test_only_countries_with_ibans_have_a_length() -> None:
    assert (length_of("DE"), length_of("NO"), length_of("MT"), length_of("US"), length_of("XX")) == (
        22,
        15,
        31,
        None,
        None,
    )


def test_words_among_numbers_are_no_account_number_of_a_country_that_has_only_digits() -> None:
    sentences = [
        f"The bell has a prime at {200 + number * 0.9:.1f} Hz and a tierce at {240 + number * 1.1:.1f} Hz."
        for number in range(750)
    ]
    assert [sentence for sentence in sentences if find_iban(fold(sentence))] == []
    assert not find_iban(fold("Bell 74 has a prime at 740.2 Hz and a tierce at 839.4 Hz."))


@pytest.mark.parametrize("text", NATIONAL_IDS)
def test_a_national_id_is_found_beside_its_name(text: str) -> None:
    assert find_national_id(Passage.of(f"I noted it. {text} is what it says."))


@pytest.mark.parametrize("text", OTHERS)
def test_a_number_with_a_wrong_check_digit_or_without_a_name_is_none(text: str) -> None:
    assert not find_national_id(Passage.of(text))


def test_a_name_in_another_sentence_does_not_count() -> None:
    assert not find_national_id(Passage.of("I lost my DNI. The part is 54362315K."))
