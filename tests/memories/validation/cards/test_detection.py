"""Tests of detecting payment card numbers in every usual form, and no other numbers."""

from __future__ import annotations

import itertools
from random import Random

import pytest

from memories.validation.cards import detection
from memories.validation.cards.detection import holds_card_number
from memories.validation.cards.issuers import ISSUERS, Issuer, is_issued, passes_luhn
from tests.memories.validation.cards.known_cards import KNOWN
from tests.memories.validation.cards.other_numbers import KINDS, examples, grouped, luhn_check, some_digits

OF_EACH_KIND = 150
CARDS = [digits for numbers in KNOWN.values() for digits in numbers]
GROUPS: dict[int, list[tuple[int, ...]]] = {
    13: [(4, 3, 3, 3)],
    14: [(4, 6, 4), (4, 4, 4, 2)],
    15: [(4, 6, 5), (4, 4, 4, 3)],
    16: [(4, 4, 4, 4)],
    17: [(4, 4, 4, 5), (4, 4, 4, 4, 1)],
    18: [(4, 4, 4, 4, 2)],
    19: [(4, 4, 4, 4, 3), (6, 13)],
}
SENTENCES = [
    *("{}", "{}.", "({})", '"{}"', "{},", "{}!", "<{}>", "[{}]", "**{}**", "`{}`", "_{}_", "{}\n", "\n{}", "a\n{}\nb"),
    *("my key is {}.", '{{"key":"{}"}}', '{{"number": {}, "name": "Ada"}}', "number={}&name=ada", "<pan>{}</pan>"),
    *("It is {}, exp 12/27, cvv 123", "{} 12/27 123", "{} 12/2027", "{} 0428", "{} 12 27 123", "{} exp 04/28 CVC 999"),
    *(
        "{}|12|2027|123",
        "Ada,{},12/27,Lovelace",
        "Ada;{};12/27",
        "1,{},Ada",
        "{} valid thru 01/30",
        "- {}",
        "* {}",
        "1. {}",
    ),
    *(
        "Visa {}",
        "visa: {}",
        "card number {}",
        "Card #{}",
        "card no. {}",
        "cardNumber={}",
        '"card_number": "{}"',
        "card-{}",
    ),
    *("Paid the order with {}", "I ordered tea with {} yesterday", "the parcel was paid by {}", "amex{}", "MC:{}"),
    *(
        "Meine Kreditkarte: {}",
        "Kartennummer {}, gültig bis 12/27",
        "tarjeta de crédito {}",
        "ma carte bancaire est {}",
    ),
    *("la mia carta è {}", "meu cartão: {}", "mijn kaart is {}", "mit kort er {}", "moja karta to {}", "моя карта {}"),
    *(
        "η κάρτα μου {}",
        "kart numaram {}",
        "thẻ {}",
        "カード番号は{}です",
        "我的信用卡号是{}。",
        "카드번호 {}입니다",
        "بطاقتي {}",
    ),
    *("הכרטיס שלי {}", "मेरा कार्ड {} है", "บัตรเครดิต {}", "https://pay.example/?card={}&cvv=123", "No. {}", "2024 {}"),
    *("User: {}", "Customer Jane: {}", "Message: {}", "He read it to me on the phone: {}", "just in case {}", "cc:{}"),
    *(
        "Use {} for the order",
        "Pay with {} for order 12",
        "The order was charged to {}",
        "PAN={}",
        ";{}=2712?",
        "{}—thanks",
    ),
    *("order 12, card {}", "the customer's card is {}", "tel. 555 1234, visa {}", "see https://x.example {}", "{} {}"),
]
SEPARATORS = [" ", "-", "\u00a0", "\u2009", "\u2010", "\u2011", "\u2013", "\u2212", "\u3000"]


def forms(digits: str) -> list[str]:
    """Return the number in each form in which cards are written."""
    sizes = GROUPS[len(digits)]
    return [digits, *(grouped(digits, each, separator) for each in sizes for separator in (" ", "-"))]


@pytest.mark.parametrize("digits", CARDS)
def test_a_card_is_found_in_every_form_and_sentence(digits: str) -> None:
    for sentence in SENTENCES:
        for form in forms(digits):
            text = sentence.replace("{}", form).replace("{{", "{").replace("}}", "}")
            assert holds_card_number(text), text


@pytest.mark.parametrize("digits", CARDS)
def test_a_card_is_found_with_any_hyphen_or_blank_and_in_any_script(digits: str) -> None:
    for sizes in GROUPS[len(digits)]:
        for separator in SEPARATORS:
            assert holds_card_number(grouped(digits, sizes, separator)), separator
    for zero in "０٠०৪"[:3]:
        other_script = "".join(chr(ord(zero) + int(digit)) for digit in digits)
        assert holds_card_number(f"a {other_script} b"), other_script


@pytest.mark.parametrize("digits", CARDS)
def test_a_card_is_found_digit_by_digit_in_fives_and_over_two_lines(digits: str) -> None:
    assert holds_card_number(" ".join(digits))
    assert holds_card_number("-".join(digits))
    assert holds_card_number(" ".join(digits[place : place + 5] for place in range(0, len(digits), 5)))
    words = grouped(digits, GROUPS[len(digits)][0]).split()
    assert holds_card_number("first\n" + " ".join(words[:2]) + "\n" + " ".join(words[2:]) + "\nlast")


