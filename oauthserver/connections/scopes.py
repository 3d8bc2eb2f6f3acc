"""What an app can be allowed to do, in words for the consent page."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from oauth2_provider.scopes import BaseScopes

from common.scopes import ADMIN, READ, WRITE

OFFLINE = "offline_access"


@dataclass(frozen=True, slots=True)
class Scope:
    """One permission: `title` and `explanation` are for people who never heard of scopes, `verb` is for a column."""

    name: str
    verb: str
    title: str
    explanation: str


SCOPES = {
    scope.name: scope
    for scope in (
        Scope(READ, "read", "Read your memories", "Search, list and recall what is remembered about you."),
        Scope(
            WRITE,
            "change",
            "Add and change memories",
            "Remember new things, correct old ones, and forget. You can restore what it forgot.",
        ),
        Scope(
            ADMIN,
            "erase, export",
            "Delete for good, and export everything",
            "Delete memories beyond recovery, forget many at once, and copy out all that is remembered.",
        ),
        Scope(
            OFFLINE,
            "stay",
            "Stay connected",
            "Renew its access while you are away. It ends when you disconnect the app, or after long disuse.",
        ),
    )
}
# A person chooses among these. That an app stays connected is said, not asked: every app gets a refresh token.
MEMORY_SCOPES = (READ, WRITE, ADMIN)
# What the resource's metadata and its 401 name: enough for daily use. `ADMIN` is asked for when it is needed.
EVERYDAY_SCOPES = (READ, WRITE)


def allowed_scopes(scope: str, ceiling: Collection[str]) -> list[str]:
    """Those of the memory scopes in the space-separated `scope` that `ceiling` still allows."""
    named = scope.split()
    return [name for name in MEMORY_SCOPES if name in named and name in ceiling]


class MemoryScopes(BaseScopes):  # type: ignore[misc]  # the library has no types
    """The scopes as django-oauth-toolkit asks for them."""

    def get_all_scopes(self) -> dict[str, str]:
        return {scope.name: scope.title for scope in SCOPES.values()}

    def get_available_scopes(self, application: object = None, request: object = None) -> list[str]:
        return list(SCOPES)

    def get_default_scopes(self, application: object = None, request: object = None) -> list[str]:
        return list(MEMORY_SCOPES)
