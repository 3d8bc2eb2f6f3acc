"""The built-in tools that a custom tool can call, with the rights of the caller and of the script."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import orjson
from pydantic import ValidationError

from common.scopes import ADMIN, READ, WRITE, Scope
from common.texts import translatable
from customtools.errors import ToolError
from mcpapi.calls.caller import Caller
from mcpapi.tool_failures import describe_validation, failure_from
from mcpapi.tools.base import Tool
from mcpapi.tools.reading.fetch import fetch
from mcpapi.tools.reading.recall import recall
from mcpapi.tools.reading.search import search
from mcpapi.tools.writing.remember import remember
from memories.errors import EmbeddingRefused, MemoriesError
from memories.writing.hidden_values import all_secrets_refused

OFFERED: Final[Mapping[str, Tool]] = {"search": search, "recall": recall, "get": fetch, "remember": remember}
"""By the name in `context`: the tool that carries it out."""

_RANKS: Final[tuple[Scope, ...]] = (READ, WRITE, ADMIN)


class AccessLost(MemoriesError):
    """The owner has disconnected, paused or restricted the app during the call."""

    code = "tool_error"


class CallerHost:
    """The host of one call. See `customtools.running.execution.Host`."""

    def __init__(self, caller: Caller, scope: Scope) -> None:
        self._caller = caller
        self._scope = scope

    @property
    def client_name(self) -> str:
        """The name of the app that calls."""
        return self._caller.client_name

    def require_permitted(self) -> None:
        """Raise AccessLost if the caller's permission has ended or was restricted since the call began."""
        if not self._caller.is_still_permitted():
            raise AccessLost(translatable("The owner has ended or changed the access of this app during the call."))

    def call(self, name: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the payload of a built-in tool, run for the caller. Raises MemoriesError.

        Scopes, tags and quarantine of the app apply. Its allowed tools do not: the owner has allowed this one. The
        error of a budget that is used up stays as it is: the caller gets it if the script does not handle it.
        """
        tool = OFFERED.get(name)
        if tool is None:
            raise ToolError(translatable("context.%(name)s does not exist.", name=name[:40]))
        self._require_scope(name, tool.scope)
        try:
            args = tool.args.model_validate(arguments)
            # The log of custom tools has their arguments and what they print.
            with all_secrets_refused():
                payload = tool.run(self._caller, args).payload()
        except ValidationError as error:
            raise ToolError(f"context.{name}: {describe_validation(error, tool.args.model_fields)}") from None
        except EmbeddingRefused:
            raise
        except Exception as error:  # noqa: BLE001 - as for a tool that a client calls
            raise ToolError(f"context.{name}: {failure_from(error)['error']['message']}") from None
        del payload["ok"]
        plain: dict[str, Any] = orjson.loads(orjson.dumps(payload))
        return plain

    def _require_scope(self, name: str, needed: Scope) -> None:
        if _RANKS.index(needed) > _RANKS.index(self._scope):
            raise ToolError(
                translatable(
                    "context.%(name)s needs the scope %(needed)s, but the script declares only %(declared)s.",
                    name=name,
                    needed=needed,
                    declared=self._scope,
                )
            )
        if not self._caller.has_scope(needed):
            raise ToolError(
                translatable(
                    "context.%(name)s needs the scope %(needed)s, which this app does not have.",
                    name=name,
                    needed=needed,
                )
            )
