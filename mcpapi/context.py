"""Who is calling, and how."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from memories.actor import Actor
from memories.view import View
from oauthserver.bearer import Principal


@dataclass(frozen=True, slots=True)
class Caller:
    """One admitted request: whose it is, the revision whose shapes it is answered in, and its place in the journal."""

    principal: Principal
    protocol_version: str
    actor: Actor

    @classmethod
    def of(cls, principal: Principal, protocol_version: str) -> Self:
        """A request of `principal`, who sees what the owner lets them see."""
        view = View(principal.user_id, principal.tags)
        return cls(principal, protocol_version, Actor(view, principal.client_id))

    @property
    def view(self) -> View:
        """All that this request may see and change."""
        return self.actor.view
