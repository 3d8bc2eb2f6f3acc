"""Tags and tools that a connection can be limited to, provided by other packages."""

from __future__ import annotations

from collections.abc import Sequence

from common.provided import Provided

offered_tags: Provided[[int], list[str]] = Provided("the tags that a user uses most, by user id")

canonical_tags: Provided[[int, Sequence[str]], list[str]] = Provided("the canonical form of a user's tags")
"""Canonical tags by user id and typed tags; text that is not a valid tag is omitted. Raises ValidationError."""

tool_names: Provided[[int], list[str]] = Provided("the names of all tools of a user")
