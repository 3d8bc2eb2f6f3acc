"""The pending approvals and their outcomes, kept in PostgreSQL for all processes.

An approval covers one call: of one app and one tool, with one action on certain memories and documents as they are now.
Its state goes from asked to approved or rejected, and from approved to used. Each step is one statement that requires
the previous state, so that only one of several concurrent attempts succeeds.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import orjson
from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from common.clock import TOLERANCE
from common.risks import Risk
from documents.models import Document
from mcpapi.calls.approval_errors import ApprovalRejected
from mcpapi.models import Approval
from mcpapi.rpc.suspension import publish
from mcpapi.state import server_requests
from memories.access import View
from memories.errors import LimitExceeded
from memories.models import Memory
from oauthserver.resource_server.principal import Principal

MAX_PENDING = 20
"""The most calls of one app that wait at a time."""

MAX_KEPT = 500
"""The most approvals of one app that are kept. The oldest are deleted."""

KEPT_DAYS = 30

State = Approval.State


@dataclass(frozen=True, slots=True)
class RiskyAction:
    """The action of a call, with the memories and documents that it affects. `reason` is the app's.

    `summary` describes the action without the text of a memory or the title of a document. Different actions have
    different summaries, memories or documents.
    """

    risk: Risk
    summary: str
    memories: tuple[Memory, ...] = ()
    reason: str = ""
    documents: tuple[Document, ...] = ()

    @property
    def memory_ids(self) -> list[int]:
        return [memory.pk for memory in self.memories]

    @property
    def document_ids(self) -> list[UUID]:
        return [document.pk for document in self.documents]


def digest_of(tool: str, summary: str, memories: Sequence[Memory], documents: Sequence[Document] = ()) -> bytes:
    """Return a digest of a call of `tool` with this action on these memories and documents, as they are now.

    It leaves out the arguments: otherwise an app could ask again for a rejected action by rewording its arguments.
    """
    affected: list[object] = [[(memory.pk, memory.text) for memory in memories]]
    if documents:
        affected.append([(str(document.pk), document.title, document.current_id) for document in documents])
    return hashlib.sha256(orjson.dumps([tool, summary, *affected])).digest()


def is_about(approval: Approval, memories: Sequence[Memory], documents: Sequence[Document]) -> bool:
    """Return whether the owner was asked about exactly these, by id, with their current texts and titles."""
    return bytes(approval.digest) == digest_of(approval.tool, approval.summary, memories, documents)


def request_approval(principal: Principal, tool: str, action: RiskyAction) -> Approval:
    """Return the pending or unused approval of this call, or its rejection that still holds; else create a new one.

    Raises LimitExceeded if too many are pending, and ApprovalRejected if the app was deleted meanwhile.
    """
    permission = principal.permission_name
    assert permission is not None, "only a permission can require approvals"
    digest = digest_of(tool, action.summary, action.memories, action.documents)
    with transaction.atomic():
        # Serialized per app, so that a call is asked about only once and MAX_PENDING is never exceeded.
        if not principal.lock_permission():
            raise ApprovalRejected("This app is no longer connected.")
        own = Approval.objects.filter(permission=permission)
        open_now = _open(own)
        found = open_now.filter(digest=digest).order_by("asked_at").first() or _rejection_of_more(
            View.whole(principal.owner_id), open_now, tool, action
        )
        if found is not None:
            return found
        _expire_outdated(open_now, tool, action)
        if open_now.filter(state=State.ASKED).count() >= MAX_PENDING:
            raise LimitExceeded(
                f"{MAX_PENDING} calls of this app already await the owner's approval. Wait until the owner has decided."
            )
        own.filter(pk__in=own.order_by("-asked_at").values("pk")[MAX_KEPT - 1 :]).delete()
        return Approval.objects.create(
            owner_id=principal.owner_id,
            permission=permission,
            client_name=principal.client_name,
            tool=tool,
            risk=action.risk,
            summary=action.summary,
            memory_ids=action.memory_ids,
            document_ids=action.document_ids,
            reason=action.reason,
            digest=digest,
            expires_at=timezone.now() + _lifetime(),
        )


def _expire_outdated(open_now: QuerySet[Approval], tool: str, action: RiskyAction) -> None:
    """End the pending approvals of the same call from before its memories or documents changed.

    They cannot be approved, and the owner would see the call twice.
    """
    same = open_now.filter(state=State.ASKED, tool=tool, summary=action.summary)
    same.filter(memory_ids=action.memory_ids, document_ids=action.document_ids).update(expires_at=timezone.now())


def _rejection_of_more(view: View, open_now: QuerySet[Approval], tool: str, action: RiskyAction) -> Approval | None:
    """Return a rejection of the same call from before some of its memories were forgotten, if one still holds.

    A call that leaves out memories that are not forgotten is another one: the owner may have asked for less. Two
    queries at most.
    """
    if not action.memories:
        return None
    rejected = open_now.filter(state=State.REJECTED, tool=tool, risk=action.risk, document_ids=action.document_ids)
    left_out = {
        approval: set(approval.memory_ids) - set(action.memory_ids)
        for approval in rejected.filter(memory_ids__contains=action.memory_ids)
    }
    kept = Memory.objects.visible_to(view).filter(pk__in=set().union(*left_out.values()), deleted_at=None)
    still_there = set(kept.values_list("pk", flat=True)) if left_out else set()
    return next((approval for approval, ids in left_out.items() if ids and not ids & still_there), None)


def pending_approvals(owner_id: int) -> QuerySet[Approval]:
    """Return the approvals that the owner can decide now."""
    return _open(Approval.objects.filter(owner_id=owner_id, state=State.ASKED))


def decisions_about(owner_id: int, calls: Sequence[tuple[str, str, datetime]]) -> list[str]:
    """Return for each permission, tool and time: asked, approved, used or rejected, as the last request of the app for
    a call of the tool until then is now; expired for one that is no longer valid, and an empty string for none.

    A rejection stays one. One query; none for no calls.
    """
    if not calls:
        return []
    permissions, tools, times = zip(*calls, strict=True)
    asked = Approval.objects.filter(
        owner_id=owner_id, permission__in=permissions, tool__in=tools, asked_at__lte=max(times)
    )
    newest_first = list(asked.only("permission", "tool", "asked_at", "expires_at", "state").order_by("-asked_at"))
    return [_state_before(newest_first, *call) for call in calls]


def _state_before(newest_first: Sequence[Approval], permission: str, tool: str, before: datetime) -> str:
    matching = (each for each in newest_first if (each.permission, each.tool) == (permission, tool))
    last = next((each for each in matching if each.asked_at <= before), None)
    if last is None:
        return ""
    is_over = last.state in (State.ASKED, State.APPROVED) and last.expires_at < timezone.now()
    return "expired" if is_over else str(last.state)


def approve(approval: Approval, place: str) -> bool:
    """Allow the call once within APPROVAL_LIFETIME_SECONDS. Return whether it was still pending."""
    return _decide(approval, State.APPROVED, place)


def reject(approval: Approval, place: str) -> bool:
    """Reject the call. Return whether it was still pending.

    A rejection on our pages holds for APPROVAL_LIFETIME_SECONDS. One in the app does not last: the user sees its effect
    at once, and may want to be asked again.
    """
    return _decide(approval, State.REJECTED, place)


def use(approval: Approval) -> bool:
    """Use the approval up, in the transaction of the call. Return whether it was still valid."""
    return bool(_open(Approval.objects.filter(pk=approval.pk, state=State.APPROVED)).update(state=State.USED))


def minutes_to_use() -> int:
    """Return the validity of an approval in minutes, rounded, at least 1."""
    return max(round(settings.APPROVAL_LIFETIME_SECONDS / 60), 1)


def topic_of(approval: Approval) -> str:
    """Return the topic that is published when the approval is decided (see mcpapi/rpc/suspension.py)."""
    return f"approval {approval.pk}"


def request_name(approval: Approval) -> str:
    """Return the name of the server request. It is unguessable, so that a reply can only belong to this approval."""
    return f"approval_{approval.pk.hex}"


def withdraw(permission: str) -> None:
    """Delete the pending and unused approvals of an app that was disconnected."""
    Approval.objects.filter(permission=permission, state__in=[State.ASKED, State.APPROVED]).delete()


def delete_old_approvals() -> None:
    """Delete the approvals older than KEPT_DAYS, and the reasons of those that were not decided in time."""
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
            server_requests.wake_calls(request_name(approval))
    return bool(is_decided)


def _open(approvals: QuerySet[Approval]) -> QuerySet[Approval]:
    """Filter by the approvals that are pending or still valid, and not used.

    One that expires later than any new one could was made before the clock was set back, and is left out: its decision
    may be old.
    """
    now = timezone.now()
    return approvals.exclude(state=State.USED).filter(expires_at__range=(now, now + _lifetime() + TOLERANCE))


def _lifetime() -> timedelta:
    return timedelta(seconds=settings.APPROVAL_LIFETIME_SECONDS)
