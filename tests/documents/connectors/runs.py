"""Runs of connectors in tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from documents.connectors.base import Connector, ConnectorContext, Skipped, SourceError, SourceItem, SourceLimits
from documents.connectors.registry import open_connector


@dataclass
class Run:
    """The result of a listing: items and skipped items by key, and the content of what was read."""

    items: dict[str, SourceItem] = field(default_factory=dict)
    skipped: dict[str, Skipped] = field(default_factory=dict)
    contents: dict[str, bytes] = field(default_factory=dict)

    @property
    def known(self) -> dict[str, str]:
        return {key: item.fingerprint for key, item in self.items.items()}


def connector(kind: str, cache: Path, limits: SourceLimits | None = None, **settings: Any) -> Connector[Any]:
    """Return a connector with these settings."""
    return open_connector(kind, settings, ConnectorContext(cache, limits or SourceLimits()))


def run(opened: Connector[Any], known: Mapping[str, str] | None = None) -> Run:
    """List a source, and read each item that is not known, as a caller does."""
    result = Run()
    with opened:
        for found in opened.listing(known or {}):
            assert found.key not in result.items, "a key is yielded once"
            assert found.key not in result.skipped, "a key is yielded once"
            # A database can store it.
            assert b"\0" not in found.key.encode()
            if isinstance(found, Skipped):
                result.skipped[found.key] = found
                continue
            result.items[found.key] = found
            if (known or {}).get(found.key) != found.fingerprint:
                result.contents[found.key] = opened.read(found)
    return result


def refusal(opened: Connector[Any], known: Mapping[str, str] | None = None) -> SourceError:
    """Return the error of listing a source."""
    with opened, pytest.raises(SourceError) as error:
        list(opened.listing(known or {}))
    assert str(error.value).endswith(".")
    return error.value
