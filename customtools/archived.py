"""Custom tools as a part of archives. Neither allowed hosts nor secrets are in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from customtools.models import CustomTool
from customtools.storing import ToolDraft, add_tool
from memories.access import View
from memories.errors import InvalidInput, MemoriesError
from memories.transfer.archive.columns import as_json
from memories.transfer.archive.errors import UnusableArchive
from memories.transfer.archive.registry import Part
from memories.transfer.archive.restoration import Restoration
from memories.transfer.archive.writer import ArchiveWriter

_NAME: Final = "custom tools"
_MEMBER: Final = "custom_tools"
_FIELDS: Final = {"name": str, "kind": str, "source": str, "is_enabled": bool}


def _write(archive: ArchiveWriter, view: View) -> None:
    archive.add_lines(_MEMBER, map(as_json, _records(view)))


def _records(view: View) -> Iterator[dict[str, Any]]:
    """Yield the valid tools. Of a tool of the page that a file replaces, the file."""
    tools = CustomTool.objects.filter(owner_id=view.owner_id, declaration__isnull=False).order_by("name", "-file_name")
    written = set()
    for tool in tools:
        if tool.name not in written:
            written.add(tool.name)
            yield {field: getattr(tool, field) for field in _FIELDS}


def _restore(restoration: Restoration) -> None:
    """Store the tools whose names are not taken as tools of the page. They need their hosts and secrets again."""
    if not restoration.archive.has(f"{_MEMBER}.jsonl"):
        return
    owner_id = restoration.actor.owner_id
    taken = set(CustomTool.objects.filter(owner_id=owner_id).values_list("name", flat=True))
    for number, record in enumerate(restoration.archive.records(_MEMBER), start=1):
        if any(type(record.get(field)) is not kind for field, kind in _FIELDS.items()):
            raise UnusableArchive("A custom tool is incomplete.")
        if record["name"] in taken:
            restoration.summary.of(_NAME).present += 1
            continue
        try:
            _check_kind(record["kind"])
            taken.add(add_tool(owner_id, ToolDraft(record["kind"], record["source"], record["is_enabled"])).name)
        except MemoriesError as error:
            restoration.summary.refuse(_NAME, f"{_MEMBER}.jsonl, line {number}", error)
            continue
        restoration.summary.of(_NAME).added += 1


def _check_kind(kind: str) -> None:
    if kind not in CustomTool.Kind.values:
        raise InvalidInput(f"must be one of {', '.join(CustomTool.Kind.values)}.", argument="kind")


CUSTOM_TOOLS: Final = Part(_NAME, re.compile(r"custom_tools\.jsonl"), _write, _restore)
