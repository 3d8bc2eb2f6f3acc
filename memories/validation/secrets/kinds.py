"""The kinds of secrets."""

from __future__ import annotations

import enum


class Kind(enum.StrEnum):
    """A kind of secret. The value is its name with an article, as error messages use it."""

    PASSWORD = "a password"  # noqa: S105 - no password
    PIN = "a PIN"
    LOCK_CODE = "an alarm or door code"
    RECOVERY = "a recovery code or phrase"
    CARD_CODE = "the security code of a payment card"
    IBAN = "a bank account number (IBAN)"
    NATIONAL_ID = "a national identity number"
