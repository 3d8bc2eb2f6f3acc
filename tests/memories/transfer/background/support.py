"""Imports of generated files."""

from __future__ import annotations

import io
import json
from typing import Any

from memories.access import Actor, View
from memories.models import ImportJob, ImportReport
from memories.transfer.background.choices import Choices
from memories.transfer.background.requests import create_import
from oauthserver.models import User


def owner_of_import(owner: User) -> Actor:
    """Return the actor of an import on the owner's pages."""
    return Actor(View.whole(owner.pk), "import", is_owner=True)


def lines(count: int) -> bytes:
    """Return JSON Lines of facts, of which every tenth is a tombstone whose successor comes after it."""
    rows: list[dict[str, Any]] = []
    for number in range(1, count + 1):
        row: dict[str, Any] = {"id": number, "text": f"Fact number {number}.", "created_at": "2024-01-01T00:00:00Z"}
        if number % 10 == 0:
            row |= {"deleted_at": "2025-01-01T00:00:00Z", "replaced_by_id": number % count + 1}
        rows.append(row)
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def new_import(owner: User, content: bytes, name: str = "facts.jsonl", **options: Any) -> ImportJob:
    """Create an import that starts at once."""
    choices = Choices.of(options)
    return create_import(owner_of_import(owner), name, io.BytesIO(content), choices, starts=True)


def report_of(job: ImportJob) -> list[dict[str, Any]]:
    """Return the report on an import."""
    parts = ImportReport.objects.filter(job=job).order_by("first")
    return [json.loads(line) for part in parts for line in part.lines.splitlines()]
