"""Finding payment card numbers in a text without taking other numbers for one.

One in ten runs of digits passes Luhn's test, so more has to agree: a prefix and a length that an issuer has, the way in
which cards are grouped, and nothing around the number that says otherwise. Words like "card", "visa" or "cvv" nearby
settle it where these leave a doubt, and so do words like "order", "tracking" or "phone" right before it.

What stays ambiguous, and how it is decided:

- 16 digits without blanks and without a telling word, with an issuer's prefix and a right check digit, are a card: one
  in thirty random numbers of 16 digits is refused. The same goes for 4-4-4-4, as four numbers in a row can be.
- 14 or 15 digits that begin like Diners Club or American Express are a card, unless the check digits of a French,
  Brazilian or article number are right, too, or they are a time.
- 13 digits that begin with 4 are a card (Visa issued such numbers once), unless they are an article number, a phone
  number of Austria, Germany or Sweden, or an identity number of South Africa.
- 17, 18 and 19 digits without blanks are mostly ids of messages and posts (snowflakes), so they need a word for cards.
  Those of UnionPay and Verve with 19 do not: they are in daily use, and no such ids begin like them.
- Digits in fives and one by one are a card. In twos, in threes or irregularly, as in lists, they need a word for cards.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memories.validation.cards.context import Context, context_of
from memories.validation.cards.issuers import has_usual_length, is_issued
from memories.validation.cards.lookalikes import is_identity_number, is_lookalike
from memories.validation.cards.surroundings import is_part_of_number, is_part_of_something

LEAST_DIGITS, MOST_DIGITS = 13, 19

_UUID = re.compile(r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b")
_DIGIT = re.compile(r"\d")
_GROUP = re.compile(r"[0-9]+")
_SPACE = re.compile(r"[^\S\n]")
_HYPHEN = re.compile(r"[^\S\n]?[\-\u2010-\u2015\u2212\uff0d][^\S\n]?")
_POINT = re.compile(r"\.")
_BLANK = re.compile(r"\s")
_USUAL_GROUPS = frozenset(
    {
        *((4, 3, 3, 3), (4, 6, 4), (4, 4, 4, 2), (4, 6, 5), (4, 4, 4, 3), (4, 4, 4, 4)),
        *((4, 4, 4, 5), (4, 4, 4, 4, 1), (4, 4, 4, 4, 2), (4, 4, 4, 4, 3), (6, 13)),
    }
)
MOST_GROUPS = 5
"""As many as a card has, digits one by one and in threes aside."""
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_EXPIRY_AND_CODE = re.compile(r"(?:(?:0[1-9]|1[0-2])(?: ?(?:20)?[2-4][0-9])?)? ?(?:[0-9]{3})?")


@dataclass(frozen=True, slots=True)
class DigitGroup:
    """Digits without anything between them, and where they stand in the text."""

    digits: str
    start: int
    end: int


def holds_card_number(text: str) -> bool:
    """Return whether `text` contains a payment card number of 13 to 19 digits, in groups or without any."""
    if len(_DIGIT.findall(text)) < LEAST_DIGITS:
        return False
    masked = _UUID.sub(lambda found: "~" * len(found[0]), _with_ascii_digits(text))
    return any(_is_card(masked, run, first, last) for run in _runs(masked) for first, last in _windows(run))


def _with_ascii_digits(text: str) -> str:
    """Return `text` with the digits of all scripts as 0 to 9."""
    return text if text.isascii() else _DIGIT.sub(lambda found: str(unicodedata.decimal(found[0])), text)


def _runs(text: str) -> Iterator[Sequence[DigitGroup]]:
    """Yield runs of digit groups. Separators on a line are of one kind; a run may also cross one line break."""
    groups = [DigitGroup(found[0], found.start(), found.end()) for found in _GROUP.finditer(text)]
    for separator in (_SPACE, _HYPHEN, _POINT):
        yield from _joined(text, groups, separator)
    if "\n" in text:
        for run in _joined(text, groups, _BLANK):
            lines = _lines(text, run)
            yield from ([*upper, *lower] for upper, lower in itertools.pairwise(lines))


def _lines(text: str, run: Sequence[DigitGroup]) -> list[list[DigitGroup]]:
    """Return the groups of `run`, line by line."""
    lines = [[run[0]]]
    for group in run[1:]:
        if text[group.start - 1] == "\n":
            lines.append([])
        lines[-1].append(group)
    return lines


def _joined(text: str, groups: Sequence[DigitGroup], separator: re.Pattern[str]) -> Iterator[Sequence[DigitGroup]]:
    run: list[DigitGroup] = []
    for group in groups:
        if run and not separator.fullmatch(text, run[-1].end, group.start):
            yield run
            run = []
        run.append(group)
    if run:
        yield run


def _windows(run: Sequence[DigitGroup]) -> Iterator[tuple[int, int]]:
    """Yield the first and last group of each part of `run` that has the digits of a card.

    Of many small groups only the first ones can be a card: in the middle of a list they never stand alone.
    """
    for first in range(len(run)):
        digits = ""
        for last in range(first, len(run)):
            digits += run[last].digits
            if len(digits) > MOST_DIGITS or (first > 1 and last - first >= MOST_GROUPS):
                break
            if len(digits) >= LEAST_DIGITS and is_issued(digits):
                yield first, last


def _is_card(text: str, run: Sequence[DigitGroup], first: int, last: int) -> bool:
    groups = run[first : last + 1]
    digits, sizes = "".join(group.digits for group in groups), tuple(len(group.digits) for group in groups)
    start, end, is_grouped = groups[0].start, groups[-1].end, len(groups) > 1
    is_usual, is_alone = sizes in _USUAL_GROUPS, not is_grouped or _stands_alone(run, first, last)
    if is_grouped and is_alone:
        # What stands beside the number, stands beside the date and code that belong to it.
        outer_start, outer_end = run[0].start, run[-1].end
    else:
        outer_start, outer_end = start, end
    if not (is_usual or is_alone) or is_part_of_number(text, outer_start, outer_end):
        return False
    match context_of(text, start, end, is_grouped=is_grouped):
        case Context.CARD:
            return not is_identity_number(digits)
        case Context.OTHER:
            return False
    if not is_alone or is_part_of_something(text, outer_start, outer_end):
        return False
    if is_grouped:
        return is_usual or _is_spelled(sizes)
    return has_usual_length(digits) and not is_lookalike(digits)


def _is_spelled(sizes: Sequence[int]) -> bool:
    """Return whether digits are written singly or in fives, as some people do. Twos and threes are often lists."""
    return sizes[0] in {1, 5} and set(sizes[:-1]) == {sizes[0]} and sizes[-1] <= sizes[0]


def _stands_alone(run: Sequence[DigitGroup], first: int, last: int) -> bool:
    """Return whether only a year, an expiry date, a security code or another card is joined to the groups."""
    before, after = run[max(0, first - MOST_GROUPS) : first], run[last + 1 : last + 1 + MOST_GROUPS]
    is_begun = not before or (len(before) == 1 and _YEAR.fullmatch(before[0].digits)) or _holds_usual(before)
    rest = " ".join(group.digits for group in after)
    return bool(is_begun and (_EXPIRY_AND_CODE.fullmatch(rest) or _holds_usual(after)))


def _holds_usual(run: Sequence[DigitGroup]) -> bool:
    """Return whether a part of `run` looks like a card in every way."""
    sizes = [len(group.digits) for group in run]
    return any(tuple(sizes[first : last + 1]) in _USUAL_GROUPS for first, last in _windows(run))
