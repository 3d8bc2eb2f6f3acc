"""Secrets that are named: "the alarm code is 4711", "use bluebell_94 as the password"."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from common.lazy_pattern import lazy_pattern
from memories.validation.secrets import values
from memories.validation.secrets.kinds import Kind
from memories.validation.secrets.languages.all_languages import any_of
from memories.validation.secrets.links import Join, Name, value_before, value_places
from memories.validation.secrets.passages import Passage

_END = r"(?![^\W_])"
_OWNERS = lazy_pattern(rf"(?<![^\W_]){any_of('owners')}$")
_OTHER_CODES = lazy_pattern(rf"(?<![^\W_]){any_of('other_codes')}[- ]?$")
_OTHER_AFTER = lazy_pattern(rf"[- ]?{any_of('other_codes_after')}{_END}")

Accepts = Callable[[Passage, int, Join], bool]
"""Whether a passage has a value at a position. `Join` says what is between it and its name."""


def _names(*fields: str) -> re.Pattern[str]:
    names = "|".join(map(any_of, fields))
    return lazy_pattern(rf"(?<![^\W_])(?:{names})(?!\w)(?![-/@][^\W_])(?![ -]{any_of('compounds')}{_END})")


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


def named_secret(passage: Passage) -> Kind | None:
    """Return the kind of the first secret that is named in a passage, or None."""
    return next((rule.kind for rule in RULES if _is_given_away(rule, passage)), None)


def _is_given_away(rule: Rule, passage: Passage) -> bool:
    return any(_has_value(rule, name) for name in Name.all_in(passage, rule.names))


def _has_value(rule: Rule, name: Name) -> bool:
    is_found = any(rule.accepts(name.passage, place, join) for place, join in value_places(name))
    if not is_found:
        before = value_before(name)
        is_found = before is not None and rule.is_value_before(before)
    if not is_found or name.has("public") or _OWNERS.search(name.before):
        return False
    return not rule.beside or _is_beside(name, rule.beside)


def _is_beside(name: Name, things: tuple[str, ...]) -> bool:
    """Return whether a code belongs to one of some things, rather than to a postcode or an error."""
    if _OTHER_CODES.search(name.before) or _OTHER_AFTER.match(name.passage.folded, name.end):
        return False
    return any(map(name.has, things))


def _password_at(passage: Passage, place: int, join: Join) -> bool:
    if values.quoted_at(passage.text, place) or _has_digits(passage, place, join):
        return True
    token = values.token_at(passage.text, place)
    if token is None:
        return False
    if join is Join.NOTHING:
        return len(token) > 5 and values.is_password(token)
    if values.is_password(token):
        return True
    return join is Join.VERB and values.plain_word_at(passage.text, passage.folded, place) is not None


def _has_digits(passage: Passage, place: int, join: Join) -> bool:
    is_year = join is Join.NOTHING and values.YEAR.match(passage.folded, place)
    return not is_year and values.DIGITS.match(passage.folded, place) is not None


def _passphrase_at(passage: Passage, place: int, join: Join) -> bool:
    return _password_at(passage, place, join) or (
        join is Join.VERB and values.phrase_words_at(passage.folded, place) >= 3
    )


def _key_at(passage: Passage, place: int, join: Join) -> bool:
    token = values.quoted_at(passage.text, place) or values.token_at(passage.text, place)
    if join is Join.NOTHING:
        return token is not None and values.is_strong_password(token)
    return _has_digits(passage, place, join) or (token is not None and values.is_password(token))


def _recovery_at(passage: Passage, place: int, join: Join) -> bool:
    shapes = (values.DIGITS, values.GROUPED_KEY)
    if any(shape.match(passage.folded, place) for shape in shapes):
        return True
    token = values.token_at(passage.text, place)
    if token is not None and values.is_strong_password(token):
        return True
    if join is Join.NOTHING:
        return False
    return bool(values.quoted_at(passage.text, place)) or values.phrase_words_at(passage.folded, place) >= 4


def _pin_at(passage: Passage, place: int, join: Join) -> bool:
    return _has_digits(passage, place, join)


def _lock_code_at(passage: Passage, place: int, join: Join) -> bool:
    shapes = (values.DIGITS, values.MIXED_CODE)
    return any(shape.match(passage.folded, place) for shape in shapes)


def _card_code_at(passage: Passage, place: int, join: Join) -> bool:
    return values.THREE_DIGITS.match(passage.folded, place) is not None


def _document_number_at(passage: Passage, place: int, join: Join) -> bool:
    return values.DOCUMENT_NUMBER.match(passage.folded, place) is not None


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
    Rule(Kind.PASSWORD, _names("keys"), _key_at, _is_nothing),
    Rule(Kind.PASSWORD, _names("network_keys"), _key_at, _is_nothing, beside=("networks",)),
    Rule(Kind.LOCK_CODE, _names("codes"), _lock_code_at, _is_code, beside=("locks", "devices")),
)
