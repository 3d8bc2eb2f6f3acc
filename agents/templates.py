"""The templates of agents: plain substitution of placeholders. They contain no code and are filled only once."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Protocol

from django.conf import settings
from django.utils import timezone

from agents.arguments import Value, text_of
from common.placeholders import Placeholder, fill_placeholders, placeholders_in, unread_placeholder
from common.texts import translatable
from memories.errors import InvalidInput, LimitExceeded

MEMORIES, OWN_MEMORIES, DOCUMENTS, DOCUMENT, TODAY = "memories", "own_memories", "documents", "document", "today"
LOOKUPS = (MEMORIES, OWN_MEMORIES, DOCUMENTS, DOCUMENT)
"""The names of placeholders that insert data. Each needs an argument or words after a colon."""

RESERVED = frozenset({*LOOKUPS, TODAY})
MAX_LOOKUPS = 8
"""The most placeholders with different data in one agent: each costs a search."""

MAX_RENDERED_CHARS = 200_000


class Lookups(Protocol):
    """The data that a template can insert, as the caller may see it. Each method returns a text for a reader."""

    def memories(self, query: str) -> str:
        """Return the memories that answer `query`."""
        ...

    def own_memories(self, query: str) -> str:
        """Return the memories of the agent that answer `query`."""
        ...

    def documents(self, query: str) -> str:
        """Return the passages of documents that answer `query`."""
        ...

    def document(self, reference: str) -> str:
        """Return the text of the document with this id or URI. Raises InvalidInput if the caller has none there."""
        ...


def check_template(field: str, text: str, arguments: Collection[str]) -> set[Placeholder]:
    """Return the placeholders of `text` that insert data. Raises InvalidInput about `field` for an invalid one."""
    if unread := unread_placeholder(text, "|".join(LOOKUPS)):
        raise InvalidInput(
            translatable(
                "“%(unread)s” cannot be read. After the colon comes the name of an argument, or words in "
                "quotes. A placeholder cannot contain another one: templates are filled only once.",
                unread=unread,
            ),
            argument=field,
        )
    found = list(placeholders_in(text))
    for placeholder in found:
        _check_placeholder(field, placeholder, arguments)
    return {placeholder for placeholder in found if placeholder.name in LOOKUPS}


def _check_placeholder(field: str, placeholder: Placeholder, arguments: Collection[str]) -> None:
    if placeholder.name in LOOKUPS:
        if placeholder.argument is None and placeholder.literal is None:
            raise InvalidInput(
                translatable(
                    "%(placeholder)s needs an argument or words after a colon, such as {%(name)s:topic}.",
                    placeholder=placeholder,
                    name=placeholder.name,
                ),
                argument=field,
            )
        if placeholder.argument is not None and placeholder.argument not in arguments:
            raise InvalidInput(
                translatable(
                    "%(placeholder)s names the argument %(argument)s, which does not exist. %(missing)s",
                    placeholder=placeholder,
                    argument=placeholder.argument,
                    missing=_MISSING,
                ),
                argument=field,
            )
        return
    is_plain = placeholder.argument is None and placeholder.literal is None
    if placeholder.name == TODAY and is_plain:
        return
    if not is_plain:
        raise InvalidInput(
            translatable(
                "%(placeholder)s is unknown: only %(values)s can have a colon.",
                placeholder=placeholder,
                values=", ".join(LOOKUPS),
            ),
            argument=field,
        )
    if placeholder.name not in arguments:
        raise InvalidInput(
            translatable("%(placeholder)s is not an argument. %(missing)s", placeholder=placeholder, missing=_MISSING),
            argument=field,
        )


_MISSING = translatable("Add it to the arguments, or write {{name}} for literal braces.")


def check_lookup_count(field: str, lookups: Collection[Placeholder]) -> None:
    """Raise LimitExceeded if one call would search too often."""
    if len(lookups) > MAX_LOOKUPS:
        raise LimitExceeded(
            translatable(
                "%(total)s placeholders insert memories or documents; at most %(max_lookups)s are allowed.",
                total=len(lookups),
                max_lookups=MAX_LOOKUPS,
            ),
            argument=field,
        )


class Rendering:
    """One use of a template: equal placeholders are looked up once, and the whole text is bounded."""

    def __init__(self, values: Mapping[str, Value], lookups: Lookups, now: datetime | None = None) -> None:
        self._values = values
        self._search = {
            MEMORIES: lookups.memories,
            OWN_MEMORIES: lookups.own_memories,
            DOCUMENTS: lookups.documents,
            DOCUMENT: lookups.document,
        }
        self._found: dict[Placeholder, str] = {}
        self._now = now or timezone.now()
        self._chars = 0

    def fill(self, text: str) -> str:
        """Return `text` with all placeholders replaced. Raises InvalidInput, LimitExceeded and what lookups raise."""
        filled = fill_placeholders(text, self._value_of)
        self._chars += len(filled)
        if self._chars > MAX_RENDERED_CHARS:
            raise LimitExceeded(
                translatable(
                    "The prompt has more than %(max_rendered_chars)s characters.", max_rendered_chars=MAX_RENDERED_CHARS
                )
            )
        return filled

    def _value_of(self, placeholder: Placeholder) -> str:
        if placeholder.name == TODAY:
            return f"{self._now.astimezone(settings.OWNER_TIME_ZONE):%Y-%m-%d}"
        if placeholder.name not in self._search:
            return text_of(self._values.get(placeholder.name, ""))
        if placeholder not in self._found:
            self._found[placeholder] = self._look_up(placeholder)
        return self._found[placeholder]

    def _look_up(self, placeholder: Placeholder) -> str:
        words = placeholder.literal or text_of(self._values.get(placeholder.argument or "", ""))
        if not words.strip():
            return ""
        try:
            return self._search[placeholder.name](words)
        except InvalidInput as error:
            # The error names the argument of the search, which the caller does not know.
            raise InvalidInput(error.problem, argument=placeholder.argument or str(placeholder)) from None
