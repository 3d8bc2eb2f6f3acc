"""Secrets of custom tools: storage, use in requests, and their removal from everything else.

A script gets a mark in place of a secret. The mark becomes the secret only in a request to an allowed server, so the
process of the script never has it. Marks are new in each call and unguessable: an app cannot send one in an argument.
"""

from __future__ import annotations

import base64
import json
import secrets
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import quote, quote_plus

from cryptography.fernet import InvalidToken, MultiFernet
from django.conf import settings

from common.encryption import cipher
from common.texts import translatable
from customtools.errors import ToolError
from customtools.models import ToolSecret

MIN_CHARS: Final = 6
"""A shorter one could not be removed from a text without removing other words."""

MAX_CHARS: Final = 4_000
MAX_SECRETS: Final = 100


def encrypted(value: str) -> str:
    """Return a secret as it is stored."""
    return _cipher().encrypt(value.encode()).decode()


class CallSecrets:
    """The secrets that one call uses."""

    def __init__(self, owner_id: int) -> None:
        self._owner_id = owner_id
        self._values: dict[str, str] = {}
        self._marks: dict[str, str] = {}

    def value(self, name: str) -> str:
        """Return the secret of this name. Raises ToolError if there is none."""
        if name not in self._values:
            self._values[name] = _stored_value(self._owner_id, name)
        return self._values[name]

    def mark(self, name: str) -> str:
        """Return the mark that stands for the secret of this name. Raises ToolError if there is none."""
        self.value(name)
        known = next((mark for mark, held in self._marks.items() if held == name), None)
        if known is None:
            known = f"secret-{secrets.token_hex(16)}"
            self._marks[known] = name
        return known

    def reveal(self, text: str, encode: Callable[[str], str] = str) -> str:
        """Return `text` with each mark replaced by its secret, encoded by `encode`."""
        for mark, name in self._marks.items():
            text = text.replace(mark, encode(self._values[name]))
        return text

    def reveal_all(self, value: Any) -> Any:
        """Return a JSON value with the marks in its texts replaced."""
        match value:
            case str():
                return self.reveal(value)
            case dict():
                return {name: self.reveal_all(each) for name, each in value.items()}
            case list():
                return [self.reveal_all(each) for each in value]
        return value

    def redact(self, text: str) -> str:
        """Return `text` without the secrets of this call, however they are encoded, and without their marks."""
        for mark, name in self._marks.items():
            text = text.replace(mark, _shown(name))
        for name, value in self._values.items():
            for form in _forms(value):
                text = text.replace(form, _shown(name))
        return text

    def redact_all(self, value: Any) -> Any:
        """Return a JSON value whose texts are redacted."""
        if not self._values:
            return value
        match value:
            case str():
                return self.redact(value)
            case dict():
                return {self.redact(name): self.redact_all(each) for name, each in value.items()}
            case list():
                return [self.redact_all(each) for each in value]
        return value


def _stored_value(owner_id: int, name: str) -> str:
    stored = ToolSecret.objects.filter(owner_id=owner_id, name=name).first()
    if stored is None:
        raise ToolError(
            translatable("There is no secret named %(name)s. Add it on the page of custom tools.", name=name[:60])
        )
    try:
        return _cipher().decrypt(stored.encrypted_value.encode()).decode()
    except InvalidToken:
        raise ToolError(
            translatable(
                "The secret %(name)s cannot be decrypted, because SECRET_KEY has changed. Enter it again.",
                name=name[:60],
            )
        ) from None


def _forms(value: str) -> list[str]:
    """Return the forms in which a server may repeat a secret, longest first."""
    raw = value.encode()
    coded = base64.b64encode(raw).decode()
    forms = {
        value,
        quote(value, safe=""),
        quote_plus(value),
        json.dumps(value)[1:-1],
        json.dumps(value, ensure_ascii=False)[1:-1],
    }
    forms |= {coded, coded.rstrip("="), base64.urlsafe_b64encode(raw).decode().rstrip("="), raw.hex()}
    return sorted(forms, key=len, reverse=True)


def _shown(name: str) -> str:
    return f"[secret {name}]"


def _cipher() -> MultiFernet:
    return cipher(b"ownsona custom tool secrets", settings.SECRET_KEY)
