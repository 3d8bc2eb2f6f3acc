"""Shapes of results that several tools share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any

from django.conf import settings
from django.urls import reverse
from pydantic import BaseModel, ConfigDict, Field, PlainSerializer

from mcpapi.tool_failures import Failure, failure_from
from memories.drafts import KeptValue
from memories.models import Memory
from memories.tags import TagChange
from memories.transfer.records import record_of


def format_utc(moment: datetime) -> str:
    """Return `moment` in ISO 8601, in UTC, with a Z."""
    if moment.tzinfo is not UTC:
        moment = moment.astimezone(UTC)
    return moment.isoformat().replace("+00:00", "Z")


SNIPPET_CHARS = 500
"""The length of a text that is shown if the whole text can be requested."""

UtcTime = Annotated[datetime, PlainSerializer(format_utc, return_type=str)]
TAGS = "Short lower-case topics, such as family or software. Variants are mapped to one canonical tag."
VALID_FROM = "When the fact began or begins to be true: an ISO 8601 time or a date. Default: as the text says."
VALID_UNTIL = (
    "When it stopped or stops being true: the last time or day. It can still be recalled then, marked is_past. "
    "Default: as the text says."
)
EXPIRY = "When this stops being true: a future ISO 8601 time with a zone. Recall leaves it out from then on."


class MemoryShape(BaseModel):
    """A memory, as every tool shows it."""

    model_config = ConfigDict(frozen=True)

    id: int
    text: str
    tags: list[str]
    importance: float
    source_provider: str | None
    capture_mode: str
    session_id: str | None
    created_at: UtcTime
    updated_at: UtcTime
    last_confirmed_at: UtcTime
    expires_at: UtcTime | None
    valid_from: UtcTime | None = Field(None, description="When this becomes true, if that is known.")
    valid_until: UtcTime | None = Field(None, description="When this stops being true, if that is known.")
    is_past: bool = Field(
        False, description="Whether valid_until has passed without a confirmation since: it is no longer true."
    )
    score: float | None = Field(None, description="Cosine similarity to the query, 0 to 1.")
    deleted_at: UtcTime | None = Field(None, description="When it was forgotten; only on tombstones.")
    forget_reason: str | None = None
    replaced_by_id: int | None = None
    replaced_by: list[int] | None = Field(None, description="All memories that replace it, if it was split.")
    agent: str | None = Field(None, description="The agent that it belongs to, if any.")
    pinned: bool = Field(False, description="The owner put it first in every briefing.")


def shape_memory(memory: Memory, score: float | None = None, parts: Sequence[int] = ()) -> MemoryShape:
    """Return `memory` with the fields that apply to it. `parts` are the memories that it was split into."""
    values = record_of(memory)
    if memory.is_past:
        values["is_past"] = True
    if score is not None:
        values["score"] = round(score, 4)
    if parts:
        values["replaced_by"] = list(parts)
    # The values come from the table: validating them again would cost more than the rest of the response.
    return MemoryShape.model_construct(_fields_set=set(values), **values)


def memory_json(memory: Memory, score: float | None = None) -> dict[str, Any]:
    """Return what `shape_memory` returns as the JSON object that it is serialized to."""
    values: dict[str, Any] = {
        "id": memory.id,
        "text": memory.text,
        "tags": memory.tags,
        "importance": memory.importance,
        "source_provider": memory.source_provider,
        "capture_mode": memory.capture_mode,
        "session_id": memory.session_id,
        "created_at": format_utc(memory.created_at),
        "updated_at": format_utc(memory.updated_at),
        "last_confirmed_at": format_utc(memory.last_confirmed_at),
        "expires_at": None if memory.expires_at is None else format_utc(memory.expires_at),
    }
    if memory.valid_from is not None:
        values["valid_from"] = format_utc(memory.valid_from)
    if memory.valid_until is not None:
        values["valid_until"] = format_utc(memory.valid_until)
        if memory.is_past:
            values["is_past"] = True
    if score is not None:
        values["score"] = round(score, 4)
    if memory.deleted_at is not None:
        values["deleted_at"] = format_utc(memory.deleted_at)
        values["forget_reason"] = memory.forget_reason
        values["replaced_by_id"] = memory.successor_id
    if memory.agent is not None:
        values["agent"] = memory.agent
    if memory.briefing_place == Memory.BriefingPlace.PINNED:
        values["pinned"] = True
    return values


def past_note(memory: Memory) -> str:
    """Return a note to put after the text of a memory that is past; an empty one otherwise."""
    if not memory.is_past or memory.valid_until is None:
        return ""
    last = memory.valid_until.astimezone(settings.OWNER_TIME_ZONE)
    return f" (past: until {last.day} {last:%B %Y})"


def title_of(memory: Memory) -> str:
    """Return the beginning of the text, on one line."""
    return " ".join(str(memory).split())


def snippet_of(text: str) -> str:
    """Return `text` on one line, shortened to SNIPPET_CHARS."""
    folded = " ".join(text.split())
    return folded if len(folded) <= SNIPPET_CHARS else f"{folded[: SNIPPET_CHARS - 1]}…"


def page_url(memory: Memory) -> str:
    """Return the URL of the page on which the owner can see and correct the memory."""
    return settings.PUBLIC_URL + reverse("admin:memories_memory_change", args=[memory.pk])


class TagChangeShape(BaseModel):
    """A tag that was stored differently than given."""

    given: str
    stored: str | None = Field(
        description="Its canonical tag, by the owner's synonyms; null if dropped: fewer than two letters or digits."
    )


TagChanges = Annotated[
    list[TagChangeShape],
    Field(description="Tags that were stored differently than given, if any: use the stored ones from now on."),
]


def shape_tag_changes(changes: Iterable[TagChange]) -> dict[str, list[TagChangeShape]]:
    """Return the field `tag_changes` if there are any."""
    shaped = [TagChangeShape(given=change.given, stored=change.stored) for change in changes]
    return {"tag_changes": shaped} if shaped else {}


Hidden = Annotated[
    list[str],
    Field(description="Kinds of secrets that were kept for the user and hidden in the text. No app gets them back."),
]
Notice = Annotated[str | None, Field(description="What was hidden in the text, and where the user finds it.")]


def shape_hidden(memory_id: int | None, kept: Iterable[KeptValue]) -> dict[str, Any]:
    """Return the fields `hidden` and `notice` if values were hidden. Without an id, they would be."""
    kinds = [str(kind) for kind in dict.fromkeys(each.kind for each in kept)]
    if not kinds:
        return {}
    named = " and ".join(kinds)
    if memory_id is None:
        return {"hidden": kinds, "notice": f"The text would be stored with placeholders in place of {named}."}
    page = settings.PUBLIC_URL + reverse("admin:memories_memory_change", args=[memory_id])
    notice = (
        f"The text was stored with placeholders in place of {named}. The values are kept encrypted for the user, "
        f"and never returned to apps: do not ask for them again. The user sees them at {page}."
    )
    return {"hidden": kinds, "notice": notice}


class FailureShape(BaseModel):
    """Why one item of a batch failed."""

    code: str
    message: str


def shape_failure(error: Exception) -> FailureShape:
    """Return `error` in the shape of a batch item."""
    payload: Failure = failure_from(error)["error"]
    return FailureShape(code=payload["code"], message=payload["message"])
