"""Risks of tool calls that can require the owner's approval."""

from __future__ import annotations

from django.db.models import TextChoices


class Risk(TextChoices):
    """Kinds of risky calls, in the owner's words."""

    HARD_DELETE = "hard_delete", "Deletes a memory or a document for good"
    BULK_FORGET = "bulk_forget", "Forgets many memories or documents in one call"
    EXPORT = "export", "Exports memories"
    CUSTOM_TOOL = "custom_tool", "Runs a custom tool that is marked as risky"

    @property
    def is_final(self) -> bool:
        """Whether the owner cannot undo what such a call does."""
        return self in {Risk.HARD_DELETE, Risk.CUSTOM_TOOL}
