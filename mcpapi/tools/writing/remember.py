"""The tool `remember`, and what `remember_batch` shares with it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from pydantic import Field

from common.scopes import WRITE
from mcpapi.calls.caller import Caller
from mcpapi.tools.acting import ActingAgent, checked_agent
from mcpapi.tools.arguments import EndTime, Tags, Time, UnitInterval
from mcpapi.tools.base import Args, Hints, Result, tool
from mcpapi.tools.shapes import (
    EXPIRY,
    TAGS,
    VALID_FROM,
    VALID_UNTIL,
    Hidden,
    MemoryShape,
    Notice,
    TagChanges,
    shape_hidden,
    shape_memory,
    shape_tag_changes,
)
from memories.drafts import Draft
from memories.writing import remembering
from memories.writing.deduplication import DedupPolicy
from memories.writing.remembering import RememberOutcome

NEW = "Ok"
KNOWN = "Already remembered"
WAITS = "Awaits review by the user: do not rely on it yet"


class RememberArgs(Args):
    """One fact and its metadata."""

    text: str = Field(
        description="The fact, as a self-contained sentence or short paragraph that names the person it is about."
    )
    tags: Tags = Field([], description=TAGS)
    source_provider: str | None = Field(None, description="The assistant or app that the fact comes from.")
    importance: UnitInterval = Field(0.5, description="How much it matters, from 0 to 1.")
    capture_mode: Literal["explicit", "inferred"] = Field(
        "explicit", description="explicit: the user asked to remember it; inferred: you inferred it."
    )
    session_id: str | None = Field(None, description="The conversation it comes from.")
    dedup_policy: DedupPolicy | None = Field(
        None,
        description="What to do if near-duplicates exist: ask (default) stores the fact and reports them, insert "
        "stores it without the check, skip_if_near does not store it.",
    )
    agent: ActingAgent = None
    expires_at: EndTime | None = Field(None, description=EXPIRY)
    last_confirmed_at: Time | None = Field(None, description="When it was last known to be true; by default now.")
    valid_from: Time | None = Field(None, description=VALID_FROM)
    valid_until: EndTime | None = Field(None, description=VALID_UNTIL)

    def request(
        self, default_policy: DedupPolicy, default_provider: str | None = None, default_agent: str | None = None
    ) -> remembering.RememberRequest:
        """Convert the arguments to the request of the domain layer."""
        draft = Draft(
            text=self.text,
            tags=tuple(self.tags),
            importance=self.importance,
            source_provider=self.source_provider or default_provider,
            capture_mode=self.capture_mode,
            session_id=self.session_id,
            expires_at=self.expires_at,
            last_confirmed_at=self.last_confirmed_at,
            valid_from=self.valid_from,
            valid_until=self.valid_until,
            agent=self.agent or default_agent,
        )
        return remembering.RememberRequest(draft, self.dedup_policy or default_policy)


class RememberResult(Result):
    """The memory with the fact."""

    memory_id: int
    message: Literal["Ok", "Already remembered", "Awaits review by the user: do not rely on it yet"]
    indexed: bool = Field(True, description="False while its vector is pending: only keyword search finds it.")
    quarantined: bool = Field(False, description="True while it awaits review: no search finds it.")
    near_duplicates: list[MemoryShape] = Field([], description="Memories that say almost the same, nearest first.")
    previously_corrected: list[MemoryShape] = Field(
        [], description="Similar forgotten memories: the fact may have been corrected before."
    )
    possibly_outdated: list[MemoryShape] = Field(
        [], description="Memories that may no longer be true, because the fact ends them or reports a change."
    )
    tag_changes: TagChanges = []
    hidden: Hidden = []
    notice: Notice = None


def outcome_fields(outcome: RememberOutcome) -> dict[str, Any]:
    """Return the fields of the result that apply to the outcome."""
    fields: dict[str, Any] = {"memory_id": outcome.memory_id, "message": KNOWN if outcome.is_duplicate else NEW}
    if outcome.quarantined:
        fields |= {"message": WAITS, "quarantined": True}
    if not outcome.indexed:
        fields["indexed"] = False
    if outcome.neighbours.active:
        fields["near_duplicates"] = [shape_memory(*pair) for pair in outcome.neighbours.active]
    if outcome.neighbours.forgotten:
        fields["previously_corrected"] = [shape_memory(*pair) for pair in outcome.neighbours.forgotten]
    return fields | shape_tag_changes(outcome.tag_changes) | shape_hidden(outcome.memory_id, outcome.kept)


def memory_ids_in(outcome: RememberOutcome) -> list[int]:
    """Return the ids of the memories that `outcome_fields` shows."""
    neighbours = (*outcome.neighbours.active, *outcome.neighbours.forgotten, *outcome.possibly_outdated)
    return [outcome.memory_id, *(memory.pk for memory, _ in neighbours)]


def warn_if_unindexed(caller: Caller, outcomes: Iterable[RememberOutcome]) -> None:
    """Log to the client, if it wants warnings, which memories have no embedding yet."""
    if pending := [outcome.memory_id for outcome in outcomes if not outcome.indexed]:
        warning = "Not indexed yet: only keyword search finds these memories until their vectors are computed."
        caller.notifier.log("warning", {"message": warning, "memory_ids": pending})


@tool(title="Remember a fact", scope=WRITE, hints=Hints(idempotent=True), notifications={"log"})
def remember(caller: Caller, args: RememberArgs) -> RememberResult:
    """Store one lasting fact about the user, their people, preferences, projects or decisions, so that every
    assistant they use knows it later. Use it when the user says to remember something or states something worth
    keeping; one fact per call, in a sentence that makes sense on its own. Never store passwords, PINs, keys, account
    or card numbers unless the user asks you to: they are refused, or hidden from apps, as the user has chosen. If
    near_duplicates are returned, update or forget the outdated one instead of keeping both. If possibly_outdated is
    returned, use update_memory on those that the fact makes untrue, and keep what is still true; if nothing is, forget
    them with replaced_by_id. Leave the others. If previously_corrected is returned, check with the user before relying
    on the fact."""
    checked_agent(caller, args.agent)
    outcome = remembering.remember(caller.actor, args.request(DedupPolicy.ASK))
    caller.record_memories(memory_ids_in(outcome))
    warn_if_unindexed(caller, [outcome])
    fields = outcome_fields(outcome)
    if outcome.possibly_outdated:
        fields["possibly_outdated"] = [shape_memory(*pair) for pair in outcome.possibly_outdated]
    return RememberResult(**fields)
