"""A client of the stateless era."""

from __future__ import annotations

from typing import Any

from tests.support.factories import Assistant

VERSION = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def ask(
    assistant: Assistant,
    method: str,
    params: dict[str, Any] | None = None,
    *,
    meta: dict[str, Any] | None = None,
    headers: dict[str, str | None] | None = None,
) -> Any:
    """Send a request with everything that the era requires, and return the HTTP response.

    `headers` replace the required ones, or remove them if None. `meta` is added to `_meta`.
    """
    params = {**(params or {}), "_meta": {**META, **(meta or {})}}
    sent: dict[str, str | None] = {"mcp-protocol-version": VERSION, "mcp-method": method}
    if name := params.get("name") or params.get("uri"):
        sent["mcp-name"] = str(name)
    sent |= headers or {}
    return assistant.request(method, params, {name: value for name, value in sent.items() if value is not None})
