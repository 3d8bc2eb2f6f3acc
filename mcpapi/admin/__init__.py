"""The owner's pages on what their assistants use and do: prompts, sessions and activity."""

from mcpapi.admin.activity import AuditLineAdmin
from mcpapi.admin.prompts import OwnPromptAdmin
from mcpapi.admin.sessions import SessionAdmin

__all__ = ["AuditLineAdmin", "OwnPromptAdmin", "SessionAdmin"]
