"""Secrets that are named: "the alarm code is 4711", "use bluebell_94 as the password"."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from common.lazy_pattern import lazy_pattern
from memories.validation.secrets import values
from memories.validation.secrets.kinds import FoundSecret, Kind
from memories.validation.secrets.languages.all_languages import any_of
from memories.validation.secrets.links import Join, Name, value_before, value_places
from memories.validation.secrets.passages import Passage

_END = r"(?![^\W_])"
_OWNERS = lazy_pattern(rf"(?<![^\W_]){any_of('owners')}$")
_OTHER_CODES = lazy_pattern(rf"(?<![^\W_]){any_of('other_codes')}[- ]?$")
_OTHER_AFTER = lazy_pattern(rf"[- ]?{any_of('other_codes_after')}{_END}")

_NOTE_END = lazy_pattern(values.NOTE_END)

Accepts = Callable[[Passage, int, Join], int | None]
"""The end of the value that a passage has at a position; None if it has none there.

`Join` says what is between it and its name.
"""


def _names(*fields: str) -> re.Pattern[str]:
    names = "|".join(map(any_of, fields))
    return lazy_pattern(rf"(?<![^\W_])(?:{names})(?!\w)(?!\}}{{0,2}}[-/@][^\W_])(?![ -]{any_of('compounds')}{_END})")


@dataclass(frozen=True, slots=True)
class Rule:
    """The names of a kind of secret, and the values that it has.

    `is_value_before` decides about a value before the name. `beside` has fields of `Vocabulary`: if there are any, a
    word of one of them must be in the sentence.
    """

    kind: Kind
    names: re.Pattern[str]
    accepts: Accepts
    is_value_before: Callable[[str], bool]
    beside: tuple[str, ...] = ()


def named_secret(passage: Passage) -> FoundSecret | None:
    """Return the first secret that is named in a passage, or None."""
    for rule in RULES:
        for name in Name.all_in(passage, rule.names):
            if value := _value(rule, name):
                return FoundSecret(rule.kind, *value)
    return None


def _value(rule: Rule, name: Name) -> tuple[int, int] | None:
    """Return where the value of a name begins and ends, or None if it gives nothing away."""
    value = _value_after(rule, name)
    if value is None:
        before = value_before(name)
        value = before if before and rule.is_value_before(_last_word(name.passage.text, *before)) else None
    if value is None or name.has("public") or _OWNERS.search(name.before):
        return None
    return value if not rule.beside or _is_beside(name, rule.beside) else None


def _value_after(rule: Rule, name: Name) -> tuple[int, int] | None:
    for place, join in value_places(name):
        if join is Join.ORIGIN:
            end = _end_of_shape(name.passage, place, values.WRITTEN_DATE)
        else:
            end = rule.accepts(name.passage, place, join)
        if end is not None and (join is not Join.THING or _is_noted(name.passage, place, end)):
            return place, end
    return None


def _is_noted(passage: Passage, place: int, end: int) -> bool:
    """Return whether a value that only a thing joins to its name ends a note, and is not a year."""
    return _NOTE_END.match(passage.folded, end) is not None and not values.YEAR.match(passage.folded, place)


def _last_word(text: str, start: int, end: int) -> str:
    return text[start:end].rsplit(maxsplit=1)[-1]


def _is_beside(name: Name, things: tuple[str, ...]) -> bool:
    """Return whether a code belongs to one of some things, rather than to a postcode or an error."""
    if _OTHER_CODES.search(name.before) or _OTHER_AFTER.match(name.passage.folded, name.end):
        return False
    return any(map(name.has, things))


def _password_at(passage: Passage, place: int, join: Join) -> int | None:
    quoted = values.quoted_at(passage.text, place)
    if quoted:
        return None if values.is_sample(quoted) else values.end_of(quoted, passage.text, place)
    token = values.token_at(passage.text, place)
    if token is not None and join is Join.THING:
        # Letters and digits may be its name or model, digits a number of it: "the password for the server db-01".
        return values.end_of(token, passage.text, place) if values.is_special_password(token) else None
    if end := _end_of_digits(passage, place, join):
        return end
    if token is None:
        return None
    if join is Join.NOTHING:
        is_value = len(token) > 5 and values.is_password(token)
    else:
        is_value = values.is_password(token) or (
            join is Join.VERB and values.plain_word_at(passage.text, passage.folded, place) is not None
        )
    return values.end_of(token, passage.text, place) if is_value else None


def _end_of_digits(passage: Passage, place: int, join: Join) -> int | None:
    is_year = join.is_bare and values.YEAR.match(passage.folded, place)
    return None if is_year else _end_of_shape(passage, place, values.DIGITS)


def _end_of_shape(passage: Passage, place: int, *shapes: re.Pattern[str]) -> int | None:
    """Return the end of the first of some shapes that the passage has at a position, or None."""
    found = next(filter(None, (shape.match(passage.folded, place) for shape in shapes)), None)
    return None if found is None else found.end()


def _passphrase_at(passage: Passage, place: int, join: Join) -> int | None:
    if join is Join.VERB and values.phrase_words_at(passage.folded, place) >= 3:
        return values.phrase_end(passage.folded, place)
    return _password_at(passage, place, join)


def _pass_at(passage: Passage, place: int, join: Join) -> int | None:
    # "Pass A38 in the account": only a verb or a colon makes it a password.
    return _password_at(passage, place, join) if join is Join.VERB else None


def _key_at(passage: Passage, place: int, join: Join) -> int | None:
    if join is Join.THING:
        return None
    token = values.quoted_at(passage.text, place) or values.token_at(passage.text, place)
    end = None if token is None else values.end_of(token, passage.text, place)
    if join is Join.NOTHING:
        return end if token is not None and values.is_strong_password(token) else None
    return _end_of_digits(passage, place, join) or (end if token is not None and values.is_password(token) else None)


def _recovery_at(passage: Passage, place: int, join: Join) -> int | None:
    if not join.is_bare and values.phrase_words_at(passage.folded, place) >= 4:
        return values.phrase_end(passage.folded, place)
    if end := _end_of_shape(passage, place, values.DIGITS, values.GROUPED_KEY):
        return end
    token = values.token_at(passage.text, place)
    if token is None or not values.is_strong_password(token):
        token = None if join.is_bare else values.quoted_at(passage.text, place)
    return None if not token else values.end_of(token, passage.text, place)


def _pin_at(passage: Passage, place: int, join: Join) -> int | None:
    return _end_of_digits(passage, place, join) or _end_of_numbers(passage, place, join)


def _end_of_numbers(passage: Passage, place: int, join: Join) -> int | None:
    # After a preposition, they are a time: "the code changes at ten thirty".
    return _end_of_shape(passage, place, values.NUMBERS_IN_WORDS) if join is Join.VERB else None


def _lock_pin_at(passage: Passage, place: int, join: Join) -> int | None:
    # "Pin 120 of the door controller" is a contact.
    return None if join is Join.NOTHING else _lock_code_at(passage, place, join)


def _lock_code_at(passage: Passage, place: int, join: Join) -> int | None:
    end = _end_of_shape(passage, place, values.DIGITS, values.MIXED_CODE)
    return end or _end_of_numbers(passage, place, join)


def _card_code_at(passage: Passage, place: int, join: Join) -> int | None:
    return _end_of_shape(passage, place, values.THREE_DIGITS)


def _document_number_at(passage: Passage, place: int, join: Join) -> int | None:
    return _end_of_shape(passage, place, values.DOCUMENT_NUMBER)


def _is_password(value: str) -> bool:
    bare = value.strip("\"'“”„«»`*,()")
    return values.is_password(bare) or _is_code(value) or _is_quoted(value)


def _is_quoted(value: str) -> bool:
    """Return whether a word is, or ends, a text in quotation marks."""
    return len(value) > 4 and (value[-1] in '"”“»`' or value[0] == value[-1] == "'")


def _is_code(value: str) -> bool:
    return values.WHOLE_CODE.fullmatch(value.strip("\"'“”„«»`*,()")) is not None


def _is_nothing(value: str) -> bool:
    return False


RULES = (
    Rule(Kind.RECOVERY, _names("recoveries"), _recovery_at, _is_password),
    Rule(Kind.PASSWORD, _names("passphrases"), _passphrase_at, _is_password),
    Rule(Kind.PASSWORD, _names("passwords"), _password_at, _is_password),
    Rule(Kind.LOCK_CODE, _names("lock_codes"), _lock_code_at, _is_code),
    Rule(Kind.PIN, _names("pins"), _pin_at, _is_code),
    Rule(Kind.CARD_CODE, _names("card_codes"), _card_code_at, _is_nothing),
    Rule(Kind.NATIONAL_ID, _names("documents"), _document_number_at, _is_nothing),
    Rule(Kind.PASSWORD, _names("passes"), _pass_at, _is_nothing, beside=("accounts", "services")),
    Rule(Kind.PASSWORD, _names("keys"), _key_at, _is_nothing),
    Rule(Kind.PASSWORD, _names("network_keys"), _key_at, _is_nothing, beside=("networks",)),
    # Locks of suitcases and bicycles have three digits.
    Rule(Kind.LOCK_CODE, _names("pins"), _lock_pin_at, _is_nothing, beside=("locks",)),
    Rule(Kind.LOCK_CODE, _names("codes"), _lock_code_at, _is_code, beside=("locks", "devices")),
)
