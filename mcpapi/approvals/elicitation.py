"""The approval form that a client shows its user (MCP, client/elicitation)."""

from __future__ import annotations

from django.utils.text import Truncator

from common.scopes import READ
from mcpapi.approvals.approval_store import RiskyAction
from mcpapi.calls.caller import Caller
from mcpapi.rpc.client_input import InputRequest, InputResponse
from memories.queries.selectors import memories_with_ids

SHOWN_MEMORIES = 5
SHOWN_CHARS = 200
APPROVE = "approve"
APPROVAL_SCHEMA = {
    "type": "object",
    "properties": {APPROVE: {"type": "boolean", "title": "Do this, once"}},
    "required": [APPROVE],
}


def approval_form(caller: Caller, action: RiskyAction) -> InputRequest:
    """Return a form with one checkbox: the action, what it affects, and the app's reason."""
    return InputRequest("elicitation/create", {"message": _message(caller, action), "requestedSchema": APPROVAL_SCHEMA})


def is_approval(response: InputResponse) -> bool:
    """Return whether the user has approved. Closing the form is not an approval."""
    content = response.get("content")
    return response["action"] == "accept" and isinstance(content, dict) and content.get(APPROVE) is True


def _message(caller: Caller, action: RiskyAction) -> str:
    shown = memories_with_ids(caller.view, action.memory_ids[:SHOWN_MEMORIES])
    # The form passes through the app, which may lack the right to read memories.
    may_read = READ in caller.principal.scopes
    lines = [f"#{memory.pk}: “{Truncator(memory.text).chars(SHOWN_CHARS)}”" for memory in shown if may_read]
    if lines and (more := len(action.memory_ids) - len(lines)) > 0:
        lines.append(f"… and {more} more")
    if may_read:
        lines += [f"“{Truncator(document.title).chars(SHOWN_CHARS)}”" for document in action.documents[:SHOWN_MEMORIES]]
    if action.reason:
        lines.append(f"Reason given: {action.reason}")
    return "\n\n".join([f"{action.summary}?", *lines])
