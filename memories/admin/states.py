"""Where a memory stands, in the owner's words."""

from __future__ import annotations

from enum import StrEnum

from django.utils import timezone

from memories.models import Memory


class State(StrEnum):
    """What a memory is to the owner. Where several are true, the one further down is shown."""

    ACTIVE = "in force"
    PENDING_VECTOR = "waiting for its vector"
    EXPIRED = "expired"
    IN_INBOX = "in your inbox"
    FORGOTTEN = "forgotten"


def state_of(memory: Memory) -> State:
    """The state of `memory`, annotated with `has_vector`."""
    if memory.deleted_at is not None:
        return State.FORGOTTEN
    if memory.quarantined_from is not None:
        return State.IN_INBOX
    if memory.expires_at is not None and memory.expires_at <= timezone.now():
        return State.EXPIRED
    return State.ACTIVE if memory.has_vector else State.PENDING_VECTOR  # type: ignore[attr-defined]  # annotated
