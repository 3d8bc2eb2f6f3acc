"""Where a memory stands, in the owner's words."""

from __future__ import annotations

from enum import StrEnum

from django.utils import timezone

from memories.models import Memory


class State(StrEnum):
    """One at a time; the first that applies, from the bottom up."""

    IN_FORCE = "in force"
    WAITING = "waiting for its vector"
    EXPIRED = "expired"
    FORGOTTEN = "forgotten"


def state_of(memory: Memory) -> State:
    """The state of a row that `with_states` annotated."""
    if memory.deleted_at is not None:
        return State.FORGOTTEN
    if memory.expires_at is not None and memory.expires_at <= timezone.now():
        return State.EXPIRED
    return State.IN_FORCE if getattr(memory, "has_vector", True) else State.WAITING
