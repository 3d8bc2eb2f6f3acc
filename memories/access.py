"""Views and actors: the memories that a caller may see, and the origin of changes."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

from common.texts import translatable
from memories.errors import InvalidInput
from memories.validation.text import check_tag_count


@dataclass(frozen=True, slots=True)
class View:
    """The memories of an owner that have any of the canonical tags `only_tags`; without tags, all of them.

    To its holder, other memories do not exist.
    """

    owner_id: int
    only_tags: tuple[str, ...]

    @classmethod
    def whole(cls, owner_id: int) -> Self:
        """Return the view of all memories of an owner, which is what the owner sees."""
        return cls(owner_id, ())

    @property
    def is_whole(self) -> bool:
        """Whether every memory of the owner is visible."""
        return not self.only_tags

    @property
    def restriction(self) -> str:
        """The SQL to append to conditions on an owner's memories. Its parameter `only_tags` is a list.

        A whole view adds no condition on tags: one that is always true would still mislead the planner.
        """
        in_view = "" if self.is_whole else " AND tags && %(only_tags)s::text[]"
        return f"AND quarantined_from IS NULL{in_view}"

    def shows(self, tags: Sequence[str]) -> bool:
        """Return whether a memory with these tags is in the view."""
        return self.is_whole or not set(self.only_tags).isdisjoint(tags)

    def completed(self, tags: Sequence[str]) -> Sequence[str]:
        """Return the tags for a memory of the view. If the view is limited to exactly one tag, that one is added.

        Raises InvalidInput for tags that would put the memory out of the view, and for too many tags.
        """
        if self.shows(tags):
            return tags
        if len(self.only_tags) == 1:
            return check_tag_count([*tags, *self.only_tags])
        *others, last = self.only_tags
        allowed = f"{', '.join(others)} or {last}"
        raise InvalidInput(
            translatable(
                "this app is limited to memories tagged %(allowed)s. Give at least one of these tags.", allowed=allowed
            ),
            argument="tags",
        )


@dataclass(frozen=True, slots=True)
class Actor:
    """The view through which a change is made, the client that makes it, and its change set.

    `client` is an OAuth client id or a built-in client ("admin", "import"). All changes of one call are its change set.
    `session_id` is the client's session, empty if there is none. With `is_quarantined`, inferences of the client are
    quarantined for the owner's review. `refused_inferences` are tags about which the client cannot store inferences, or
    `*` for all. With `is_owner` the owner acts, who may see and change quarantined memories of
    every client. `proposed_by` is the client whose plan is applied, empty without a plan of another client.
    """

    view: View
    client: str
    change_set: uuid.UUID = field(default_factory=uuid.uuid4)
    session_id: str = ""
    is_quarantined: bool = False
    is_owner: bool = False
    refused_inferences: tuple[str, ...] = ()
    proposed_by: str = ""

    @property
    def owner_id(self) -> int:
        """The owner of the changed memories."""
        return self.view.owner_id
