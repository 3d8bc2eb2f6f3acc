"""Values in configurations and commands: passwords, keys, placeholders and references."""

from __future__ import annotations

import re

from common.lazy_pattern import lazy_pattern
from memories.validation.secrets import values

BLANK = r"[^\S\n]"
# Possessive: a value that ends in a bracket is code, and must not match by a part of it.
VALUE = r"(?P<value>[^\s\"'`,;<>()\[\]{}]{6,200}+)(?![(\[{])"

_VARIABLE = lazy_pattern(r"[$%{<].*|.*(?:\$\{|\{\{|\$\().*|[A-Za-z_]+(?:\.[A-Za-z_]+)+|[/~.].*|\w+://.*")
"""References to a value, and paths: "$TOKEN", "process.env.TOKEN", "/run/secrets/token"."""

_SWITCH = lazy_pattern(r"(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])")
_MIN_KEY_CHARS, _MIN_SWITCHES = 16, 4

_WORD = lazy_pattern(r"[A-Za-z]?[a-z]{2,}(?:[-.][A-Za-z]?[a-z]+)*")
_STAND_INS = lazy_pattern(
    r".*(?:pass|pwd|secret|token|credential|example|dummy|sample|placeholder|redact|mask|hidden|removed|xxx|opensesame"
    r"|kennw|geheim|contrase|parola|senha|wachtw|motdepasse).*|(?:your|my|the|some|any|user|test|demo|foo|bar|change|replace"
    r"|insert|enter)(?:[-.].*|thing|name|bar|me|this|it|with|here)?|values?|strings?|words?|options?|flags?|arguments?|prompts?|required|optional",
    re.IGNORECASE,
)
"""Words that stand for a password in documentation."""
_SAMPLE_USERS = frozenset(("user", "username", "name", "login", "me", "you", "foo", "test", "demo", "alice", "aladdin"))


def is_password(value: str) -> bool:
    """Return whether a value has the shape of a password, and is neither a placeholder nor a reference."""
    return values.is_password(value) and not values.is_sample(value) and not _VARIABLE.fullmatch(value)


def is_password_of(user: str, value: str) -> bool:
    """Return whether a value is the password of a user. In examples, both are often the same word."""
    return value.casefold() != user.casefold() and is_password(value)


def is_word_password(user: str, value: str) -> bool:
    """Return whether a word of letters, where nothing but a password can be, is the password of a user.

    An empty `user` is an unknown one.
    """
    is_word = len(value) > 5 and _WORD.fullmatch(value) is not None
    is_stand_in = _STAND_INS.fullmatch(value) or value.casefold() == user.casefold() or user.casefold() in _SAMPLE_USERS
    return is_word and not is_stand_in and not values.is_sample(value)


def is_key(value: str) -> bool:
    """Return whether a value looks random: names of keys such as "heron-prod-v2" have few digits between letters."""
    if len(value) < _MIN_KEY_CHARS or _VARIABLE.fullmatch(value) or "..." in value or "…" in value:
        return False
    return len(_SWITCH.findall(value)) >= _MIN_SWITCHES
