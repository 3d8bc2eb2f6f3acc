"""The owner's pages on what their assistants use: prompts and sessions."""

from mcpapi.admin.prompts import OwnPromptAdmin
from mcpapi.admin.sessions import SessionAdmin

__all__ = ["OwnPromptAdmin", "SessionAdmin"]
