"""The kinds of secrets."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from django.utils.translation import gettext_noop


class Kind(enum.StrEnum):
    """A kind of secret. The value is its name with an article, as error messages use it."""

    PASSWORD = gettext_noop("a password")
    PIN = gettext_noop("a PIN")
    LOCK_CODE = gettext_noop("an alarm or door code")
    RECOVERY = gettext_noop("a recovery code or phrase")
    CARD_CODE = gettext_noop("the security code of a payment card")
    IBAN = gettext_noop("a bank account number (IBAN)")
    NATIONAL_ID = gettext_noop("a national identity number")


@dataclass(frozen=True, slots=True)
class FoundSecret:
    """A secret in a passage: its kind, and where its value begins and ends in the text of the passage."""

    kind: Kind
    start: int
    end: int
