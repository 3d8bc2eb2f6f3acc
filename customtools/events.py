"""Change notifications of custom tools."""

from __future__ import annotations

from typing import Final

CHANNEL: Final = "ownsona_custom_tools"
"""The channel on which a trigger publishes each committed change of an owner's tools. The payload is the owner id."""