@pytest.mark.parametrize(
    "text", ["4111 - 1111 - 1111 - 1111", "4111.1111.1111.1111", "%B4111111111111111^DOE/JOHN^2712101"]
)
def test_a_card_is_found_in_rarer_forms(text: str) -> None:
    assert holds_card_number(text)


def test_in_a_cards_groups_a_number_is_no_account_or_id() -> None:
    for label in ("account", "id", "customer", "order from Jane:"):
        assert holds_card_number(f"{label} 4111 1111 1111 1111")
        assert not holds_card_number(f"{label} 4111111111111111")
    assert not holds_card_number("order 4111 1111 1111 1111")


def test_with_a_word_for_cards_it_is_found_however_it_is_grouped() -> None:
    for form in ("41111111 11111111", "41 11 11 11 11 11 11 11", "411 111 111 111 111 1", "411111 1111 111111"):
        assert holds_card_number(f"my card {form}")
        assert not holds_card_number(f"a list: {form}")


@pytest.mark.parametrize("separator", [" ", "\n", ", ", "; ", " and "])
def test_one_card_beside_another_is_found(separator: str) -> None:
    for pair in (("4111 1111 1111 1111", "5555 5555 5555 4444"), ("4111111111111111", "378282246310005")):
        assert holds_card_number(separator.join(pair))


@pytest.mark.parametrize("issuer", ISSUERS, ids=lambda issuer: issuer.name)
def test_every_prefix_and_length_of_every_network_is_found_in_groups_and_with_a_word_for_cards(issuer: Issuer) -> None:
    random = Random(f"cards of {issuer.name}")
    prefixes = {end for each in issuer.prefixes for end in each.split("-")}
    for prefix, length in itertools.product(sorted(prefixes), issuer.lengths):
        body = prefix + some_digits(random, length - len(prefix) - 1, "0123456789")
        digits = body + luhn_check(body)
        assert is_issued(digits)
        assert holds_card_number(f"my card {digits}"), digits
        assert holds_card_number(grouped(digits, GROUPS[length][0])), digits


@pytest.mark.parametrize("kind", KINDS)
def test_no_other_number_is_taken_for_a_card(kind: str) -> None:
    assert [text for text in examples(kind, OF_EACH_KIND) if holds_card_number(text)] == []


def test_the_other_numbers_are_many_and_would_often_pass_for_cards_by_their_check_digit() -> None:
    texts = [text for kind in KINDS for text in examples(kind, OF_EACH_KIND)]
    assert len(set(texts)) > 5000
    digits = ["".join(letter for letter in text if letter in "0123456789") for text in texts]
    assert sum(13 <= len(each) <= 19 and passes_luhn(each) for each in digits) > 300


@pytest.mark.parametrize(
    "text",
    [
        "0.844421851525048",
        "order 4532015112830366",
        "4532015112830366 is my order number",
        "#4111111111111111",
        "+4111111111111111",
        "0.4111111111111111",
        "4111111111111111.5",
        "x4111111111111111",
        "4111111111111111ab",
        "file_4111111111111111.png",
        "4111111111111111.png",
        "https://x.example/4111111111111111",
        "12344111111111111111",
        "4111111111111112",
        "9111111111111119",
        "4000 1111 2222 3333 4444 5555 6666",
        "4111111111111111000",
        "IBAN DE44 4111 1111 1111 1111 00",
        "550e8400-4111-1111-1111-446655440000",
        "41111111-1111-1111-1111-111111111111",
    ],
)
def test_what_stands_beside_a_number_can_say_that_it_is_something_else(text: str) -> None:
    assert not holds_card_number(text)


@pytest.mark.parametrize(
    ("text", "is_card"),
    [
        # Visa's rules allow 19 digits, but no such cards are issued; ids of messages have 19 digits.
        ("4111111111111111110", False),
        ("card 4111111111111111110", True),
        ("4111 1111 1111 1111 110", True),
        # UnionPay cards with 19 digits are in daily use.
        ("6222021001116245702", True),
        # 13 digits: an article, a mobile phone in Germany, an identity number of South Africa.
        ("4006381333931", False),
        ("4222222222222", True),
        # 14 digits: an establishment in France.
        ("38012986646850", False),
        ("card 38012986646850", True),
    ],
)
def test_what_is_ambiguous_is_decided_by_real_lengths_other_check_digits_and_words(text: str, is_card: bool) -> None:
    digits = "".join(letter for letter in text if letter.isdigit())
    if is_card:
        assert is_issued(digits)
    assert holds_card_number(text) is is_card


@pytest.mark.parametrize(
    "unit", ["4 ", "4-", "4\n", "4 1\n", "41 ", "4111 ", "4", "4111111111111111 x", "order 4111111111111111 "]
)
def test_what_a_text_costs_grows_no_faster_than_its_length(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (unit * 16_000)[:16_000]
    tested: list[str] = []

    def count(digits: str) -> bool:
        tested.append(digits)
        return False

    monkeypatch.setattr(detection, "is_issued", count)

    assert not holds_card_number(text)
    assert len(tested) < len(text)
