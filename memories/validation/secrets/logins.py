"""Passwords beside user names: "the login is elin and the pass is walnut", "user elin, pw walnut"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from common.lazy_pattern import lazy_pattern
from memories.validation.secrets import values
from memories.validation.secrets.configured_values import is_password
from memories.validation.secrets.kinds import FoundSecret, Kind
from memories.validation.secrets.languages.all_languages import any_of
from memories.validation.secrets.passages import Passage

_BEGIN, _END = r"(?<![^\W_])", r"(?![^\W_])"
_BLANK = r"[^\S\n]"
_WORD = rf"{_BLANK}+[^\W\d_][\w'-]{{0,20}}"
_PASSWORD = "|".join(map(any_of, ("passwords", "passes", "pins", "keys")))
_LINK = rf"{_BLANK}*(?:[:=]|{_BEGIN}{any_of('links')}{_END}){_BLANK}*"
_JOIN = (
    rf"{_BLANK}*(?:(?:[,;/|&+]|{_BEGIN}(?:and|with|und|mit|et|avec|y|con|e|com|en|met){_END}){_BLANK}*){{0,2}}"
    rf"(?:{any_of('owned')}{_BLANK}+)?"
)

_USER = lazy_pattern(
    rf"{_BEGIN}(?:{any_of('users')}|{any_of('logins')}){_END}(?:(?P<link>(?:{_WORD}){{0,3}}?{_LINK})|{_BLANK}+)(?P<user>[^\s,;/|:=\"']{{2,64}})"
)
_THEN_PASSWORD = lazy_pattern(
    rf"{_JOIN}(?P<name>{_PASSWORD})(?!\w)(?!-[^\W_])(?![ -]{any_of('compounds')}{_END})"
    rf"(?:(?P<link>{_LINK})|{_BLANK}+)"
)
_THEN_VALUE = lazy_pattern(rf"{_BLANK}*[/|]{_BLANK}*(?=\S)")
_SHORT_NAME = lazy_pattern(r"pw|pwd|pass|psw|mdp|ww|contra|passw\.|kennw\.")
"""Names that nobody uses in a compound, as in "User interface, password handling"."""
_IDENTIFIER = lazy_pattern(r".*[\d@_].*|[^\W\d_]+\.[^\W\d_]+")
_MIN_PASSWORD_CHARS = 6


def password_of_login(passage: Passage) -> FoundSecret | None:
    """Return the first password that follows the name of a user, even if it is a usual word, or None."""
    for user in _users(passage):
        span = _named(passage, user) or _beside(passage, user)
        if span and not passage.has("public", *passage.sentence(user.start(), span[1])):
            return FoundSecret(Kind.PASSWORD, *span)
    return None


def _users(passage: Passage) -> Iterator[re.Match[str]]:
    for found in _USER.finditer(passage.folded):
        if not values.describes(found["user"], passage.text[slice(*found.span("user"))]):
            yield found


def _named(passage: Passage, user: re.Match[str]) -> tuple[int, int] | None:
    """Return the place of a value after a name for it: "login elin, pass walnut"."""
    name = _THEN_PASSWORD.match(passage.folded, user.end())
    token = values.token_at(passage.text, name.end()) if name else None
    if name is None or token is None or values.is_sample(token):
        return None
    is_told = name["link"] or user["link"] or _SHORT_NAME.fullmatch(name["name"]) or _IDENTIFIER.fullmatch(user["user"])
    is_word = is_told and values.plain_word_at(passage.text, passage.folded, name.end())
    return _span(passage, token, name.end()) if is_word or _is_password(token) else None


def _beside(passage: Passage, user: re.Match[str]) -> tuple[int, int] | None:
    """Return the place of a value after a stroke: "login elin / Walnut7"."""
    stroke = _THEN_VALUE.match(passage.folded, user.end())
    token = values.token_at(passage.text, stroke.end()) if stroke else None
    is_value = token and (
        _is_password(token) if _IDENTIFIER.fullmatch(user["user"]) else values.is_strong_password(token)
    )
    return _span(passage, token, stroke.end()) if stroke and token and is_value else None


def _is_password(token: str) -> bool:
    return len(token) >= _MIN_PASSWORD_CHARS and is_password(token)


def _span(passage: Passage, token: str, place: int) -> tuple[int, int]:
    end = values.end_of(token, passage.text, place)
    return end - len(token), end
