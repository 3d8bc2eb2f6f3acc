"""Detection of payment card numbers in a text, with few false positives.

One in ten runs of digits passes Luhn's test, so more is required: a prefix and a length of an issuer, the usual
grouping of cards, and nothing around the number that contradicts it. Words such as "card", "visa" or "cvv" nearby
decide doubtful cases, and so do words such as "order", "tracking" or "phone" directly before the number.

Ambiguous numbers, and how they are decided:

- 16 digits without separators and without a telling word, with an issuer's prefix and a correct check digit, are a
  card: one in thirty random numbers of 16 digits is refused. The groups 4-4-4-4 are a card too, although they can be
  four numbers in a row.
- 14 or 15 digits with a prefix of Diners Club or American Express are a card, unless the check digits of a French
  company, Brazilian company or article number are correct, too, or they are a date with a time.
- 13 digits that begin with 4 are a card (Visa used to issue such numbers), unless they are an article number, a phone
  number of Austria, Germany or Sweden, or an identity number of South Africa.
- 17, 18 and 19 digits without separators are usually ids of messages and posts (snowflakes), so they need a word for
  cards. Numbers of UnionPay and Verve with 19 digits do not: they are in daily use, and no such ids begin like them.
- Digits in fives or one by one are a card. In twos, in threes or irregularly, as in lists, they need a word for cards.
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
"""Largest number of groups that a card has, unless its digits are written one by one or in threes."""
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_EXPIRY_AND_CODE = re.compile(r"(?:(?:0[1-9]|1[0-2])(?: ?(?:20)?[2-4][0-9])?)? ?(?:[0-9]{3})?")


@dataclass(frozen=True, slots=True)
class DuplicateGroup:
    """Consecutive digits and their position in the text."""

    digits: str
    start: int
    end: int


def holds_card_number(text: str) -> bool:
    """Return whether `text` contains a payment card number of 13 to 19 digits, in groups or not."""
    if len(_DIGIT.findall(text)) < LEAST_DIGITS:
        return False
    masked = _UUID.sub(lambda found: "~" * len(found[0]), _with_ascii_digits(text))
    return any(_is_card(masked, run, first, last) for run in _runs(masked) for first, last in _windows(run))


def _with_ascii_digits(text: str) -> str:
    """Return `text` with the digits of all scripts replaced by 0 to 9, at the same positions."""
    return text if text.isascii() else _DIGIT.sub(lambda found: str(unicodedata.decimal(found[0])), text)


def _runs(text: str) -> Iterator[Sequence[DuplicateGroup]]:
    """Yield runs of groups joined by one kind of separator on a line, or by white space across one line break."""
    groups = [DuplicateGroup(found[0], found.start(), found.end()) for found in _GROUP.finditer(text)]
    for separator in (_SPACE, _HYPHEN, _POINT):
        yield from _joined(text, groups, separator)
    if "\n" in text:
        for run in _joined(text, groups, _BLANK):
            lines = _lines(text, run)
            yield from ([*upper, *lower] for upper, lower in itertools.pairwise(lines))


def _lines(text: str, run: Sequence[DuplicateGroup]) -> list[list[DuplicateGroup]]:
    """Split the groups of `run` into lines."""
    lines = [[run[0]]]
    for group in run[1:]:
        if text[group.start - 1] == "\n":
            lines.append([])
        lines[-1].append(group)
    return lines


def _joined(
    text: str, groups: Sequence[DuplicateGroup], separator: re.Pattern[str]
) -> Iterator[Sequence[DuplicateGroup]]:
    run: list[DuplicateGroup] = []
    for group in groups:
        if run and not separator.fullmatch(text, run[-1].end, group.start):
            yield run
            run = []
        run.append(group)
    if run:
        yield run


def _windows(run: Sequence[DuplicateGroup]) -> Iterator[tuple[int, int]]:
    """Yield the first and last index of each part of `run` that can be a card by its digits.

    In a run of many small groups only the first ones can be a card: in the middle of a list no number stands alone.
    """
    for first in range(len(run)):
        digits = ""
        for last in range(first, len(run)):
            digits += run[last].digits
            if len(digits) > MOST_DIGITS or (first > 1 and last - first >= MOST_GROUPS):
                break
            if len(digits) >= LEAST_DIGITS and is_issued(digits):
                yield first, last


def _is_card(text: str, run: Sequence[DuplicateGroup], first: int, last: int) -> bool:
    groups = run[first : last + 1]
    digits, sizes = "".join(group.digits for group in groups), tuple(len(group.digits) for group in groups)
    start, end, is_grouped = groups[0].start, groups[-1].end, len(groups) > 1
    is_usual, is_alone = sizes in _USUAL_GROUPS, not is_grouped or _stands_alone(run, first, last)
    if is_grouped and is_alone:
        # The surroundings of the number are those of the whole run, with the expiry date and code that belong to it.
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
    """Return whether digits are written one by one or in fives. In twos and threes they are often lists."""
    return sizes[0] in {1, 5} and set(sizes[:-1]) == {sizes[0]} and sizes[-1] <= sizes[0]


def _stands_alone(run: Sequence[DuplicateGroup], first: int, last: int) -> bool:
    """Return whether the groups touch nothing but a year before, an expiry date and code after, or another card."""
    before, after = run[max(0, first - MOST_GROUPS) : first], run[last + 1 : last + 1 + MOST_GROUPS]
    is_begun = not before or (len(before) == 1 and _YEAR.fullmatch(before[0].digits)) or _holds_usual(before)
    rest = " ".join(group.digits for group in after)
    return bool(is_begun and (_EXPIRY_AND_CODE.fullmatch(rest) or _holds_usual(after)))


def _holds_usual(run: Sequence[DuplicateGroup]) -> bool:
    """Return whether a part of `run` has the digits and the grouping of a card."""
    sizes = [len(group.digits) for group in run]
    return any(tuple(sizes[first : last + 1]) in _USUAL_GROUPS for first, last in _windows(run))
