"""Conversion of memories to and from JSON records. Imports read the records that exports write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from common.tag_lists import split_tags
from common.texts import translatable
from memories.drafts import Draft
from memories.errors import InvalidInput
from memories.models import Memory

_FIELDS = (
    "id",
    "text",
    "tags",
    "importance",
    "source_provider",
    "capture_mode",
    "session_id",
    "created_at",
    "updated_at",
    "last_confirmed_at",
    "expires_at",
)
_TOMBSTONE_FIELDS = ("deleted_at", "forget_reason", "replaced_by_id")
_QUARANTINE = "quarantined_from"
_PINNED, _HIDDEN = "pinned", "hidden_from_briefing"
_VALIDITY = ("valid_from", "valid_until")
"""Fields that only memories have whose text says for how long it holds."""

_TIMES = ("created_at", "last_confirmed_at", "expires_at", *_VALIDITY)
_AGENT = "agent"
_LABELS = ("source_provider", "session_id", _AGENT)
_SYNONYMS = {"conversation": "session_id", "content": "text", "memory": "text", "source": "source_provider"}
"""Field names of other programs and their names here. If a record has both, the name used here wins."""

_KNOWN = {*_FIELDS, *_VALIDITY, *_TOMBSTONE_FIELDS, *_SYNONYMS, _QUARANTINE, _PINNED, _HIDDEN, _AGENT, "score"}


OWNER_FIELDS = (*_FIELDS, *_VALIDITY, *_TOMBSTONE_FIELDS, _QUARANTINE, _PINNED, _HIDDEN, _AGENT)
"""All fields that records for the owner's files can have."""


def record_of(memory: Memory) -> dict[str, Any]:
    """Return the fields of `memory` that every tool shows. Times stay datetimes, in UTC."""
    record = {name: getattr(memory, name) for name in _FIELDS}
    record |= {name: moment for name in _VALIDITY if (moment := getattr(memory, name)) is not None}
    if memory.deleted_at is not None:
        record |= {name: getattr(memory, name) for name in _TOMBSTONE_FIELDS}
        record["replaced_by_id"] = memory.successor_id
    if memory.briefing_place == Memory.BriefingPlace.PINNED:
        record[_PINNED] = True
    if memory.agent is not None:
        record[_AGENT] = memory.agent
    return record


def owner_record_of(memory: Memory) -> dict[str, Any]:
    """Return the record for the owner's files: also whether `memory` is quarantined or hidden, which no tool shows."""
    record = record_of(memory)
    if memory.quarantined_from is not None:
        record[_QUARANTINE] = memory.quarantined_from
    if memory.briefing_place == Memory.BriefingPlace.HIDDEN:
        record[_HIDDEN] = True
    return record


def time_text(moment: datetime) -> str:
    """Return a time as it is in JSON records: ISO 8601 in UTC, such as 2026-05-17T14:00:00Z."""
    return moment.astimezone(UTC).isoformat().removesuffix("+00:00") + "Z"


@dataclass(frozen=True, slots=True)
class Record:
    """A parsed record: a memory, or with `deleted_at` a tombstone.

    `former_id` and `former_successor_id` are ids in the database it was exported from. `ignored` are its unknown keys.
    """

    draft: Draft
    deleted_at: datetime | None = None
    forget_reason: str | None = None
    former_id: int | None = None
    former_successor_id: int | None = None
    ignored: frozenset[str] = frozenset()


def parse_record(value: object) -> Record:
    """Parse a record from a JSON object, or from a text alone. Raises InvalidInput that names the field.

    Only types are checked here; `Draft.checked` checks the values.
    """
    if isinstance(value, str):
        return Record(Draft(text=value))
    if not isinstance(value, dict):
        raise InvalidInput(translatable("it must be a text, or an object with a text."))
    fields = _with_our_names(value)
    return Record(
        Draft(**_draft_fields(fields), is_imported=True),
        deleted_at=_time(fields, "deleted_at"),
        forget_reason=_text(fields, "forget_reason"),
        former_id=_id(fields, "id"),
        former_successor_id=_id(fields, "replaced_by_id") if "deleted_at" in fields else None,
        ignored=frozenset(value) - _KNOWN,
    )


def _with_our_names(value: dict[str, object]) -> dict[str, object]:
    """Return `value` without nulls, with synonyms replaced by the names used here."""
    given = {name: content for name, content in value.items() if content is not None}
    return {_SYNONYMS[name]: content for name, content in given.items() if name in _SYNONYMS} | given


def _draft_fields(fields: Mapping[str, object]) -> dict[str, Any]:
    """Return the arguments of a Draft that the record has; the others keep their defaults."""
    if "text" not in fields:
        raise InvalidInput(translatable("is required."), argument="text")
    arguments: dict[str, Any] = {name: _text(fields, name) for name in ("text", "capture_mode", _QUARANTINE, *_LABELS)}
    arguments |= {name: _time(fields, name) for name in _TIMES}
    arguments |= {"tags": _tags(fields), "importance": _number(fields, "importance"), "briefing_place": _place(fields)}
    return {name: content for name, content in arguments.items() if content is not None}


def _text(fields: Mapping[str, object], name: str) -> str | None:
    content = fields.get(name)
    if content is None or isinstance(content, str):
        return content
    raise InvalidInput(translatable("must be a text."), argument=name)


def _tags(fields: Mapping[str, object]) -> tuple[str, ...]:
    content = fields.get("tags", [])
    if isinstance(content, str):
        return tuple(split_tags(content))
    if isinstance(content, list) and all(isinstance(tag, str) for tag in content):
        return tuple(content)
    raise InvalidInput(translatable("must be a list of texts."), argument="tags")


def _number(fields: Mapping[str, object], name: str) -> float | None:
    content = fields.get(name)
    if content is None:
        return None
    try:
        if isinstance(content, int | float) and not isinstance(content, bool):
            return float(content)
    except OverflowError:
        pass
    raise InvalidInput(translatable("must be a number in the range of a double."), argument=name)


def _place(fields: Mapping[str, object]) -> str | None:
    is_pinned, is_hidden = (_flag(fields, name) for name in (_PINNED, _HIDDEN))
    if is_pinned and is_hidden:
        raise InvalidInput(translatable("must not be true together with %(hidden)s.", hidden=_HIDDEN), argument=_PINNED)
    if is_pinned:
        return Memory.BriefingPlace.PINNED
    return Memory.BriefingPlace.HIDDEN if is_hidden else None


def _flag(fields: Mapping[str, object], name: str) -> bool:
    content = fields.get(name, False)
    if isinstance(content, bool):
        return content
    raise InvalidInput(translatable("must be true or false."), argument=name)


def _time(fields: Mapping[str, object], name: str) -> datetime | None:
    content = fields.get(name)
    if content is None:
        return None
    try:
        if isinstance(content, str):
            return datetime.fromisoformat(content)
    except ValueError:
        pass
    raise InvalidInput(
        translatable("must be an ISO 8601 time with a zone, such as 2026-05-17T14:00:00Z."), argument=name
    )


def _id(fields: Mapping[str, object], name: str) -> int | None:
    """Return the id if it is a whole number. Other programs may have other ids, which cannot link tombstones."""
    content = fields.get(name)
    return content if isinstance(content, int) and not isinstance(content, bool) else None
