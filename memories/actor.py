"""Who makes a change: named in every line of the journal."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Actor:
    """The user whose memories are meant, the client that acts for them, and the call it acts in.

    `client` is an OAuth client id, or one of this server's own doors ("admin", "import").
    All changes of one call share its `call_id`.
    """

    user_id: int
    client: str
    call_id: uuid.UUID = field(default_factory=uuid.uuid4)
