"""The gate of risky calls: it stops them until the owner has approved them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from pydantic import BaseModel

from documents.writing.locking import lock_documents
from mcpapi.approvals import approval_store
from mcpapi.approvals.approval_store import RiskyAction
from mcpapi.approvals.elicitation import approval_form, is_approval
from mcpapi.calls.approval_errors import ApprovalRejected, ApprovalTimedOut
from mcpapi.calls.caller import Caller
from mcpapi.models import Approval
from mcpapi.rpc.client_input import NotAnswered
from mcpapi.rpc.suspension import WaitForTopic
from memories.writing.locking import lock_all

AssessRisk = Callable[[Caller, Any], RiskyAction | None]
"""A function that returns the risky action of a call with these arguments, or None if there is none."""


@contextmanager
def require_approval(caller: Caller, tool: str, args: BaseModel, assess_risk: AssessRisk) -> Iterator[None]:
    """Run the body of the `with` statement as the call of `tool` with `args`, once it is approved if it must be.

    An approval is valid for one call. It is used up in the transaction of the body, so that it remains if the body
    fails. Raises NotApproved, LimitExceeded, or the errors of `assess_risk` and of the client's input.
    """
    while action := _action_needing_approval(caller, args, assess_risk):
        approval = approval_store.request_approval(caller.principal, tool, action)
        if approval.state == Approval.State.ASKED:
            _wait_for_decision(caller, approval, action)
        elif approval.state == Approval.State.REJECTED:
            raise _rejected()
        with transaction.atomic():
            # What it affects may have been changed since the owner was asked, or an identical concurrent call may have
            # used the approval. Then this call needs an approval of its own.
            if _is_unchanged(caller, args, assess_risk, approval) and approval_store.use(approval):
                yield
                return
    yield


def _action_needing_approval(caller: Caller, args: BaseModel, assess_risk: AssessRisk) -> RiskyAction | None:
    action = assess_risk(caller, args) if caller.principal.approvals else None
    return action if action and action.risk in caller.principal.approvals else None


def _is_unchanged(caller: Caller, args: BaseModel, assess_risk: AssessRisk, approval: Approval) -> bool:
    """Return whether the call would still do what was approved. Locks what it affects until the transaction ends."""
    lock_all(caller.actor, approval.memory_ids)
    if approval.document_ids:
        lock_documents(caller.actor, approval.document_ids)
    action = assess_risk(caller, args)
    return action is not None and approval_store.is_about(approval, action.memories, action.documents)


def _wait_for_decision(caller: Caller, approval: Approval, action: RiskyAction) -> None:
    """Return if the owner decides in the app. Else raise WaitForTopic, or ApprovalTimedOut when the time is up."""
    if caller.principal.asks_in_app and _is_decided_in_app(caller, approval, action):
        return
    until = caller.arrived_at + settings.APPROVAL_WAIT_SECONDS
    if caller.can_wait and time.monotonic() < until:
        raise WaitForTopic(approval_store.topic_of(approval), until)
    raise _timed_out()


def _is_decided_in_app(caller: Caller, approval: Approval, action: RiskyAction) -> bool:
    question = approval_form(caller, action)
    if not caller.inputs.can_answer(question):
        return False
    name = approval_store.request_name(approval)
    try:
        response = caller.inputs.ask(**{name: question})[name]
    except NotAnswered:
        return False
    if is_approval(response):
        approval_store.approve(approval, Approval.Place.APP)
        return True
    if approval_store.reject(approval, Approval.Place.APP):
        raise _rejected()
    # It was decided on the page meanwhile.
    return True


def _rejected() -> ApprovalRejected:
    return ApprovalRejected(
        "The user did not approve this. Nothing was changed. Do not try to achieve the same in another way."
    )


def _timed_out() -> ApprovalTimedOut:
    minutes = approval_store.minutes_to_use()
    page = settings.PUBLIC_URL + reverse("admin:mcpapi_approval_changelist")
    return ApprovalTimedOut(
        f"This needs the user's approval on {page}. Nothing was changed. Ask the user to decide there; once it is "
        f"approved, repeat exactly the same call within {minutes} minute{'' if minutes == 1 else 's'}, to carry it out."
    )
