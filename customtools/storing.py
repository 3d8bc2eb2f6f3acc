"""Changes of custom tools by their owner on the pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.db import transaction

from common.advisory_locks import AdvisoryLock, lock_until_commit
from common.texts import gettext_noop, translatable
from customtools.describing import describe
from customtools.limits import MAX_TOOLS
from customtools.models import CustomTool
from memories.errors import InvalidInput, LimitExceeded, NotFound

CHANGED_MEANWHILE: Final = gettext_noop(
    "This tool was changed after you opened the page, perhaps in another tab. Nothing was saved. Copy your text, "
    "reload the page, and make your change again."
)


@dataclass(frozen=True, slots=True)
class ToolDraft:
    """The values that the owner has entered. `version` is the one that the page has shown; 0 for a new tool."""

    kind: str
    source: str
    is_enabled: bool
    version: int = 0


def add_tool(owner_id: int, draft: ToolDraft) -> CustomTool:
    """Store a new tool. Raises InvalidDefinition and other errors that name the field."""
    return _store(CustomTool(owner_id=owner_id, version=0), draft)


def change_tool(owner_id: int, tool_id: int, draft: ToolDraft) -> CustomTool:
    """Change a tool; of one in a file, only whether it is enabled.

    Raises InvalidDefinition, NotFound, and InvalidInput if it was changed meanwhile.
    """
    row = CustomTool.objects.filter(owner_id=owner_id, pk=tool_id).first()
    if row is None:
        raise NotFound(translatable("This tool no longer exists."))
    return _store(row, draft)


def delete_tool(owner_id: int, tool_id: int) -> None:
    """Delete a tool of the page. Raises InvalidInput for one of a file. A call that is running ends normally."""
    if CustomTool.objects.filter(owner_id=owner_id, pk=tool_id).exclude(file_name="").exists():
        raise InvalidInput(translatable("This tool is in a file of the data folder. Delete the file."))
    CustomTool.objects.filter(owner_id=owner_id, pk=tool_id).delete()


def _store(row: CustomTool, draft: ToolDraft) -> CustomTool:
    """Validate the draft, then store it in one transaction."""
    declaration = None if row.file_name else describe(row.owner_id, row.kind if row.pk else draft.kind, draft.source)
    with transaction.atomic():
        lock_until_commit(AdvisoryLock.TOOL_SAVING, row.owner_id)
        if row.pk is not None:
            _refuse_older(row, draft)
        if declaration is not None:
            _refuse_duplicate(row, declaration.name)
            row.kind = row.kind if row.pk else draft.kind
            row.name, row.source, row.declaration = declaration.name, draft.source, declaration.as_json()
        row.is_enabled = draft.is_enabled
        row.version += 1
        row.save()
    return row


def _refuse_older(row: CustomTool, draft: ToolDraft) -> None:
    stored = CustomTool.objects.select_for_update().filter(pk=row.pk).first()
    if stored is None:
        raise NotFound(translatable("This tool was deleted since you opened the page. Nothing was saved."))
    if stored.version != draft.version or stored.version != row.version:
        raise InvalidInput(CHANGED_MEANWHILE)


def _refuse_duplicate(row: CustomTool, name: str) -> None:
    others = CustomTool.objects.filter(owner_id=row.owner_id).exclude(pk=row.pk)
    if others.filter(name=name, file_name="").exists():
        raise InvalidInput(translatable("you already have a tool named %(name)s.", name=name), argument="name")
    if row.pk is None and others.count() >= MAX_TOOLS:
        raise LimitExceeded(
            translatable(
                "You have %(max_tools)s custom tools, which is the maximum. Delete one first.", max_tools=MAX_TOOLS
            )
        )
