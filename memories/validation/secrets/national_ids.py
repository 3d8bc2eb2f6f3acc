"""National identity numbers: of taxes, social security and identity cards."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from stdnum.at import tin as austrian_tax
from stdnum.at import vnr as austrian_insurance
from stdnum.be import nn as belgian
from stdnum.ch import ssn as swiss
from stdnum.es import dni as spanish
from stdnum.es import nie as spanish_foreigner
from stdnum.fr import nif as french_tax
from stdnum.fr import nir as french
from stdnum.gb import nhs as british_health
from stdnum.iso7064 import mod_11_10
from stdnum.it import codicefiscale as italian
from stdnum.us import itin as american_tax
from stdnum.us import ssn as american

from common.lazy_pattern import lazy_pattern
from memories.validation.secrets.passages import Passage

_B, _E = r"(?<![^\W_])(?<![.,:/-])", r"(?![^\W_]|[-/]\d)"
_S = r"[ .-]?"


@dataclass(frozen=True, slots=True)
class Identifier:
    """A national identity number.

    - `shape`: a pattern for folded texts.
    - `is_valid`: checks length and check digits, where there are any, without separators.
    - `is_distinct`: whether the shape and the check digits are so rare that no word has to name the number.
    """

    shape: re.Pattern[str]
    is_valid: Callable[[str], bool]
    is_distinct: bool = False


def _shape(pattern: str) -> re.Pattern[str]:
    return lazy_pattern(f"{_B}{pattern}{_E}")


def _is_mod_97(number: str) -> bool:
    """Check a Spanish social security number: the last two digits are those before, modulo 97 (Orden TAS/1988/2005)."""
    return int(number[:10]) % 97 == int(number[10:]) or int(number[:2] + number[3:10]) % 97 == int(number[10:])


def _any(number: str) -> bool:
    return True


SHORT_IDENTIFIERS = (
    # 1 in 26 codes with the shape of the Italian one has a right check letter, but the shape itself is rare.
    Identifier(
        _shape(r"[a-z]{3} ?[a-z]{3} ?[\da-z]{2}[a-ehlmpr-t][\da-z]{2} ?[a-z][\da-z]{3} ?[a-z]"), italian.is_valid, True
    ),
    Identifier(_shape(r"\d{1,2}\.?\d{3}\.?\d{3}[ -]?[a-z]"), spanish.is_valid),
    Identifier(_shape(r"[xyz][ -]?\d\.?\d{3}\.?\d{3}[ -]?[a-z]"), spanish_foreigner.is_valid),
    Identifier(_shape(rf"[a-ceghj-pr-tw-z][a-ceghj-npr-tw-z]{_S}\d\d{_S}\d\d{_S}\d\d{_S}[a-d]"), _any, True),
)

LONG_IDENTIFIERS = (
    Identifier(_shape(r"[12] \d\d \d\d \d[\dab] \d{3} \d{3} \d\d"), french.is_valid, True),
    Identifier(_shape(rf"[12378]{_S}\d\d{_S}\d\d{_S}\d[\dab]{_S}\d{{3}}{_S}\d{{3}}{_S}\d\d"), french.is_valid),
    # Before the key of two digits was added: without a check digit.
    Identifier(_shape(r"[12] \d\d (?:0[1-9]|1[0-2]) \d[\dab] \d{3} \d{3}"), _any),
    Identifier(_shape(r"[0-3]\d(?: ?\d){11}"), french_tax.is_valid),
    Identifier(_shape(r"756\.\d{4}\.\d{4}\.\d\d"), swiss.is_valid, True),
    Identifier(_shape(rf"756{_S}\d{{4}}{_S}\d{{4}}{_S}\d\d"), swiss.is_valid),
    # One digit occurs twice or three times in the first ten; numbers for tests and some old ones do not keep to that.
    Identifier(_shape(r"[1-9](?:[ .]?\d){10}"), mod_11_10.is_valid),
    # Of the German pension insurance: area, date of birth, first letter of the name, serial and check digits.
    Identifier(_shape(r"\d\d ?[0-3]\d[01]\d\d\d ?[a-z] ?\d{3}"), _any),
    # A serial number with its check digit and a date of birth: 1 in 270 numbers of this shape.
    Identifier(
        _shape(r"[1-9]\d{3} (?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])\d\d"),
        austrian_insurance.is_valid,
        is_distinct=True,
    ),
    Identifier(_shape(r"[1-9]\d{3}[ -]?[0-3]\d ?[01]\d ?\d\d"), austrian_insurance.is_valid),
    Identifier(_shape(r"\d\d-?\d{3}/?\d{4}"), austrian_tax.is_valid),
    Identifier(_shape(r"\d\d[ /-]?\d{7,8}[ /-]?\d\d"), lambda number: len(number) == 12 and _is_mod_97(number)),
    Identifier(_shape(r"\d\d\.\d\d\.\d\d-\d{3}\.\d\d"), belgian.is_valid),
    Identifier(_shape(r"\d{3}[ -]\d\d[ -]\d{4}"), american.is_valid),
    Identifier(_shape(r"\d{9}"), american.is_valid),
    Identifier(_shape(r"9\d\d-\d\d-\d{4}"), american_tax.is_valid),
    Identifier(_shape(r"\d{3}[ -]?\d{3}[ -]?\d{4}"), british_health.is_valid),
)

_NINE_DIGITS = lazy_pattern(r"\d(?:[ ./-]?[a-z]?[ ./-]?\d){8}")
"""Nine digits with at most a letter and separators between two of them, as every long identifier has."""

_SEPARATORS = lazy_pattern(r"[ ./-]")


def find_national_id(passage: Passage) -> tuple[int, int] | None:
    """Return where a passage has a national identity number, named as one unless its shape is rare enough, or None."""
    identifiers: tuple[Identifier, ...] = SHORT_IDENTIFIERS
    if _NINE_DIGITS.search(passage.folded):
        identifiers += LONG_IDENTIFIERS
    return next(filter(None, (_find(passage, identifier) for identifier in identifiers)), None)


def _find(passage: Passage, identifier: Identifier) -> tuple[int, int] | None:
    for found in identifier.shape.finditer(passage.folded):
        if not identifier.is_valid(_SEPARATORS.sub("", found[0]).upper()):
            continue
        if identifier.is_distinct or passage.has("national_ids", *passage.sentence(*found.span())):
            return found.span()
    return None
