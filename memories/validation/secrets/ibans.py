"""Bank account numbers (IBAN, ISO 13616) anywhere in a text."""

from __future__ import annotations

import re
from functools import cache

from stdnum import numdb
from stdnum.iso7064 import mod_97_10

_START = re.compile(r"(?<![^\W_])([a-z]{2})[ -]?(\d)[ -]?(\d)(?=[ .-]?[a-z0-9])")
_LENGTHS = re.compile(r"(\d+)!")
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
    length = length_of(start[1].upper())
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
    return place if mod_97_10.is_valid((number[4:] + number[:4]).upper()) else None


@cache
def length_of(country: str) -> int | None:
    """Return the number of characters of the IBANs of a country, or None if it has none. `country` has two letters."""
    found = numdb.get("iban").info(country + "00")[0][1].get("bban")
    return 4 + sum(map(int, _LENGTHS.findall(found))) if found else None
