"""Replacement of the secrets in a text by placeholders."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

from memories.validation.secrets import values
from memories.validation.secrets.detection import find_in_words, kind_of_number
from memories.validation.secrets.folding import fold
from memories.validation.secrets.kinds import Kind
from memories.validation.secrets.passages import Passage, end_of_sentence, positions_in
from memories.validation.secrets.placeholders import PLACEHOLDER, kind_of_placeholder, masked

MAX_VALUES = 40
"""Number of values that one text may have. A text with more is a list of secrets, and is refused."""

_MIN_REPEATED_CHARS = 3
_QUOTES = "\"'“”„«»`‚‘’"
_TRAILING = "!?*_#$%&+=@^~|"
_WORD = re.compile(r"\S{4,80}")
_CODE = re.compile(rf"(?<![\w.,:/-]){values.CODE}")
_OF_WORDS = frozenset({Kind.PASSWORD, Kind.RECOVERY})
_SEPARATORS = "[-. ]?"
_GROUPS = re.compile(r"\d+(?:[- ]\d+)*")
_MORE_GROUPS = re.compile(r"(?:[- ]\d{2,8}(?![^\W_]))+")

NewPlaceholder = Callable[[Kind, str], str]
"""A function that returns the placeholder for a value of a kind."""


class NotHidden(Exception):
    """A text has a secret of a kind that is not kept. `kind` is its name with an article."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


def hide_secrets(text: str, kept: Collection[Kind], new_placeholder: NewPlaceholder) -> str:
    """Return `text` with each secret of a kept kind replaced by a placeholder, wherever the value occurs.

    In doubt too much is hidden: codes and passwords that follow a hidden one in its sentence are hidden, too. Raises
    NotHidden for a secret of another kind, for keys, tokens and card numbers, and for too many values.
    """
    for _ in range(MAX_VALUES):
        found = _first_secret(text) or _next_of_list(text)
        if found is None:
            return text
        kind, start, end = found
        kind = _own_kind(text, kind, start)
        if kind not in kept:
            raise NotHidden(kind)
        start, end = _extent(text, start, end)
        text = _replaced(text, start, end, new_placeholder(kind, _unquoted(text[start:end])))
    raise NotHidden(found[0] if found else Kind.PASSWORD)


def _first_secret(text: str) -> tuple[Kind, int, int] | None:
    """Return the first secret of a text with its place. Raises NotHidden for one without a place."""
    hidden = masked(text)
    if kind := kind_of_number(hidden):
        raise NotHidden(kind)
    found = find_in_words(Passage.of(hidden))
    if found is None:
        return None
    positions = positions_in(hidden)
    return found.kind, positions[found.start], positions[found.end]


def _own_kind(text: str, kind: Kind, start: int) -> Kind:
    """Return the kind of a value at `start`, which may have a name of its own after another value.

    In "the alarm code is [hidden: code #1], the PIN is 8823", the first name reaches the second value, too.
    """
    earlier = [found.end() for found in PLACEHOLDER.finditer(text, 0, start)]
    found = _first_secret(text[earlier[-1] :]) if earlier else None
    return found[0] if found and earlier[-1] + found[1] <= start < earlier[-1] + found[2] else kind


def _next_of_list(text: str) -> tuple[Kind, int, int] | None:
    """Return a value that follows a hidden one: "PINs: [hidden: PIN #1] (Visa), 5678 (Giro)"."""
    folded = fold(masked(text))
    for earlier in PLACEHOLDER.finditer(text):
        kind = kind_of_placeholder(earlier[0])
        end = _end_of_list(kind, text, folded, earlier.end())
        for start, stop in _values_between(kind, masked(text), folded, earlier.end(), end):
            return kind, start, stop
    return None


def _end_of_list(kind: Kind, text: str, folded: str, start: int) -> int:
    """Return where a list that goes on after `start` ends: recovery codes often have a line each."""
    if kind is Kind.RECOVERY:
        end = text.find("\n\n", start)
        return len(text) if end < 0 else end
    return end_of_sentence(folded, start)


def _values_between(kind: Kind, text: str, folded: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    if kind in _OF_WORDS:
        for word in _WORD.finditer(text, start, end):
            token = values.token_at(text, word.start())
            if token and values.is_strong_password(token):
                yield word.start(), values.end_of(token, text, word.start())
    if kind not in (Kind.IBAN, Kind.NATIONAL_ID):
        for code in _CODE.finditer(folded, start, end):
            if not values.YEAR.fullmatch(code[0]):
                yield code.span()


def _extent(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the place of a value without blanks before it, and with the quotation marks and signs around it."""
    start += len(text[start:end]) - len(text[start:end].lstrip())
    if _GROUPS.fullmatch(text[start:end]) and (more := _MORE_GROUPS.match(text, end)):
        end = more.end()
    while end < len(text) and (text[end] in _TRAILING + _QUOTES or text[end : end + 2] == " »"):
        end += 1
    while start > 0 and text[start - 1] in _QUOTES:
        start -= 1
    return start, end


def _unquoted(value: str) -> str:
    if len(value) > 2 and value[0] in _QUOTES and value[-1] in _QUOTES:
        return value[1:-1].strip()
    return value


def _replaced(text: str, start: int, end: int, by: str) -> str:
    """Return `text` with a value replaced by its placeholder, at its place and everywhere else."""
    value = text[start:end].strip(_QUOTES + _TRAILING + " ([")
    before, after = text[:start], text[end:]
    if len(value) < _MIN_REPEATED_CHARS:
        return before + by + after
    again = re.compile(rf"{PLACEHOLDER.pattern}|(?P<again>(?<![^\W_]){_shape_of(value)}(?![^\W_]))", re.IGNORECASE)

    def put(found: re.Match[str]) -> str:
        return by if found["again"] else found[0]

    return again.sub(put, before) + by + again.sub(put, after)


def _shape_of(value: str) -> str:
    """Return a pattern for a value, and for a code with other separators, too."""
    digits = re.sub(r"[-. ]", "", value)
    return _SEPARATORS.join(digits) if digits.isdecimal() and digits.isascii() else re.escape(value)
