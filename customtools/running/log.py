"""The log of custom tools for their owner, written a moment after the call."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from django.db import connection
from django.utils import timezone

from common.write_behind import AppendBehind
from customtools.models import ToolLogLine
from memories.errors import SecretRejected
from memories.validation.text import make_storable, refuse_secrets

KEPT_LINES: Final = 1_000
"""The newest lines of an owner that are kept."""

MAX_LINE_CHARS: Final = 2_000
MAX_WAITING: Final = 5_000
FLUSH_SECONDS: Final = 1.0
HIDDEN_LINE: Final = "(looks like a secret)"

_TRIM: Final = """
    DELETE FROM customtools_toollogline WHERE owner_id = %(owner)s AND at < (
        SELECT at FROM customtools_toollogline WHERE owner_id = %(owner)s ORDER BY at DESC OFFSET %(kept)s LIMIT 1)
"""


def add_line(owner_id: int, tool: str, level: ToolLogLine.Level, text: str, client_name: str = "") -> None:
    """Add a line to the owner's log. Never fails, and never waits for the database."""
    at: datetime = timezone.now()
    line = make_storable(text, MAX_LINE_CHARS)
    try:
        refuse_secrets("text", line)
    except SecretRejected:
        line = HIDDEN_LINE
    tool_log.add(
        ToolLogLine(
            owner_id=owner_id, tool=tool, at=at, level=level, text=line, client_name=make_storable(client_name, 200)
        )
    )


def _write(lines: list[ToolLogLine]) -> None:
    ToolLogLine.objects.bulk_create(lines)
    for owner_id in {line.owner_id for line in lines}:
        with connection.cursor() as cursor:
            cursor.execute(_TRIM, {"owner": owner_id, "kept": KEPT_LINES})


tool_log: AppendBehind[ToolLogLine] = AppendBehind(_write, limit=MAX_WAITING, seconds=FLUSH_SECONDS)
