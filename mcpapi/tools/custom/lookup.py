"""The custom tools of a caller's owner."""

from __future__ import annotations

from customtools.registry import MAX_CACHED, Definition, definitions_of, find_definition
from mcpapi.tools.custom.tool import CustomToolAdapter

_adapters: dict[tuple[int, int], CustomToolAdapter] = {}


def custom_tools(owner: int) -> list[CustomToolAdapter]:
    """Return the tools of a user that can be called, by name. `owner` is an id. Queries: see `definitions_of`."""
    return [_adapter_of(definition) for definition in definitions_of(owner)]


def find_custom_tool(owner: int, name: str) -> CustomToolAdapter | None:
    """Return the tool of a user with this name, or None. `owner` is an id."""
    definition = find_definition(owner, name)
    return None if definition is None else _adapter_of(definition)


def _adapter_of(definition: Definition) -> CustomToolAdapter:
    """Return the adapter of a definition. Its validator takes a millisecond to make."""
    key = definition.tool_id, definition.version
    adapter = _adapters.get(key)
    if adapter is None:
        if len(_adapters) > MAX_CACHED:
            _adapters.clear()
        adapter = _adapters[key] = CustomToolAdapter(definition)
    return adapter
