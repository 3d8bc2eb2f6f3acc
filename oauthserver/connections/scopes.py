"""Scopes that an app can be granted, with their descriptions for the consent page."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.utils.translation import gettext_noop
from oauth2_provider.scopes import BaseScopes

from common.scopes import ADMIN, READ, WRITE

OFFLINE = "offline_access"


@dataclass(frozen=True, slots=True)
class Scope:
    """A scope. `title` and `explanation` are for users who do not know scopes; `verb` is for table columns."""

    name: str
    verb: str
    title: str
    explanation: str


SCOPES = {
    scope.name: scope
    for scope in (
        Scope(
            READ,
            "read",
            gettext_noop("Read your memories and documents"),
            gettext_noop("Search, list and recall what is remembered about you, and what your documents say."),
        ),
        Scope(
            WRITE,
            "change",
            gettext_noop("Add and change memories and documents"),
            gettext_noop(
                "Remember new facts, correct memories, add documents, and forget both. You can restore what it forgets."
            ),
        ),
        Scope(
            ADMIN,
            "erase, export",
            gettext_noop("Delete permanently, and export everything"),
            gettext_noop(
                "Delete memories and documents permanently, forget many memories at once, and export all memories."
            ),
        ),
        Scope(
            OFFLINE,
            "stay",
            gettext_noop("Stay connected"),
            gettext_noop(
                "Renew access without asking you. This ends when you disconnect the app, or after a long "
                "time without use."
            ),
        ),
    )
}
# The scopes that the owner chooses among. `offline_access` is only announced: every app gets a refresh token.
MEMORY_SCOPES = (READ, WRITE, ADMIN)
# The scopes in the resource's metadata and its 401: enough for daily use. Apps request `ADMIN` when they need it.
EVERYDAY_SCOPES = (READ, WRITE)


def allowed_scopes(scope: str, ceiling: Collection[str]) -> list[str]:
    """Return the memory scopes in the space-separated `scope` that `ceiling` allows."""
    named = scope.split()
    return [name for name in MEMORY_SCOPES if name in named and name in ceiling]


class MemoryScopes(BaseScopes):  # type: ignore[misc]  # the library has no types
    """An adapter that provides the scopes to django-oauth-toolkit."""

    def get_all_scopes(self) -> dict[str, str]:
        return {scope.name: scope.title for scope in SCOPES.values()}

    def get_available_scopes(self, application: object = None, request: object = None) -> list[str]:
        return list(SCOPES)

    def get_default_scopes(self, application: object = None, request: object = None) -> list[str]:
        return list(MEMORY_SCOPES)
