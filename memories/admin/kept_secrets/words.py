"""The kinds of secrets in the words of the pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext_noop

from memories.validation.secrets.kinds import Kind


@dataclass(frozen=True, slots=True)
class KindWords:
    """The name of a kind as a heading, a sentence with an example, and its name in a sentence: "the hidden …"."""

    title: str
    example: str
    name: str


WORDS: Mapping[Kind, KindWords] = {
    Kind.PASSWORD: KindWords(
        gettext_noop("Passwords"),
        gettext_noop("Such as “The Wi-Fi password is …”, and passphrases and keys of networks."),
        gettext_noop("password"),
    ),
    Kind.PIN: KindWords(gettext_noop("PINs"), gettext_noop("Such as “The PIN of my phone is …”."), gettext_noop("PIN")),
    Kind.LOCK_CODE: KindWords(
        gettext_noop("Alarm and door codes"),
        gettext_noop("Such as “The alarm code at home is …”, and codes of safes, gates and padlocks."),
        gettext_noop("alarm or door code"),
    ),
    Kind.RECOVERY: KindWords(
        gettext_noop("Recovery codes and phrases"),
        gettext_noop("Such as backup codes, a PUK, or the words of a wallet."),
        gettext_noop("recovery code"),
    ),
    Kind.CARD_CODE: KindWords(
        gettext_noop("Security codes of payment cards"),
        gettext_noop("The three or four digits on the back. Card numbers themselves are always refused."),
        gettext_noop("security code of a card"),
    ),
    Kind.IBAN: KindWords(
        gettext_noop("Bank account numbers (IBAN)"),
        gettext_noop("Your own and those of others, with or without spaces."),
        gettext_noop("bank account number"),
    ),
    Kind.NATIONAL_ID: KindWords(
        gettext_noop("Identity numbers"),
        gettext_noop("Of taxes, social security, passports and identity cards."),
        gettext_noop("identity number"),
    ),
}


def name_of(kind: str) -> str:
    """Return the English name of a stored kind; that of a password for one that this version does not know."""
    return WORDS[Kind.__members__.get(kind, Kind.PASSWORD)].name
