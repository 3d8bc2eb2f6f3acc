"""Tests of replacing secrets by placeholders: values as a whole, everywhere, and nothing else."""

from __future__ import annotations

import re

import pytest

from memories.validation.secrets.detection import kind_of_secret
from memories.validation.secrets.hiding import MAX_VALUES, NotHidden, hide_secrets
from memories.validation.secrets.kinds import Kind
from memories.validation.secrets.placeholders import numbers_in, placeholder, without_numbers
from tests.memories.validation.secrets.everyday import EVERYDAY_HARMLESS, EVERYDAY_SECRETS
from tests.memories.validation.secrets.sentences import HARMLESS, SECRETS

ALL = frozenset(Kind)
EXPECTED = {
    "wifi at the cabin: sunflower-77": ["sunflower-77"],
    "Safe: 448120": ["448120"],
    "The combination of the safe: left 12, right 40, left 7": ["left 12, right 40, left 7"],
    "Die PIN ist vierundvierzig zwölf": ["vierundvierzig zwölf"],
    "My e-banking login is fkogler and the pass is nussholz": ["nussholz"],
    "My PIN is my birthday, 12.06.1957.": ["12.06.1957"],
    "Suitcase: 382": ["382"],
    "The alarm code at home is 4711.": ["4711"],
    "My PIN is four seven one one": ["four seven one one"],
    "The safe opens with 24-36-12.": ["24-36-12"],
    "The backup code for the account is 8841 2096.": ["8841 2096"],
    "The passphrase for the backup is 'green horse seven staples'.": ["green horse seven staples"],
    "“blue horse battery” is my password": ["blue horse battery"],
    "The password is Tulip#94!!": ["Tulip#94!!"],
    "Mein Masterpasswort ist roter mond singt leise": ["roter mond singt leise"],
    "Mon mot de passe Netflix, c'est « coquelicot ».": ["coquelicot"],
    "Uso Luna_2018 como contraseña en todas partes.": ["Luna_2018"],
    "La password del PC è papavero, tutto minuscolo.": ["papavero"],
    "PINs: 1234 (Visa), 5678 (Giro)": ["1234", "5678"],
    "Passwords: Tulip#94 (mail), Rose#22 (bank)": ["Tulip#94", "Rose#22"],
    "Backup codes:\n7HQ2M-9XKLD\n44TVR-88KKL": ["7HQ2M-9XKLD", "44TVR-88KKL"],
    "recovery phrase: tiger lamp ocean drift maple stone": ["tiger lamp ocean drift maple stone"],
    "My IBAN is ES91 2100 0418 4502 0005 1332, at the bank": ["ES91 2100 0418 4502 0005 1332"],
    "Mi NIE es X-2482300-W": ["X-2482300-W"],
}


def hidden(text: str, kept: frozenset[Kind] = ALL) -> tuple[str, list[str]]:
    """Return the text with placeholders, and the values in the order of their numbers."""
    values: list[str] = []

    def new_placeholder(kind: Kind, value: str) -> str:
        values.append(value)
        return placeholder(kind, len(values))

    return hide_secrets(text, kept, new_placeholder), values


@pytest.mark.parametrize("text", EXPECTED)
def test_a_value_is_hidden_as_a_whole(text: str) -> None:
    safe, values = hidden(text)
    assert sorted(values) == sorted(EXPECTED[text])
    assert numbers_in(safe)
    bare = re.sub(r"\[hidden: [^]]*]", "", safe)
    assert not [
        value for value in values for word in re.split(r"[ -]", value) if len(word) > 1 and word in bare.split()
    ]


@pytest.mark.parametrize("kind", Kind)
def test_nothing_of_a_value_is_left_in_any_sentence(kind: Kind) -> None:
    for text in SECRETS[kind] + EVERYDAY_SECRETS.get(kind, []):
        safe, values = hidden(text)
        assert values, text
        assert kind_of_secret(safe) is None, safe
        assert not re.search(r"\d{3}|\d[- ]\d[- ]\d", re.sub(r"#\d+]", "", safe)), safe


def test_a_harmless_sentence_stays_as_it_is() -> None:
    for text in [*HARMLESS, *EVERYDAY_HARMLESS]:
        assert hidden(text) == (text, [])


def test_a_value_gets_one_placeholder_wherever_it_is() -> None:
    safe, values = hidden("The alarm code is 4711. Remember: 4711, or 47-11! Not 14711.")
    assert safe == "The alarm code is [hidden: code #1]. Remember: [hidden: code #1], or [hidden: code #1]! Not 14711."
    assert values == ["4711"]


def test_what_has_been_hidden_is_not_hidden_again() -> None:
    text = "The alarm code at home is [hidden: code #12], the PIN of the phone [hidden: PIN #3]."
    assert hidden(text) == (text, [])
    safe, values = hidden("The alarm code at home is [hidden: code #12] or 4711")
    assert (safe, values) == ("The alarm code at home is [hidden: code #12] or [hidden: code #1]", ["4711"])


def test_lines_and_blanks_stay() -> None:
    safe, values = hidden("Home\n\nThe  alarm code:   4711\n\n- tea\n- rain")
    assert (safe, values) == ("Home\n\nThe  alarm code:   [hidden: code #1]\n\n- tea\n- rain", ["4711"])


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The alarm code is 4711, the PIN of my phone is 8823", "a PIN"),
        ("The alarm code is 4711, the card 4111 1111 1111 1111", "a payment card number"),
        ("The alarm code is 4711. sk-abcdefghijklmnopqrstuvwx", "an API key"),
    ],
)
def test_a_kind_that_is_not_kept_is_named(text: str, kind: str) -> None:
    with pytest.raises(NotHidden) as refused:
        hidden(text, ALL - {Kind.PIN})
    assert refused.value.kind == kind


def test_a_list_of_very_many_secrets_is_refused() -> None:
    lines = "\n".join(f"The door code of flat {name} is {4000 + name}" for name in range(MAX_VALUES + 2))
    with pytest.raises(NotHidden):
        hidden(lines)


def test_the_number_can_be_left_out() -> None:
    assert without_numbers("The code is [hidden: code #12].") == "The code is [hidden: code]."
