"""What a person decides on the consent page."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from oauthlib.common import Request

from oauthserver.models import Application
from oauthserver.redirects import destination
from oauthserver.scopes import ADMIN, MEMORY_SCOPES, SCOPES, Scope


@dataclass(frozen=True, slots=True)
class Choice:
    """One tick box."""

    scope: Scope
    is_ticked: bool


@dataclass(frozen=True, slots=True)
class Consent:
    """A validated authorization request as the person sees it."""

    application: Application
    redirect_uri: str
    asked: tuple[str, ...]
    named_by_app: bool

    @classmethod
    def for_request(cls, request: Request) -> Consent:
        """`request` is one that the authorization server has validated."""
        return cls(request.client, request.redirect_uri, tuple(request.scopes), named_by_app=bool(request.scope))

    @property
    def destination(self) -> str:
        return destination(self.redirect_uri)

    @property
    def choices(self) -> list[Choice]:
        """The tick boxes. What erases for good is ticked only when the app asked for it by name."""
        return [
            Choice(SCOPES[name], is_ticked=self.named_by_app or name != ADMIN)
            for name in MEMORY_SCOPES
            if name in self.asked
        ]

    @property
    def unasked(self) -> list[Scope]:
        """What comes with any permission."""
        return [SCOPES[name] for name in self.asked if name not in MEMORY_SCOPES]

    def granted(self, ticked: Collection[str]) -> list[str]:
        """The scopes to grant: those that were asked for and ticked; none when nothing of use was."""
        useful = [name for name in MEMORY_SCOPES if name in self.asked and name in ticked]
        return [*useful, *(scope.name for scope in self.unasked)] if useful else []
