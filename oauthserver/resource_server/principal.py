"""The authenticated sender of a request."""

from __future__ import annotations

from dataclasses import dataclass

from oauthserver.connections.continued_access import still_has_access
from oauthserver.connections.tool_patterns import matches_any
from oauthserver.connections.usage import PermissionKey, format_permission_key

PERMISSION_CHANNEL = "ownsona_permissions"
"""Channel on which PostgreSQL triggers announce changed and ended permissions, by `Principal.permission_name`."""


@dataclass(frozen=True, slots=True)
class Principal:
    """The authenticated sender of a request: an owner, the app or script that acts for them, and what it may do.

    `client_id` is the app's, `token:` and the number of a personal token, or `external:` and the external issuer's id
    of the app. `tags` holds the canonical tags of the visible memories, and `tools` the patterns of the tools that can
    be called; both are empty for no restriction. `profile` is one of `Permission.Profile`. With `quarantine`, memories
    that the caller inferred are quarantined until the owner accepts them. `permission` is None for a program that the
    owner runs next to the database: it needs none, and its use is not counted. `approvals` holds the risks of calls
    that need the owner's approval; with `asks_in_app`, the owner can also be asked in the app.
    `refused_inferences` holds the tags about which it cannot store what it inferred, or `*` for all.
    `has_budgets`: the owner limits what some or all of their apps may use.
    """

    owner_id: int
    client_id: str
    client_name: str
    scopes: frozenset[str]
    tags: tuple[str, ...]
    tools: tuple[str, ...]
    profile: str
    quarantine: bool
    permission: PermissionKey | None
    approvals: frozenset[str] = frozenset()
    asks_in_app: bool = True
    refused_inferences: tuple[str, ...] = ()
    has_budgets: bool = False

    @property
    def permission_name(self) -> str | None:
        """The unique name of the permission, such as `connection:12`; None without a permission."""
        return format_permission_key(self.permission) if self.permission else None

    def lock_permission(self) -> bool:
        """Lock the permission until the transaction ends. Return whether it still exists; False without one."""
        if self.permission is None:
            return False
        kind, key = self.permission
        return kind.objects.select_for_update(no_key=True).filter(pk=key).exists()

    def is_still_permitted(self) -> bool:
        """Return whether the owner has neither ended nor restricted the access since this principal was read."""
        return self.permission is None or still_has_access(self.permission, self.scopes, self.tags)

    def can_call(self, tool: str) -> bool:
        """Return whether the owner lets this caller use the tool with this name."""
        return not self.tools or matches_any(tool, self.tools)
