"""The scopes of access tokens for memories."""

from __future__ import annotations

from typing import Literal

Scope = Literal["memory:read", "memory:write", "memory:admin"]
READ: Scope = "memory:read"
WRITE: Scope = "memory:write"
ADMIN: Scope = "memory:admin"
