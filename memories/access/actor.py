"""Who makes a change: named in every line of the journal."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field

from memories.access.view import View


@dataclass(frozen=True, slots=True)
class Actor:
    """The view through which a change is made, the client that makes it, and the call it acts in.

    `client` is an OAuth client id, or one of this server's own doors ("admin", "import").
    All changes of one call share its `call_id`. With `is_quarantined` what the client inferred waits for the owner;
    with `decides` it is the owner who acts, to whom all that waits is known.
    """

    view: View
    client: str
    call_id: uuid.UUID = field(default_factory=uuid.uuid4)
    is_quarantined: bool = False
    decides: bool = False

    @property
    def user_id(self) -> int:
        """The owner of all that changes."""
        return self.view.user_id
