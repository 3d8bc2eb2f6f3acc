"""Bank account numbers (IBAN, ISO 13616) anywhere in a text."""

from __future__ import annotations

import re
from functools import cache

from stdnum import numdb
from stdnum.iso7064 import mod_97_10

_START = re.compile(r"(?<![^\W_])([a-z]{2})[ -]?(\d)[ -]?(\d)(?=[ .-]?[a-z0-9])")
_PARTS = re.compile(r"(\d+)!([nac])")
_SIGNS = {"n": "[0-9]", "a": "[a-z]", "c": "[a-z0-9]"}
_LEAST_CHARS, _MOST_CHARS = 15, 34
_WITH_SEPARATORS = 2 * _MOST_CHARS


def find_iban(folded: str) -> tuple[int, int] | None:
    """Return where a folded text has an IBAN with the length of its country and right check digits, or None."""
    for found in _START.finditer(folded):
        end = _end_of_iban(folded, found)
        if end is not None:
            return found.start(), end
    return None


def _end_of_iban(folded: str, start: re.Match[str]) -> int | None:
    country = start[1].upper()
    length = length_of(country)
    if length is None:
        return None
    number = start[1] + start[2] + start[3]
    place, last = start.end(), min(len(folded), start.start() + _WITH_SEPARATORS)
    while place < last and len(number) < length:
        character = folded[place]
        if character.isascii() and character.isalnum():
            number += character
        elif character not in " -." or folded[place - 1] in " -.":
            return None
        place += 1
    if len(number) < length or folded[place : place + 1].isalnum():
        return None
    # Without this, one of 97 sentences such as "at 740.2 Hz and a tierce" would be an Austrian number.
    if not _account_pattern(country).fullmatch(number, 4):
        return None
    return place if mod_97_10.is_valid((number[4:] + number[:4]).upper()) else None


@cache
def length_of(country: str) -> int | None:
    """Return the number of characters of the IBANs of a country, or None if it has none. `country` has two letters."""
    parts = _account_parts(country)
    return 4 + sum(int(length) for length, _ in parts) if parts else None


@cache
def _account_pattern(country: str) -> re.Pattern[str]:
    """Return a pattern of the account numbers of a country, in lower case: its digits and letters (ISO 13616)."""
    return re.compile("".join(f"{_SIGNS[kind]}{{{length}}}" for length, kind in _account_parts(country)))


def _account_parts(country: str) -> list[tuple[str, str]]:
    """Return the length of each part of a country's account numbers and what it consists of: n, a or c."""
    return _PARTS.findall(numdb.get("iban").info(country + "00")[0][1].get("bban") or "")
