"""Other kinds of numbers with the length of a card, recognized by their own check digits or dates."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from memories.validation.cards.issuers import passes_luhn

PHONE_PREFIXES = ("43", "46", "49")
"""Country codes (Austria, Sweden, Germany) of phone numbers with 13 digits that begin like a Visa card."""
CNPJ_WEIGHTS = (6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)


def is_lookalike(digits: str) -> bool:
    """Return whether `digits`, written without separators, are more likely another kind of number than a card."""
    match len(digits):
        case 13:
            return digits.startswith(PHONE_PREFIXES) or _is_article_number(digits) or _is_south_african_id(digits)
        case 14:
            return _is_article_number(digits) or _is_siret(digits) or _is_cnpj(digits) or _is_time(digits)
        case 16:
            # A timestamp of 2022 to 2039, followed by four digits.
            return "22" <= digits[:2] <= "39" and _is_date(digits[:12], "%y%m%d%H%M%S")
        case _:
            return False


def is_identity_number(digits: str) -> bool:
    """Return whether `digits` look like an identity number of China: 18 digits, also printed on a card."""
    return len(digits) == 18 and _is_date(digits[6:14], "%Y%m%d")


def _is_article_number(digits: str) -> bool:
    """Return whether the check digit is that of a GTIN-13 (EAN, ISBN) or GTIN-14: weights 1 and 3 from the right."""
    return sum(int(digit) * (1, 3)[place % 2] for place, digit in enumerate(reversed(digits))) % 10 == 0


def _is_south_african_id(digits: str) -> bool:
    """Return whether the digits are a date of birth, a sequence and a citizenship of 0 to 2.

    Their check digit is Luhn's, which a possible card has passed already.
    """
    return _is_date(digits[:6], "%y%m%d") and digits[10] in "012"


def _is_siret(digits: str) -> bool:
    """Return whether the number is a French establishment's: its first nine digits, the company's, pass Luhn's test.

    All 14 digits do, too, which a possible card has passed already.
    """
    return passes_luhn(digits[:9])


def _is_cnpj(digits: str) -> bool:
    """Return whether the number is a Brazilian company's: two check digits by weights, modulo 11."""
    return digits[12:] == _cnpj_check(digits[:12], CNPJ_WEIGHTS[1:]) + _cnpj_check(digits[:13], CNPJ_WEIGHTS)


def _cnpj_check(digits: str, weights: Sequence[int]) -> str:
    rest = sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=True)) % 11
    return str(0 if rest < 2 else 11 - rest)


def _is_time(digits: str) -> bool:
    """Return whether the digits are day, month, year and time of day. With the year first, none begins like a card."""
    return digits[4:6] in {"19", "20"} and _is_date(digits, "%d%m%Y%H%M%S")


def _is_date(digits: str, form: str) -> bool:
    try:
        return 1900 <= datetime.strptime(digits, form).year < 2100  # noqa: DTZ007 - only whether it is one
    except ValueError:
        return False
