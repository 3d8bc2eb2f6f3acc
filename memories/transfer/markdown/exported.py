"""Files of memories that an export has written, which are imported as the memories that they are."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

import yaml

from memories.transfer.folders.edits import MEMORY_FILE
from memories.transfer.formats.base import Record

_MAX_CHARS: Final = 64 * 1024
_ALWAYS_THERE: Final = {"id", "importance", "capture_mode", "created_at", "updated_at", "last_confirmed_at"}


def exported_record(content: str) -> Record | None:
    """Return the record of a file that `export_markdown` has written, with the text that it has now; None for others.

    Read as a note, a forgotten memory would be active again, and every paragraph would be a memory of its own.
    """
    found = MEMORY_FILE.match(content)
    if found is None or len(found["properties"]) > _MAX_CHARS:
        return None
    try:
        properties: Any = yaml.safe_load(found["properties"])
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    if not isinstance(properties, dict) or not properties.keys() >= _ALWAYS_THERE:
        return None
    # Editors of notes remove the quotation marks around times.
    fields = {name: each.isoformat() if isinstance(each, datetime) else each for name, each in properties.items()}
    return {**fields, "text": (found["text"] or "").removesuffix("\n")}
