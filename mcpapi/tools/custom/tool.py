"""A custom tool as clients see it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Set
from typing import Any, Final

import orjson
from pydantic import BaseModel, TypeAdapter, ValidationError

from common.risks import Risk
from common.scopes import ADMIN, READ, Scope
from common.texts import translatable
from customtools.models import CustomTool
from customtools.registry import Definition
from customtools.running.execution import execute
from mcpapi.approvals.approval_store import RiskyAction
from mcpapi.approvals.enforcement import require_approval
from mcpapi.calls.budgets import EmbeddingBudgetExceeded, budget_exceeded
from mcpapi.calls.caller import Caller
from mcpapi.rpc.jsonrpc import RpcError
from mcpapi.rpc.notifier import NotificationKind
from mcpapi.rpc.suspension import CallSuspended
from mcpapi.tool_failures import failure_from
from mcpapi.tools.base import Hints, call_result
from mcpapi.tools.custom.arguments import validator_of
from mcpapi.tools.custom.host import CallerHost
from mcpapi.tools.schema import ERROR, Schema
from memories.errors import SecretRejected
from memories.validation.text import refuse_secrets

META: Final[Mapping[str, bool]] = {"ownsona/builtin": False}
MAX_SHOWN_CHARS: Final = 500
OUTPUT_SCHEMA: Final[Schema] = {
    "type": "object",
    "properties": {
        "ok": {"type": "boolean", "description": "Whether the call succeeded."},
        "result": {"description": "What the tool returns."},
        "error": ERROR,
    },
    "required": ["ok"],
}


class CallArguments(BaseModel):
    """The valid arguments of one call."""

    values: dict[str, Any]


class CustomToolAdapter:
    """A `CatalogTool` of a definition."""

    def __init__(self, definition: Definition) -> None:
        self._definition = definition
        self._declaration = definition.declaration
        self._validator: TypeAdapter[dict[str, Any]] = validator_of(self._declaration.parameters)

    @property
    def name(self) -> str:
        """See `CatalogTool.name`."""
        return self._declaration.name

    @property
    def scope(self) -> Scope:
        """See `CatalogTool.scope`."""
        return self._declaration.scope

    @property
    def notifications(self) -> Set[NotificationKind]:
        """See `CatalogTool.notifications`. Custom tools send none."""
        return frozenset()

    def definition(self) -> Mapping[str, Any]:
        """See `CatalogTool.definition`."""
        return {
            "name": self.name,
            "title": self._declaration.title,
            "description": self._declaration.description,
            "inputSchema": self._declaration.parameters,
            "outputSchema": OUTPUT_SCHEMA,
            "annotations": self._hints().as_json(self._declaration.title),
            "_meta": META,
        }

    def call(self, caller: Caller, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """See `CatalogTool.call`. The scope is checked first, as with built-in tools."""
        caller.custom_tool = self.name
        caller.require_scope(self._declaration.scope)
        try:
            args = CallArguments(values=self._validator.validate_python(arguments))
        except ValidationError as error:
            return call_result(caller, failure_from(error))
        return call_result(caller, self._payload(caller, args))

    def _payload(self, caller: Caller, args: CallArguments) -> dict[str, Any]:
        host = CallerHost(caller, self._declaration.scope)
        try:
            with require_approval(caller, self.name, args, self._assess_risk):
                result = execute(self._definition, args.values, host)
        except (RpcError, CallSuspended):
            raise
        except EmbeddingBudgetExceeded as error:
            raise budget_exceeded(error.balance) from None
        except Exception as error:  # noqa: BLE001 - the one place where a tool's failure becomes its result
            return failure_from(error)
        caller.record_usage(is_write=self._declaration.scope != READ)
        return {"ok": True, "result": result}

    def _hints(self) -> Hints:
        declaration = self._declaration
        may_write = declaration.scope != READ or declaration.is_risky or self._may_change_other_servers()
        is_destructive = declaration.is_risky or declaration.scope == ADMIN
        return Hints(read_only=not may_write, destructive=is_destructive, open_world=True)

    def _may_change_other_servers(self) -> bool:
        if self._definition.template is not None:
            return self._definition.template.method != "GET"
        # A script declares nothing about its requests. One that does not name context.http sends none.
        return "http" in self._definition.source

    def _assess_risk(self, _: Caller, args: CallArguments) -> RiskyAction | None:
        """Return the action of a risky tool: it, its version, and the arguments, which the owner has to see."""
        if not self._declaration.is_risky:
            return None
        encoded = orjson.dumps(args.values, option=orjson.OPT_SORT_KEYS).decode()
        mark = hashlib.sha256(f"{self._definition.version} {encoded}".encode()).hexdigest()[:8]
        try:
            refuse_secrets("arguments", encoded)
        except SecretRejected:
            encoded = "(arguments that look like a secret)"
        shown = encoded if len(encoded) <= MAX_SHOWN_CHARS else f"{encoded[:MAX_SHOWN_CHARS]}…"
        summary = self._summary({"name": self.name, "mark": mark}, shown if args.values else "")
        return RiskyAction(Risk.CUSTOM_TOOL, summary)

    def _summary(self, words: Mapping[str, str], values: str) -> str:
        """Return what the owner is asked: the name of the tool, its arguments if it has any, and the mark of the call.

        Each is a whole sentence, which can be translated.
        """
        is_request = self._definition.kind == CustomTool.Kind.HTTP
        if values and is_request:
            return translatable("Run the request %(name)s with %(values)s (call %(mark)s)", **words, values=values)
        if values:
            return translatable("Run the script %(name)s with %(values)s (call %(mark)s)", **words, values=values)
        if is_request:
            return translatable("Run the request %(name)s (call %(mark)s)", **words)
        return translatable("Run the script %(name)s (call %(mark)s)", **words)
