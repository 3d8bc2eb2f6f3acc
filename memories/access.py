"""Callers and the memories that each may see."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

from memories.errors import InvalidInput
from memories.validation.text import check_tag_count


@dataclass(frozen=True, slots=True)
class View:
    """The memories of a user that have any of `only_tags` (canonical ones); without those tags, all of them.

    To its holder all other memories do not exist.
    """

    owner_id: int
    only_tags: tuple[str, ...]

    @classmethod
    def whole(cls, owner_id: int) -> Self:
        """All memories of a user: what they themselves see."""
        return cls(owner_id, ())

    @property
    def is_whole(self) -> bool:
        """Whether nothing of the user's is left out."""
        return not self.only_tags

    @property
    def restriction(self) -> str:
        """What SQL adds to its conditions on an owner's memories; takes `only_tags` as a parameter, a list.

        No tags for all memories: a test that always holds would still mislead the planner.
        """
        in_view = "" if self.is_whole else " AND tags && %(only_tags)s::text[]"
        return f"AND quarantined_from IS NULL{in_view}"

    def shows(self, tags: Sequence[str]) -> bool:
        """Whether a memory with these tags is in the view."""
        return self.is_whole or not set(self.only_tags).isdisjoint(tags)

    def completed(self, tags: Sequence[str]) -> Sequence[str]:
        """`tags` for a memory of the view: where the view is limited to exactly one tag, that one goes without saying.

        Raises InvalidInput for tags that would put the memory out of the view, and for too many of them.
        """
        if self.shows(tags):
            return tags
        if len(self.only_tags) == 1:
            return check_tag_count([*tags, *self.only_tags])
        *others, last = self.only_tags
        allowed = f"{', '.join(others)} or {last}"
        raise InvalidInput(f"tags: this app may use memories tagged {allowed}: name at least one of them.")


@dataclass(frozen=True, slots=True)
class Actor:
    """The view through which a change is made, the client that makes it, and the call it acts in.

    `client` is an OAuth client id, or one of this server's own doors ("admin", "import").
    All changes of one call share its `call_id`. With `is_quarantined` what the client inferred waits for the owner;
    with `is_owner` it is the owner who acts, to whom all that waits is known.
    """

    view: View
    client: str
    call_id: uuid.UUID = field(default_factory=uuid.uuid4)
    is_quarantined: bool = False
    is_owner: bool = False

    @property
    def owner_id(self) -> int:
        """The owner of all that changes."""
        return self.view.owner_id
