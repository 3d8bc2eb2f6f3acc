"""The fields of each handshake revision, and the removal of all others from results.

Methods return results in the shape of the newest revision. An older client might ignore an unknown field, or refuse the
whole message. The fields are those of the schema.ts of each revision.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

FIELD_SINCE: Mapping[str, Mapping[str, str]] = {
    "Implementation": {
        "title": "2025-06-18",
        "description": "2025-11-25",
        "icons": "2025-11-25",
        "websiteUrl": "2025-11-25",
    },
    "ServerCapabilities": {"completions": "2025-03-26", "tasks": "2025-11-25"},
    "Tool": {
        "annotations": "2025-03-26",
        "title": "2025-06-18",
        "outputSchema": "2025-06-18",
        "_meta": "2025-06-18",
        "icons": "2025-11-25",
        "execution": "2025-11-25",
    },
    "CallToolResult": {"structuredContent": "2025-06-18"},
    "Resource": {"title": "2025-06-18", "_meta": "2025-06-18", "icons": "2025-11-25"},
    "ResourceTemplate": {"title": "2025-06-18", "_meta": "2025-06-18", "icons": "2025-11-25"},
    "Annotations": {"lastModified": "2025-06-18"},
    "Prompt": {"title": "2025-06-18", "_meta": "2025-06-18", "icons": "2025-11-25"},
}
"""By type: the first revision that has the field. A field that is not listed was always there."""

PARTS: Mapping[str, Mapping[str, str]] = {"Resource": {"annotations": "Annotations"}}
"""By type: the types of its fields' values."""

RESULTS: Mapping[str, str] = {"tools/call": "CallToolResult"}
"""By method: the type of its result."""

MEMBERS: Mapping[str, Mapping[str, str]] = {
    "initialize": {"serverInfo": "Implementation", "capabilities": "ServerCapabilities"},
    "tools/list": {"tools": "Tool"},
    "resources/list": {"resources": "Resource"},
    "resources/templates/list": {"resourceTemplates": "ResourceTemplate"},
    "prompts/list": {"prompts": "Prompt"},
}
"""By method: the types of its result's members, each one value or a list of them."""


def trim_result(result: Mapping[str, Any], method: str, version: str) -> Mapping[str, Any]:
    """Return `result` of `method` without the fields that the revision `version` does not know."""
    known = _known(result, RESULTS.get(method), version)
    members = {name: kind for name, kind in MEMBERS.get(method, {}).items() if _is_cut(kind, version)}
    return {**known, **{name: _each_known(known[name], kind, version) for name, kind in members.items()}}


def _each_known(value: Any, kind: str, version: str) -> Any:
    return [_known(item, kind, version) for item in value] if isinstance(value, list) else _known(value, kind, version)


def _known(value: Mapping[str, Any], kind: str | None, version: str) -> Mapping[str, Any]:
    if kind is None or not _is_cut(kind, version):
        return value
    since, parts = FIELD_SINCE[kind], PARTS.get(kind, {})
    # Revisions are dates: they sort as text.
    return {
        name: _known(held, parts[name], version) if name in parts else held
        for name, held in value.items()
        if since.get(name, "") <= version
    }


def _is_cut(kind: str, version: str) -> bool:
    """Return whether `version` lacks a field of the type or of its parts."""
    parts = PARTS.get(kind, {}).values()
    return any(first > version for first in FIELD_SINCE[kind].values()) or any(_is_cut(part, version) for part in parts)
