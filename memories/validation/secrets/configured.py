"""Secrets in configurations and commands: "JWT_SECRET=…", "postgres://app:…@db", lines of .pgpass."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from itertools import chain

from common.lazy_pattern import lazy_pattern
from memories.validation.secrets.commands import passwords_in_commands
from memories.validation.secrets.configured_values import (
    BLANK,
    VALUE,
    is_key,
    is_password,
    is_password_of,
    is_word_password,
)
from memories.validation.secrets.kinds import FoundSecret, Kind
from memories.validation.secrets.passages import Passage
from memories.validation.secrets.values import is_strong_password

_LINK = rf"[\"'`]?{BLANK}?[:=]{BLANK}?[\"'`]?"
_KEYS = "api|secret|access|private|account|signing|encryption|auth|master|shared"

_URL = lazy_pattern(r"://(?P<user>[^\s/@:]{0,64}):(?P<value>[^\s/@]{4,200})@(?=[\w\[])")
_ASSIGNED_PASSWORD = lazy_pattern(
    rf"(?:(?<=[a-z0-9_-])(?:password|passwd|passphrase)|(?<=[_-])(?:pwd|(?-i:PASS))){_LINK}{VALUE}", re.IGNORECASE
)
_ASSIGNED_KEY = lazy_pattern(rf"(?:(?<=[a-z0-9_-])(?:secret|token)|(?:{_KEYS})[_-]?key){_LINK}{VALUE}", re.IGNORECASE)
_NOT_SECRET = lazy_pattern(
    r"(?:public|page|next|previous|csrf|xsrf|sync|cursor|continuation|idempotency|cancel|cancellation|dedup|trace)[_-]?$",
    re.IGNORECASE,
)
"""Beginnings of the names of tokens that give no access."""

_CONNECTION_PASSWORD = lazy_pattern(rf"(?<![^\s\"'])password={VALUE}")
_CONNECTION_KEY = lazy_pattern(r"(?<![^\s\"'])(?:host|hostaddr|port|dbname|user|sslmode)=\S")
_CONNECTION_REACH_CHARS = 100

_MAX_PREFIX_CHARS = 20
_REDIS_AUTH = lazy_pattern(rf"(?:redis|rediscli|valkey|valkeycli)_auth{_LINK}{VALUE}", re.IGNORECASE)
_NAME = lazy_pattern(r"[A-Za-z]+(?:[_-][A-Za-z]+)*")

_PGPASS_LINE = lazy_pattern(
    r"(?<![\w.:*/-])(?P<host>\*|[\w.-]{1,80}+|/[\w./-]{1,80}+):(?P<port>\*|\d{2,5}):(?!\d+:)[^\s:]{1,64}+:(?P<user>[^\s:]{1,64}+)"
    r":(?P<value>(?:\\[:\\]|[^\s:\\\"'`,;]){4,100}+)(?=[\"'`]?(?:$|[\n.,;>]|[^\S\n]\W))"
)
"""A line of the file from which PostgreSQL reads passwords: "host:port:database:user:password"."""
_POSTGRES_PORT = lazy_pattern(r"\*|[56]4\d\d")
_DIGIT = lazy_pattern(r"\d")
_CODE_FILE = lazy_pattern(
    r".*\.(?:pyi?|[jt]sx?|mjs|rs|go|java|kt|scala|rb|php|[ch]|cc|cpp|cs|swift|sh|sql|ya?ml|json|toml|xml|html|css|md|txt|log)"
)

_BASIC = lazy_pattern(rf"\bBasic{BLANK}(?P<value>[A-Za-z0-9+/]{{8,200}}={{0,2}})", re.IGNORECASE)
_BEARER = lazy_pattern(rf"\bBearer{BLANK}{VALUE}", re.IGNORECASE)


def configured_secret(passage: Passage) -> FoundSecret | None:
    """Return the first password, key or token that a configuration or a command gives away, or None."""
    text = passage.text
    searches = (_in_urls, _assigned, _in_pgpass, passwords_in_commands, _in_headers)
    found = next(chain.from_iterable(search(text) for search in searches), None)
    return FoundSecret(Kind.PASSWORD, *found.span("value")) if found else None


def _in_urls(text: str) -> Iterator[re.Match[str]]:
    if "://" in text:
        yield from (found for found in _URL.finditer(text) if is_password_of(found["user"], found["value"]))


def _assigned(text: str) -> Iterator[re.Match[str]]:
    """Yield the values that are assigned to the name of a password, a key or a token."""
    if ":" not in text and "=" not in text:
        return
    yield from (found for found in _ASSIGNED_PASSWORD.finditer(text) if is_password(found["value"]))
    for found in _ASSIGNED_KEY.finditer(text):
        before = text[max(0, found.start() - _MAX_PREFIX_CHARS) : found.start()]
        if is_key(found["value"]) and not _NOT_SECRET.search(before):
            yield found
    for found in _REDIS_AUTH.finditer(text):
        if is_password(found["value"]) and not _NAME.fullmatch(found["value"]):
            yield found
    yield from (found for found in _CONNECTION_PASSWORD.finditer(text) if _is_in_connection_string(found))


def _is_in_connection_string(password: re.Match[str]) -> bool:
    """Return whether the word after "password=" is the password of a connection string of PostgreSQL."""
    first, last = password.start() - _CONNECTION_REACH_CHARS, password.end() + _CONNECTION_REACH_CHARS
    beside = (
        password.string[max(0, first) : password.start()].rpartition("\n")[2],
        password.string[password.end() : last],
    )
    is_connection = any(_CONNECTION_KEY.search(part.partition("\n")[0]) for part in beside)
    return is_connection and is_word_password("", password["value"])


def _in_pgpass(text: str) -> Iterator[re.Match[str]]:
    for found in _PGPASS_LINE.finditer(text):
        user, value = found["user"], found["value"]
        is_value = is_password_of(user, value) or is_word_password(user, value)
        # Linters write places in files like this: "main.py:12:80:E501:line-too-long".
        if not is_value or _CODE_FILE.fullmatch(found["host"]):
            continue
        if _POSTGRES_PORT.fullmatch(found["port"]) or (is_strong_password(value) and _DIGIT.search(value)):
            yield found


def _in_headers(text: str) -> Iterator[re.Match[str]]:
    """Yield the values of headers "Authorization: Basic …" and "Bearer …" that give access."""
    for found in _BASIC.finditer(text):
        user, _, password = _decoded(found["value"]).partition(":")
        before = text[max(0, found.start() - _MAX_PREFIX_CHARS) : found.start()].casefold()
        is_header = "authorization" in before
        if is_password_of(user, password) or (is_header and is_word_password(user, password)):
            yield found
    yield from (found for found in _BEARER.finditer(text) if is_key(found["value"]))


def _decoded(value: str) -> str:
    """Return the text that `value` is in Base64, "" if it is none."""
    try:
        return base64.b64decode(value, validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return ""
