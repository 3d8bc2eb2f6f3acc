"""The owner's pages on what their assistants use and do: prompts, sessions, activity and approvals."""

from mcpapi.admin.activity import AuditLineAdmin
from mcpapi.admin.approvals import ApprovalAdmin
from mcpapi.admin.prompts import OwnPromptAdmin
from mcpapi.admin.sessions import SessionAdmin

__all__ = ["ApprovalAdmin", "AuditLineAdmin", "OwnPromptAdmin", "SessionAdmin"]
