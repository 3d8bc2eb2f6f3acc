"""Secrets in configurations and commands: "JWT_SECRET=…", "postgres://app:…@db", "sshpass -p …"."""

from __future__ import annotations

import base64
import binascii
import re

from common.lazy_pattern import lazy_pattern
from memories.validation.secrets import values
from memories.validation.secrets.kinds import FoundSecret, Kind
from memories.validation.secrets.passages import Passage

_BLANK = r"[^\S\n]"
# Possessive: a value that ends in a bracket is code, and must not match by a part of it.
_VALUE = r"(?P<value>[^\s\"'`,;<>()\[\]{}]{6,200}+)(?![(\[{])"
_LINK = rf"[\"'`]?{_BLANK}?[:=]{_BLANK}?[\"'`]?"
_KEYS = "api|secret|access|private|account|signing|encryption|auth|master|shared"

_URL = lazy_pattern(r"://(?P<user>[^\s/@:]{0,64}):(?P<value>[^\s/@]{4,200})@(?=[\w\[])")
_ASSIGNED_PASSWORD = lazy_pattern(
    rf"(?:(?<=[a-z0-9_-])(?:password|passwd|passphrase)|(?<=[_-])(?:pwd|(?-i:PASS))){_LINK}{_VALUE}", re.IGNORECASE
)
_ASSIGNED_KEY = lazy_pattern(rf"(?:(?<=[a-z0-9_-])(?:secret|token)|(?:{_KEYS})[_-]?key){_LINK}{_VALUE}", re.IGNORECASE)
_NOT_SECRET = lazy_pattern(
    r"(?:public|page|next|previous|csrf|xsrf|sync|cursor|continuation|idempotency|cancel|cancellation|dedup|trace)[_-]?$",
    re.IGNORECASE,
)
"""Beginnings of the names of tokens that give no access."""

_MAX_PREFIX_CHARS = 16
_OPTION = lazy_pattern(
    rf"(?<![\w-])(?:(?:sshpass|(?:docker|podman|registry|skopeo|oras|acr){_BLANK}login)[^\n|;]{{0,80}}?{_BLANK}-p{_BLANK}?"
    rf"|(?:mysql\w{{0,10}}|mariadb[\w-]{{0,10}})[^\n|;]{{0,80}}?{_BLANK}-p"
    rf"|(?:curl|wget)[^\n|;]{{0,80}}?{_BLANK}(?:-u|--user){_BLANK}?[\"']?[\w.@-]{{1,64}}:)[\"']?{_VALUE}"
)
_BASIC = lazy_pattern(rf"\bBasic{_BLANK}(?P<value>[A-Za-z0-9+/]{{8,200}}={{0,2}})", re.IGNORECASE)
_BEARER = lazy_pattern(rf"\bBearer{_BLANK}{_VALUE}", re.IGNORECASE)

_VARIABLE = lazy_pattern(r"[$%{<].*|.*(?:\$\{|\{\{|\$\().*|[A-Za-z_]+(?:\.[A-Za-z_]+)+|[/~.].*|\w+://.*")
"""References to a value, and paths: "$TOKEN", "process.env.TOKEN", "/run/secrets/token"."""

_SWITCH = lazy_pattern(r"(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])")
_MIN_KEY_CHARS, _MIN_SWITCHES = 16, 4


def configured_secret(passage: Passage) -> FoundSecret | None:
    """Return the first password, key or token that a configuration or a command gives away, or None."""
    text = passage.text
    if "://" in text:
        for found in _URL.finditer(text):
            if _is_password_of(found["user"], found["value"]):
                return _found(found)
    if ":" in text or "=" in text:
        for found in _ASSIGNED_PASSWORD.finditer(text):
            if _is_password(found["value"]):
                return _found(found)
        for found in _ASSIGNED_KEY.finditer(text):
            before = text[max(0, found.start() - _MAX_PREFIX_CHARS) : found.start()]
            if _is_key(found["value"]) and not _NOT_SECRET.search(before):
                return _found(found)
    if " -" in text:
        for found in _OPTION.finditer(text):
            if _is_password(found["value"]):
                return _found(found)
    return _authorization(text)


def _found(found: re.Match[str]) -> FoundSecret:
    return FoundSecret(Kind.PASSWORD, *found.span("value"))


def _authorization(text: str) -> FoundSecret | None:
    """Return the first value of a header "Authorization: Basic …" or "Bearer …" that gives access, or None."""
    for found in _BASIC.finditer(text):
        user, _, password = _decoded(found["value"]).partition(":")
        if _is_password_of(user, password):
            return _found(found)
    return next((_found(found) for found in _BEARER.finditer(text) if _is_key(found["value"])), None)


def _decoded(value: str) -> str:
    """Return the text that `value` is in Base64, "" if it is none."""
    try:
        return base64.b64decode(value, validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return ""


def _is_password_of(user: str, value: str) -> bool:
    """Whether a value is the password of a user. In examples, both are often the same word."""
    return value.casefold() != user.casefold() and _is_password(value)


def _is_password(value: str) -> bool:
    return values.is_password(value) and not values.is_sample(value) and not _VARIABLE.fullmatch(value)


def _is_key(value: str) -> bool:
    """Whether a value looks random: names of keys such as "heron-prod-v2" have few digits between letters."""
    if len(value) < _MIN_KEY_CHARS or _VARIABLE.fullmatch(value) or "..." in value or "…" in value:
        return False
    return len(_SWITCH.findall(value)) >= _MIN_SWITCHES
