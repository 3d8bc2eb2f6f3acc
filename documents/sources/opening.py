"""Connectors of stored sources, with their surroundings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.conf import settings

from documents.connectors.base import MEGABYTE, Connector, ConnectorContext, SourceLimits
from documents.connectors.registry import open_connector
from documents.models import Source
from documents.sources.stored_settings import settings_with_secrets


def open_source(source: Source, max_seconds: float | None = None) -> Connector[Any]:
    """Return a connector that reads the source, in at most `max_seconds`. Raises SourceError."""
    folder = cache_folder(source.pk)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    context = ConnectorContext(folder, _limits(source, max_seconds), private_folders=_private_folders())
    return open_connector(source.kind, settings_with_secrets(source), context)


def check_folder(settings_of_folder: Mapping[str, object]) -> None:
    """Raise SourceError unless the folder of these settings exists, can be read, and is not OwnSona's own."""
    # Nothing is cached: only the folder is listed.
    context = ConnectorContext(Path(), private_folders=_private_folders())
    with open_connector("folder", settings_of_folder, context) as connector:
        connector.check()


def cache_folder(source_id: int) -> Path:
    """Return the folder in which the connector may keep files between two syncs."""
    return Path(settings.DATA_DIR) / "sources" / str(source_id)


def _private_folders() -> tuple[Path, ...]:
    return (Path(settings.DATA_DIR),)


def _limits(source: Source, max_seconds: float | None) -> SourceLimits:
    limits = SourceLimits(**source.limits)
    # A larger item is skipped before it is read: no document could be made of it.
    most = min(limits.item_bytes, settings.MAX_DOCUMENT_MB * MEGABYTE)
    return replace(limits, item_bytes=most, seconds=min(limits.seconds, max_seconds or limits.seconds))
