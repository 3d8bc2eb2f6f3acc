"""Shapes of changes that several tools share."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel, Field

from mcpapi.tools.shapes import UtcTime, format_utc
from memories.errors import InvalidInput
from memories.undo.documents import DescribedDocument
from memories.undo.reversal import State
from memories.undo.versions import Version

_UNSHOWN = frozenset({"briefing_place", "quarantined_from"})
"""What only the owner decides about."""
_TIMES = frozenset({"last_confirmed_at", "expires_at", "valid_from", "valid_until", "deleted_at"})

FieldValues = dict[str, Any]
"""Fields of a memory by name, as `get_memory` shows them."""


class VersionShape(BaseModel):
    """A change of a memory, and what it led to."""

    memory_id: int
    version: int = Field(description="The number of the version that it led to, from 1; undo takes it.")
    at: UtcTime
    operation: str = Field(
        description="remember, update, confirm, forget, restore, accept, reject, revive, undo or redo."
    )
    app: str = Field(description='The app that made the change; "you" is the owner, "import" an import.')
    change_set: str = Field(description="The id of what was changed together; undo takes it.")
    text: str = Field(description="The memory's text after the change.")
    before: FieldValues = Field(description="The changed fields as they were.")
    after: FieldValues = Field(description="The changed fields as they were set.")


class DocumentChangeShape(BaseModel):
    """A change of a document."""

    document_id: str
    title: str = Field(description="The title of the document now.")
    at: UtcTime
    operation: str = Field(description="remember (added), update, forget, restore, accept, reject, undo or redo.")
    app: str = Field(description='The app or source that made the change; "you" is the owner.')
    change_set: str = Field(description="The id of what was changed together; undo takes it.")
    before: FieldValues = Field(description="The changed fields as they were: version, title, tags and others.")
    after: FieldValues = Field(description="The changed fields as they were set.")


class SynonymChangeShape(BaseModel):
    """A change of a tag synonym: what the variant was stored as before and after; null: as it is."""

    variant: str
    before: str | None
    after: str | None


def shape_document_version(
    version: Version, document: DescribedDocument, names: Mapping[str, str]
) -> DocumentChangeShape:
    """Return a change of a document as tools show it. `names` are those of the clients."""
    return DocumentChangeShape(
        document_id=str(version.document_id),
        title=document.title,
        at=version.at,
        operation=version.operation,
        app=names.get(version.client, version.client),
        change_set=str(version.change_set),
        before=shape_fields(document.shown(version.before)),
        after=shape_fields(document.shown(version.after)),
    )


def shape_version(version: Version, names: Mapping[str, str]) -> VersionShape:
    """Return a version as tools show it. `names` are those of the clients."""
    assert version.memory_id is not None
    return VersionShape(
        memory_id=version.memory_id,
        version=version.number,
        at=version.at,
        operation=version.operation,
        app=names.get(version.client, version.client),
        change_set=str(version.change_set),
        text=version.state["text"],
        before=shape_fields(version.before),
        after=shape_fields(version.after),
    )


def shape_fields(state: State) -> FieldValues:
    """Return journalled fields in the names and formats of the tools."""
    return {name: _shown(name, value) for name, value in state.items() if name not in _UNSHOWN}


def _shown(name: str, value: Any) -> Any:
    return format_utc(datetime.fromisoformat(value)) if name in _TIMES and value is not None else value


def parse_change_set(given: str, argument: str = "change_set") -> UUID:
    """Return the id of a change set. Raises InvalidInput."""
    try:
        return UUID(given)
    except ValueError:
        raise InvalidInput(
            "must be the id of a change set from list_changes or memory_history.", argument=argument
        ) from None
