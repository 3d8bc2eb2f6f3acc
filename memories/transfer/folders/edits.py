"""The fields that an owner can edit in the file of a memory, and reading them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Self

import orjson
import yaml

from common.tag_lists import split_tags
from common.texts import translatable
from memories.errors import InvalidInput
from memories.models import Memory
from memories.transfer.records import time_text
from memories.validation.text import clean_tags, clean_text
from memories.writing.updating import MemoryUpdate

MAX_BYTES: Final = 1 << 20
MEMORY_FILE = re.compile(r"---[ \t]*\n(?P<properties>.*?\n)---[ \t]*(?:\n(?P<text>.*))?\Z", re.DOTALL)
_TIME_PROBLEM: Final = "must be an ISO 8601 time with a zone, such as 2026-05-17T14:00:00Z."


@dataclass(frozen=True, slots=True)
class Content:
    """The fields of a memory that its file can change. Other fields of the front matter are for information."""

    text: str
    tags: tuple[str, ...]
    importance: float
    expires_at: datetime | None

    @classmethod
    def of(cls, memory: Memory) -> Self:
        """Return the content of a memory."""
        return cls(memory.text, tuple(memory.tags), memory.importance, memory.expires_at)

    @classmethod
    def read(cls, file: bytes) -> Self:
        """Return the content of an edited file. Raises InvalidInput and SecretRejected."""
        try:
            found = MEMORY_FILE.match(file.decode("utf-8-sig").replace("\r\n", "\n"))
            properties = yaml.safe_load(found["properties"]) if found else None
        except UnicodeDecodeError:
            raise InvalidInput(translatable("it is not UTF-8.")) from None
        except (yaml.YAMLError, RecursionError, ValueError):
            raise InvalidInput(translatable("its front matter is not valid YAML.")) from None
        if found is None or not isinstance(properties, dict):
            raise InvalidInput(translatable("it has no front matter between two lines of three hyphens."))
        text = clean_text(found["text"] or "")
        return cls(text, _tags(properties), _importance(properties), _expiry(properties))

    def changes_from(self, before: Content) -> MemoryUpdate:
        """Return the update that makes a memory with the content `before` one with this content."""
        return MemoryUpdate(
            text=self.text if self.text != before.text else None,
            tags=list(self.tags) if self.tags != before.tags else None,
            importance=self.importance if self.importance != before.importance else None,
            expires_at=self.expires_at if self.expires_at != before.expires_at else None,
            clear_expiry=self.expires_at is None and before.expires_at is not None,
        )


def content_digest(content: Content) -> str:
    """Return the SHA-256 of a content in hex."""
    expiry = time_text(content.expires_at) if content.expires_at else None
    fields = [content.text, list(content.tags), content.importance, expiry]
    return hashlib.sha256(orjson.dumps(fields)).hexdigest()


def _tags(properties: Mapping[str, Any]) -> tuple[str, ...]:
    given = properties.get("tags") or []
    found = split_tags(given) if isinstance(given, str) else given
    if not isinstance(found, list) or not all(isinstance(tag, str | int) for tag in found):
        raise InvalidInput(translatable("must be a list of texts."), argument="tags")
    return tuple(clean_tags(str(tag) for tag in found))


def _importance(properties: Mapping[str, Any]) -> float:
    given = properties.get("importance", 0.5)
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise InvalidInput(translatable("must be a number from 0 to 1."), argument="importance")
    return float(given)


def _expiry(properties: Mapping[str, Any]) -> datetime | None:
    given = properties.get("expires_at")
    if given is None:
        return None
    try:
        # YAML reads a time without quotes as one.
        found = datetime.fromisoformat(given) if isinstance(given, str) else given
    except ValueError:
        raise InvalidInput(_TIME_PROBLEM, argument="expires_at") from None
    if not isinstance(found, datetime) or found.tzinfo is None:
        raise InvalidInput(_TIME_PROBLEM, argument="expires_at")
    return found
