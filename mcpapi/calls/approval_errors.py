"""Why a risky call was not carried out."""

from __future__ import annotations


class NotApproved(Exception):
    """The owner's word is missing. `code` is the tool's error, `rpc_code` the number that stands for it elsewhere."""

    code: str
    rpc_code: int


class ApprovalRejected(NotApproved):
    """The owner said no."""

    code = "APPROVAL_REJECTED"
    rpc_code = -32001


class ApprovalTimedOut(NotApproved):
    """The owner has said nothing yet."""

    code = "APPROVAL_TIMED_OUT"
    rpc_code = -32002
