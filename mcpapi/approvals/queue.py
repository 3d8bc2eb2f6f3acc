"""The calls that wait for the owner's word, and what became of them: kept in PostgreSQL, for all processes.

An approval is of one call: this app's, of this tool, to do this to memories that say this. It goes from asked to
approved or rejected, and from approved to used, each by one statement that finds it in the state before: of several at
once one wins.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

import orjson
from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from common.clock import TOLERANCE
from common.risks import Risk
from mcpapi.calls.approval_errors import ApprovalRejected
from mcpapi.models import Approval
from mcpapi.rpc.suspension import publish
from mcpapi.state import server_requests
from memories.errors import LimitExceeded
from memories.models import Memory
from oauthserver.resource_server.bearer import Principal

MAX_PENDING = 20
"""How many calls of one app wait at a time."""

MAX_KEPT = 500
"""How many approvals of one app are kept at most, the newest."""

KEPT_DAYS = 30

State = Approval.State


@dataclass(frozen=True, slots=True)
class RiskyCall:
    """What a call would do, and to which memories, by id. `reason` is the app's.

    `summary` says it in words that have none of a memory's own, and in other words where it would do something else.
    """

    risk: Risk
    summary: str
    memories: tuple[Memory, ...] = ()
    reason: str = ""

    @property
    def memory_ids(self) -> list[int]:
        return [memory.pk for memory in self.memories]


def digest_of(tool: str, summary: str, memories: Sequence[Memory]) -> bytes:
    """What stands for a call of `tool` that does this to these memories.

    Not its arguments: what was rejected could be asked about again in other words that mean the same.
    """
    return hashlib.sha256(orjson.dumps([tool, summary, [(memory.pk, memory.text) for memory in memories]])).digest()


def matches_memories(approval: Approval, memories: Sequence[Memory]) -> bool:
    """Whether the owner was asked about just these memories, by id, and about what they say now."""
    return bytes(approval.digest) == digest_of(approval.tool, approval.summary, memories)


def request_approval(principal: Principal, tool: str, call: RiskyCall) -> Approval:
    """What the owner was asked, or has said, about this call and nothing has used up yet; else a new question.

    Raises LimitExceeded where too many wait already, ApprovalRejected where the app was deleted meanwhile.
    """
    permission = principal.permission_name
    assert principal.permission is not None, "who must ask has a permission that says so"
    assert permission is not None
    kind, key = principal.permission
    digest = digest_of(tool, call.summary, call.memories)
    with transaction.atomic():
        # One at a time of an app: so each question is asked once, and no more wait than may.
        if not kind.objects.select_for_update(no_key=True).filter(pk=key).exists():
            raise ApprovalRejected("This app is not connected any more.")
        own = Approval.objects.filter(permission=permission)
        open_now = _open(own)
        found = open_now.filter(digest=digest).order_by("asked_at").first()
        if found is not None:
            return found
        if open_now.filter(state=State.ASKED).count() >= MAX_PENDING:
            raise LimitExceeded(f"{MAX_PENDING} calls of this app wait for the owner's approval already.")
        own.filter(pk__in=own.order_by("-asked_at").values("pk")[MAX_KEPT - 1 :]).delete()
        return Approval.objects.create(
            owner_id=principal.owner_id,
            permission=permission,
            client_name=principal.client_name,
            tool=tool,
            risk=call.risk,
            summary=call.summary,
            memory_ids=call.memory_ids,
            reason=call.reason,
            digest=digest,
            expires_at=timezone.now() + _lifetime(),
        )


def pending_approvals(owner_id: int) -> QuerySet[Approval]:
    """The questions that the user can answer now."""
    return _open(Approval.objects.filter(owner_id=owner_id, state=State.ASKED))


def approve(approval: Approval, place: str) -> bool:
    """Let the call be made once, within APPROVAL_LIFETIME_SECONDS; whether it was still asked for."""
    return _decide(approval, State.APPROVED, place)


def reject(approval: Approval, place: str) -> bool:
    """Have the call refused; whether it was still asked for.

    What was rejected on our pages stays so for APPROVAL_LIFETIME_SECONDS. In the app the person sees at once what came
    of it, and may want to be asked again.
    """
    return _decide(approval, State.REJECTED, place)


def use(approval: Approval) -> bool:
    """Use an approval up, in the transaction that carries out the call; whether it was still there to be used."""
    return bool(_open(Approval.objects.filter(pk=approval.pk, state=State.APPROVED)).update(state=State.USED))


def minutes_to_use() -> int:
    """For how long an approval is good, rounded to minutes."""
    return round(settings.APPROVAL_LIFETIME_SECONDS / 60)


def topic_of(approval: Approval) -> str:
    """What is published when it is decided (see waiting.py)."""
    return f"approval {approval.pk}"


def question_name(approval: Approval) -> str:
    """What the client is asked by: nobody can guess it, so an answer counts only for what was asked."""
    return f"approval_{approval.pk.hex}"


def withdraw(permission: str) -> None:
    """Forget what an app that was disconnected waits for, or may still do."""
    Approval.objects.filter(permission=permission, state__in=[State.ASKED, State.APPROVED]).delete()


def delete_old_approvals() -> None:
    """Delete those of more than KEPT_DAYS ago, and the reasons of those that nobody has decided in time."""
    Approval.objects.filter(expires_at__lt=timezone.now()).exclude(reason="").update(reason="")
    Approval.objects.filter(asked_at__lt=timezone.now() - timedelta(days=KEPT_DAYS)).delete()


def _decide(approval: Approval, decision: State, place: str) -> bool:
    now = timezone.now()
    holds_until = now if (decision, place) == (State.REJECTED, Approval.Place.APP) else now + _lifetime()
    asked = _open(Approval.objects.filter(pk=approval.pk, state=State.ASKED))
    with transaction.atomic():
        is_decided = asked.update(state=decision, reason="", decided_at=now, decided_in=place, expires_at=holds_until)
        if is_decided:
            publish(topic_of(approval))
            server_requests.wake_calls(question_name(approval))
    return bool(is_decided)


def _open(approvals: QuerySet[Approval]) -> QuerySet[Approval]:
    """Those that are waited for, or that stand.

    One that ends later than any can was made before the clock was set back: what it allowed may be long ago.
    """
    now = timezone.now()
    return approvals.exclude(state=State.USED).filter(expires_at__range=(now, now + _lifetime() + TOLERANCE))


def _lifetime() -> timedelta:
    return timedelta(seconds=settings.APPROVAL_LIFETIME_SECONDS)
