"""Sources for tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from documents.models import Document, Source
from documents.sources.changes import create_source
from documents.sources.drafts import SourceDraft
from documents.sources.report import SyncReport
from documents.sources.sync import sync
from oauthserver.models import User


def make_source(
    owner: User,
    name: str = "notes",
    kind: str = "folder",
    *,
    tags: Sequence[str] = (),
    every: int = 60,
    limits: Mapping[str, float] | None = None,
    **settings: object,
) -> Source:
    """Create a source of the owner."""
    return create_source(owner.pk, SourceDraft(name, kind, settings, tags, every, limits or {}))


def folder_source(owner: User, folder: Path, name: str = "notes", **details: object) -> Source:
    """Create a source of a real folder."""
    folder.mkdir(exist_ok=True)
    return make_source(owner, name, path=str(folder), **details)  # type: ignore[arg-type] # settings among them


def write(folder: Path, **texts: str) -> None:
    """Write text files with these names, without the suffix .md."""
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")


def counts(report: SyncReport) -> dict[str, int]:
    """Return the numbers of a successful sync that are not 0."""
    assert report.is_ok, report.problem
    names = ("added", "changed", "removed", "skipped", "unchanged")
    return {name: number for name in names if (number := getattr(report, name))}


def synced(source: Source) -> dict[str, int]:
    """Sync the source and return the numbers that are not 0."""
    return counts(sync(source))


def active_keys(source: Source) -> list[str]:
    """Return the keys of the source's documents that are not forgotten."""
    found = Document.objects.not_deleted().filter(owner_id=source.owner_id, source=source.name)
    return sorted(found.values_list("source_key", flat=True))
