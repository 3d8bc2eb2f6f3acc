"""Fields of the records of other programs, in the types that our own records have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Final, TypeGuard

from common.texts import translatable
from memories.errors import InvalidInput
from memories.transfer.entries import Entry

_MILLISECONDS_FROM: Final = 100_000_000_000
"""Smallest number that is a Unix time in milliseconds. In seconds it is a time in the year 5138."""

_UNKNOWN_TIME: Final = "1970-01-01T00:00:00+00:00"

Item = Mapping[str, object]


def is_item(value: object) -> TypeGuard[Item]:
    """Whether a JSON value is an object."""
    return isinstance(value, dict)


def text(item: Item, *names: str) -> str | None:
    """Return the first of the named fields that is a text with anything but blanks."""
    return next((value for name in names if isinstance(value := item.get(name), str) and value.strip()), None)


def moment(item: Item, *names: str) -> str | None:
    """Return the first of the named fields that is not empty as an ISO 8601 time with a zone.

    Numbers are Unix times in seconds or milliseconds. A time without a zone is in UTC. Raises InvalidInput.
    """
    for name in names:
        value = item.get(name)
        if value is not None and value != "":
            return _as_time(value, name).isoformat()
    return None


def _as_time(value: object, name: str) -> datetime:
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            seconds = value / 1000 if abs(value) >= _MILLISECONDS_FROM else value
            return datetime.fromtimestamp(seconds, UTC)
        if isinstance(value, str):
            parsed = datetime.fromisoformat(value.strip())
            return parsed if parsed.tzinfo is not None else parsed.replace(tzinfo=UTC)
    except (ValueError, OverflowError, OSError):
        pass
    raise InvalidInput(translatable("must be an ISO 8601 time or a Unix time."), argument=name)


def last_time(record: Mapping[str, object]) -> str:
    """Return when a record was last changed, as far as it is known. The same file always gives the same time."""
    known = record.get("last_confirmed_at") or record.get("created_at")
    return known if isinstance(known, str) else _UNKNOWN_TIME


def texts(value: object) -> list[str]:
    """Return the texts of a list, or the parts of a text that are separated by commas."""
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def words(name: str) -> str:
    """Return a name such as `works_at`, `WORKS_AT` or `worksAt` as words: `works at`."""
    spaced = "".join(
        f" {letter}" if letter.isupper() and index and name[index - 1].islower() else letter
        for index, letter in enumerate(name)
    )
    return " ".join(spaced.replace("_", " ").replace("-", " ").split()).lower()


def unknown(item: Item, known: Iterable[str]) -> frozenset[str]:
    """Return the fields of `item` that have a value and are not among the `known` ones."""
    return frozenset(name for name, value in item.items() if value not in (None, "", [], {})) - frozenset(known)


def unknown_metadata(metadata: object, known: Iterable[str]) -> frozenset[str]:
    """Return the fields in the metadata of a record that have a value and are not `known`: `metadata.place`."""
    if is_item(metadata):
        return frozenset(f"metadata.{name}" for name in unknown(metadata, known))
    return unknown({"metadata": metadata}, ())


def left_out(reason: str) -> Entry:
    """Return the entry for a value that is not a memory."""
    return Entry("", left_out=reason)


def not_an_object() -> Entry:
    """Return the entry for a value that is not a JSON object, where a format has only objects."""
    return Entry("", error=InvalidInput(translatable("it must be an object.")))
