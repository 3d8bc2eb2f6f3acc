"""States of a memory in the words of the pages."""

from __future__ import annotations

from enum import StrEnum

from django.utils import timezone

from memories.models import Memory


class State(StrEnum):
    """The state of a memory that the owner sees. If several apply, the last of them is shown."""

    ACTIVE = "active"
    PENDING_VECTOR = "vector pending"
    EXPIRED = "expired"
    IN_INBOX = "in your inbox"
    FORGOTTEN = "forgotten"


def state_of(memory: Memory) -> State:
    """Return the state of `memory`, annotated with `has_vector`."""
    if memory.deleted_at is not None:
        return State.FORGOTTEN
    if memory.quarantined_from is not None:
        return State.IN_INBOX
    if memory.expires_at is not None and memory.expires_at <= timezone.now():
        return State.EXPIRED
    return State.ACTIVE if memory.has_vector else State.PENDING_VECTOR  # type: ignore[attr-defined]  # annotated
