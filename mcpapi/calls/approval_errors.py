"""The errors of risky calls that were not approved."""

from __future__ import annotations


class NotApproved(Exception):
    """The owner has not approved the call. `code` is the tool's error code, `rpc_code` its JSON-RPC counterpart."""

    code: str
    rpc_code: int


class ApprovalRejected(NotApproved):
    """The owner has rejected the call."""

    code = "APPROVAL_REJECTED"
    rpc_code = -32001


class ApprovalTimedOut(NotApproved):
    """The owner has not decided yet."""

    code = "APPROVAL_TIMED_OUT"
    rpc_code = -32002
