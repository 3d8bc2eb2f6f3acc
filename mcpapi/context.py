"""Who is calling, and how."""

from __future__ import annotations

from dataclasses import dataclass

from memories.actor import Actor
from oauthserver.bearer import Principal


@dataclass(frozen=True, slots=True)
class Caller:
    """One admitted request: whose it is, the revision whose shapes it is answered in, and its place in the journal."""

    principal: Principal
    protocol_version: str
    actor: Actor

    @property
    def user_id(self) -> int:
        """The owner of everything that this request may see."""
        return self.principal.user_id
