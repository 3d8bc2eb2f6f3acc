"""The tools that there are, for the pages on which an app is limited to some of them."""

from __future__ import annotations

from mcpapi.catalog import catalog


def names() -> list[str]:
    """Their names, those that no list shows included."""
    return list(catalog().tools_by_name)
