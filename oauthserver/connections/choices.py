"""The tags and tools that a connection can be limited to, which other packages know."""

from __future__ import annotations

from collections.abc import Sequence

from common.provided import Provided

offered_tags: Provided[[int], list[str]] = Provided("the tags that a user uses most, by user id")

canonical_tags: Provided[[int, Sequence[str]], list[str]] = Provided("the canonical form of a user's tags")
"""Returns the tags as memories have them, without what is no tag. Raises ValidationError."""

tool_names: Provided[[], list[str]] = Provided("the names of all tools")
